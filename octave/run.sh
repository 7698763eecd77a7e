# Build tendril.mex and test it: run.sh LIBRARY SOURCE PLACE.  77: Octave is not here.
command -v octave-cli >/dev/null || { echo 'octave-cli is missing (Debian: octave-dev)'; exit 77; }
bash "$2/octave/build.sh" "$(dirname "$1")" "$3" || exit
octave-cli -q -p "$3" "$2/octave/test_tendril.m" "$2/models"
