# Build tendril.mex: build.sh DIRECTORY_OF_LIBTENDRIL OUTPUT.  77: Octave's compiler is not here (Debian: octave-dev).
command -v mkoctfile >/dev/null || { echo 'mkoctfile is missing (Debian: octave-dev)'; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
library=$(cd "$1" && pwd)
mkdir -p "$2" && output=$(cd "$2" && pwd) && cd "$output" || exit 1
exec mkoctfile --mex -I"$here/../include" "$here/tendril.c" -L"$library" -ltendril "-Wl,-rpath,$library" -o tendril.mex
