# Writes a C file with the text of each model in MODELS (separated by |), sorted by name, as a table:
#   cmake -DMODELS="models/a.m|models/b.m" -DTABLE=demo_table -DOUTPUT=demos.c -P tools/embed.cmake
# Bytes, not string literals: C compilers promise only 4095 characters in one.
string(REPLACE "|" ";" models "${MODELS}")
list(SORT models)
set(texts "")
set(rows "")
foreach(model ${models})
  get_filename_component(name ${model} NAME_WE)
  file(READ ${model} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND texts "static const unsigned char ${name}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", (const char*)${name}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by tools/embed.cmake.\n#include \"cli/demos.h\"\n\n#include <stddef.h>\n\n"
     "${texts}\nconst demo ${TABLE}[] = {\n${rows}    {NULL, NULL},\n};\n")
