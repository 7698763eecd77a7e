# Stopping a run: SIGKILL at any time leaves complete files or none; Ctrl-C keeps what was computed, marked as partial.
. "$(dirname "$0")/common.bash"
pendulum=$models/pendulum.m
run=("$program" sim "$pendulum" --t-final 5 --dt-out 0.001 --quiet)

start=$(date +%s%N)
"${run[@]}" -o reference || fail 'reference run'
whole=$(($(date +%s%N) - start))

# equal, apart from summary.json, which holds timings
complete() {
  cmp -s "$1/trajectory.csv" reference/trajectory.csv && cmp -s "$1/trajectory.h5" reference/trajectory.h5 &&
    [ "$(tail -c 3 "$1/summary.json")" = "$(tail -c 3 reference/summary.json)" ]
}

RANDOM=1
finished=0
cp -r reference again
for try in $(seq 50); do
  out=out$try
  [ $((try % 5)) -gt 0 ] || out=again  # over existing results now and then
  "${run[@]}" -o "$out" &
  pid=$!
  sleep "$(awk -v r=$RANDOM -v w="$whole" 'BEGIN { printf "%.4f", 1.2 * r / 32768 * w / 1e9 }')"
  kill -9 $pid 2>/dev/null
  { wait $pid; } 2>/dev/null
  if [ -e "$out" ]; then
    finished=$((finished + 1))
    complete "$out" || fail "try $try left incomplete files: $(ls -A "$out")"
  fi
done
echo "$finished of 50 runs had written their files"

# what the killed ones had begun is cleared away by the next run to the same place
for out in again last; do "${run[@]}" -o $out || fail 'last run'; done
[ -z "$(find . -name '.tendril-*')" ] || fail 'staged files stay for ever'

# and so is what a compiler had put aside when it was killed together with the program
mkdir tmp
printf '#!/bin/bash\necho code >"$TMPDIR/ccleft.s"\necho $$ >"$(dirname "$0")/compiler"\nexec sleep 60\n' >slow_cc
chmod +x slow_cc
TMPDIR=$place/tmp CC=$place/slow_cc "$program" export fmu "$pendulum" -o exported >stdout.txt 2>stderr.txt &
pid=$!
for ((k = 0; k < 500; k++)); do [ -s compiler ] && break || sleep 0.02; done
kill -9 $pid "$(cat compiler)" 2>/dev/null
{ wait $pid; } 2>/dev/null
[ -n "$(find tmp -name ccleft.s)" ] || fail 'the compiler has put nothing aside'
TMPDIR=$place/tmp CC=false "$program" export fmu "$pendulum" -o exported >stdout.txt 2>stderr.txt
[ -z "$(ls -A tmp)" ] || fail "a killed compiler leaves $(ls -A tmp)"

# Ctrl-C, on a pendulum that never rests; background jobs of a script ignore SIGINT unless told otherwise
grep -v damp "$pendulum" >swing.m
set -m
"$program" sim swing.m --t-final 1e7 --dt-out 100 -o stopped >stdout.txt 2>stderr.txt &
pid=$!
sleep 1
kill -INT $pid
code=0
wait $pid || code=$?
[ "$code" = 3 ] || fail "exit code $code after Ctrl-C"
json stopped/summary.json 'd["partial"] is True and d["simulation"]["partial"] is True'
has stopped/trajectory.csv
says 'stopped'
prints 'partial'
grep -q $'\r' stderr.txt && fail 'progress although stderr is no terminal'
finish
