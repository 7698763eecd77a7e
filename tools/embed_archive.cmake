# Writes a C file that puts the bytes of a file into the library, from SYMBOL to SYMBOL_end:
#   cmake -DARCHIVE=libfmu_engine.a -DSYMBOL=td_engine_archive -DOUTPUT=engine_archive.c -P tools/embed_archive.cmake
# The assembler reads them: megabytes as numbers would take the compiler long.
file(WRITE ${OUTPUT} "// Made by tools/embed_archive.cmake.
__asm__(
    \".section .rodata\\n\"
    \".balign 16\\n\"
    \".globl ${SYMBOL}\\n\"
    \".hidden ${SYMBOL}\\n\"
    \"${SYMBOL}: .incbin \\\"${ARCHIVE}\\\"\\n\"
    \".globl ${SYMBOL}_end\\n\"
    \".hidden ${SYMBOL}_end\\n\"
    \"${SYMBOL}_end:\\n\"
    \".previous\\n\");
")
