# Shared by the scripts here.  Each gets two arguments, the program and the source directory, and works in a directory of
# its own that is removed afterwards.
program=$(realpath "$1")
source=$(realpath "$2")
models=$source/models
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
failures=0
sanitized=  # "yes" for a program with sanitizers, which takes ten times as long
nm -D "$program" 2>/dev/null | grep -q __asan_init && sanitized=yes

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect CODE ARGUMENTS...: run the program; output goes to stdout.txt and stderr.txt
expect() {
  local code=$1 got=0
  shift
  "$program" "$@" >stdout.txt 2>stderr.txt || got=$?
  [ "$got" = "$code" ] || {
    fail "exit code $got instead of $code: tendril $*"
    head -5 stderr.txt
  }
}

says() { grep -qF -- "$1" stderr.txt || fail "no '$1' on stderr: $(head -2 stderr.txt)"; }
prints() { grep -qF -- "$1" stdout.txt || fail "no '$1' on stdout"; }
has() { [ -s "$1" ] || fail "no file $1"; }
absent() { [ ! -e "$1" ] || fail "$1 should not exist"; }

# json FILE [EXPRESSION]: the file is valid JSON, and the Python expression of `d` is true
json() {
  python3 - "$1" "${2:-True}" <<'PYTHON' || fail "$1: not valid, or not ${2:-}"
import json, sys
def number(text): raise ValueError(text)
d = json.load(open(sys.argv[1]), parse_constant=number)
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
}

finish() { exit $((failures > 0)); }
