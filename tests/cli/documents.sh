# The Python and Octave of docs/results.md read what the program writes.  A block whose tools are not here is left out.
. "$(dirname "$0")/common.bash"
expect 0 demo pendulum --mat
expect 0 linearize "$models/pendulum.m"

# block N of a language, or nothing
block() { awk -v n="$2" -v open='```'"$1" '$0 == open { k++; on = 1; next } /^```/ { on = 0 } on && k == n' "$source/docs/results.md"; }
ran=0
for language in python octave; do
  tool=$([ $language = python ] && echo python3 || echo octave-cli)
  command -v $tool >/dev/null || continue
  for n in 1 2 3 4 5 6; do
    block $language $n >block.txt
    [ -s block.txt ] || break
    module=$(sed -n 's/^import \(numpy\|h5py\).*/\1/p' block.txt)
    [ -z "$module" ] || python3 -c "import $module" 2>/dev/null || continue
    $tool block.txt >stdout.txt 2>stderr.txt || fail "$language block $n: $(tail -2 stderr.txt)"
    [ -s stdout.txt ] || fail "$language block $n printed nothing"
    ran=$((ran + 1))
  done
done
[ $ran -ge 2 ] || fail "only $ran blocks were run"

# every column and member that the page names is there, and the other way round
for name in equilibrium modes linear summary; do
  python3 - "pendulum.out/$name.json" "$source/docs/results.md" <<'PYTHON' || fail "$name.json has members that docs/results.md does not name"
import json, re, sys
page = open(sys.argv[2]).read()
words = set(re.findall(r"\w+", page))
missing = [k for k in json.load(open(sys.argv[1])) if k not in words and k not in ("program", "about", "nx", "nu", "ny")]
if missing: print("not documented:", missing)
sys.exit(bool(missing))
PYTHON
done
# README.md: its first model prints what it says, whatever the numbers are in the last digits
mkdir first && cd first || exit 1
awk '/^```matlab/ { on = 1; next } /^```/ { exit } on' <(sed -n '/^`pendulum.m`:/,$p' "$source/README.md") >pendulum.m
expect 0 run pendulum.m
awk '/^```$/ { k++; next } k == 1' <(sed -n '/`build\/tendril run pendulum.m` prints/,$p' "$source/README.md") >readme.txt
shape() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/0/g; s/ +/ /g' "$1"; }
[ -s readme.txt ] && diff <(shape readme.txt) <(shape stdout.txt) || fail 'README.md shows another output'
grep -q "$(head -1 pendulum.out/trajectory.csv)" "$source/README.md" || fail 'README.md names other columns'

# ... and every command and result file is in it
while read -r name; do
  grep -q "tendril $name" "$source/README.md" || fail "README.md does not know $name"
done < <("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
grep -ohE '"[a-z]+\.(json|csv|h5|mat)"' "$source"/src/cli/*.c | tr -d '"' | sort -u | while read -r name; do
  grep -q "\`$name\`" "$source/README.md" || echo "$name"
done >missing.txt
[ ! -s missing.txt ] || fail "README.md does not name $(tr '\n' ' ' <missing.txt)"
cd ..
finish
