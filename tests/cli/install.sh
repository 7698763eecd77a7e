# An installed library is found by pkg-config, and the command at the head of the example builds it.
. "$(dirname "$0")/common.bash"
build=$(dirname "$program")
if grep -qE '^TENDRIL_(SANITIZE|FUZZ):BOOL=ON' "$build/CMakeCache.txt"; then
  echo 'skipped: the library is built with sanitizers'
  exit 0
fi
cmake --install "$build" --prefix "$place/usr" >install.txt 2>&1 || fail "install: $(tail -3 install.txt)"
for name in bin/tendril lib/libtendril.a lib/pkgconfig/tendril.pc include/tendril/tendril.h include/tendril/tools.h; do
  has "usr/$name"
done
usr/bin/tendril --version >/dev/null || fail 'the installed program does not start'

cp "$source/examples/quickstart.c" .
command=$(sed -n 's|^// *\(cc .*\)|\1|p' quickstart.c)
[ -n "$command" ] || fail 'the example does not say how it is built'
export PKG_CONFIG_PATH=$place/usr/lib/pkgconfig
bash -c "$command" >stdout.txt 2>stderr.txt || fail "$command: $(head -3 stderr.txt)"
[ -s stdout.txt ] || fail 'the example printed nothing'
finish
