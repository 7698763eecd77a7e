# libtendril.so shows the functions of the public headers and nothing else: symbols.sh PROGRAM SOURCES
library=$(dirname "$1")/libtendril.so
[ -f "$library" ] || { echo 'no shared library in this build'; exit 77; }
command -v nm >/dev/null || { echo 'nm is missing (Debian: binutils)'; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# Two functions beside these stand in the place of OpenBLAS's own, which take no lock in its serial flavour: the dynamic linker
# finds them first only if they are shown (src/math/dense.c tells why a lock around our own calls is no cure).  A name of type A is
# that of the version, not of a function.
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -vx -e blas_memory_alloc -e blas_memory_free | sort -u >"$work/shown"
# a declaration begins with TD_API; the function's name is the last word before the first parenthesis
cat "$2"/include/tendril/*.h | sed -nE '/^TD_API/ { :more; /\(/! { N; s/\n */ /; b more }; s/^TD_API [^(]*[ *](td_[a-z0-9_]*)\(.*/\1/p }' | sort -u >"$work/public"

[ "$(wc -l <"$work/public")" -ge 170 ] || { echo 'FAILED: the headers were not understood'; exit 1; }
diff "$work/public" "$work/shown" >"$work/differences" || {
  echo 'FAILED: < declared but not shown, > shown but not declared:'
  cat "$work/differences"
  exit 1
}
nm -D --defined-only "$library" | grep -q 'td_simulate@@TENDRIL_0' || { echo 'FAILED: symbols without version'; exit 1; }
echo "$(wc -l <"$work/shown") functions, all declared"
