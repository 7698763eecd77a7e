# Writes a C file with the text of the viewer's page:
#   cmake -DPAGE=web/dist/viewer.html -DOUTPUT=page_text.c -P tools/embed_page.cmake
# Bytes, not string literals: C compilers promise only 4095 characters in one.
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made by tools/embed_page.cmake from web/dist/viewer.html.\n#include \"view/page.h\"\n\n"
     "const char td_page_text[] = {${bytes}0};\n")
