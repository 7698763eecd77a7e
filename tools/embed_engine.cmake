# Writes a C file with the text of each source in SOURCES (separated by |):
#   cmake -DSOURCES="src/math/vec3.h|src/engine/kinematics.c" -DTABLE=td_engine_sources -DOUTPUT=engine_sources.c
#         -P tools/embed_engine.cmake
# Bytes, not string literals: C compilers promise only 4095 characters in one.
string(REPLACE "|" ";" sources "${SOURCES}")
set(texts "")
set(rows "")
foreach(source ${sources})
  get_filename_component(name ${source} NAME)
  string(REPLACE "." "_" symbol ${name})
  file(READ ${source} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND texts "static const unsigned char text_${symbol}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", (const char*)text_${symbol}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by tools/embed_engine.cmake: sources for exported programs.\n#include \"gen/bundle.h\"\n\n"
     "${texts}\nconst source_text ${TABLE}[] = {\n${rows}    {NULL, NULL},\n};\n")
