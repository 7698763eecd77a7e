# Every command that computes, stopped by SIGTERM and SIGHUP soon after its start and in the middle, and with little memory:
# it ends soon, with a message, and leaves complete files or none.
. "$(dirname "$0")/common.bash"
cat >arm.m <<'MODEL'
% a soft arm in many segments: every analysis takes a while
f = input('f', 0); load = param('load', 1);
rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).model = 'ebr'; rod(1).n = 40;
rod(1).eta = 1e3; rod(1).tr.rot = [0 1.57 0];
exload(1).exbody = rod(1); exload(1).ftau = [load f 0];
p = pos(rod(1), 1); sensor(1).name = 'x'; sensor(1).value = p(1); sensor(1).noise = 1e-3;
par.t_final = 200; par.dt_out = 0.01; par.equil = 1; par.modal = 1; par.dyn = 1;
MODEL
sed 's/n = 40/n = 4/; s/t_final = 200/t_final = 0.02/' arm.m >small.m
awk 'BEGIN { print "t,x"; for (i = 0; i < 2000; i++) print i "," 0 }' >data.csv
"$program" sim small.m -o results --quiet || fail 'results to draw'
san=
nm -D "$program" 2>/dev/null | grep -q __asan_init && san=1

commands=(
  'check MODEL'
  'equil MODEL -o OUT --times 0:0.001:20'
  'modes MODEL -o OUT'
  'run MODEL -o OUT'
  'sim MODEL -o OUT'
  'sim MODEL -o OUT --jit=wait'
  'trace MODEL -o OUT --param load=1:50'
  'linearize MODEL -o OUT'
  'lqr MODEL -o OUT'
  'bode MODEL -o OUT'
  'observe MODEL -o OUT --data data.csv'
  'eval MODEL'
  'compare MODEL -o OUT'
  'derive MODEL -o OUT'
  'export c MODEL -o OUT'
  'export fmu MODEL -o OUT'
  'view MODEL'
  'report results'
  'plot results -o plots/curve.svg'
)

# stop COMMAND SIGNAL AFTER: code of its end in `code`; a program that does not end in time is killed
stop() {
  local line=${1/MODEL/arm.m} pid k
  line=${line/OUT/out}
  rm -rf out plots
  TMPDIR=$place "$program" $line >stdout.txt 2>stderr.txt &
  pid=$!
  sleep "$3"
  kill -"$2" $pid 2>/dev/null
  for ((k = 0; k < 1000; k++)); do
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
  done
  [ $k -lt 1000 ] || { kill -9 $pid; fail "$1 goes on after SIG$2"; }
  code=0
  { wait $pid || code=$?; } 2>/dev/null
  if [ -e out ]; then
    json out/summary.json
    [ "$code" != 3 ] || grep -q '"partial":[^a-z]*true' out/summary.json || fail "$1 does not mark what it leaves after SIG$2 at $3 s"
  fi
  [ -z "$(find . -name '.tendril-*')" ] || fail "$1: staged files stay after SIG$2 at $3 s"
  [ -z "$(find . -maxdepth 1 -name 'tendril-*')" ] || fail "$1: scratch folders stay after SIG$2 at $3 s"
}
for c in "${commands[@]}"; do
  # so early that the program may not yet have begun
  stop "$c" TERM 0.03
  case $code in 0 | 3 | 143) ;; *) fail "exit code $code of $c, stopped early: $(head -2 stderr.txt)" ;; esac
  [ "$code" != 143 ] || absent out
  stop "$c" HUP 0.2
  case $code in
    0) ;;
    3) says 'stopped' ;;
    *) fail "exit code $code of $c, stopped by SIGHUP: $(head -2 stderr.txt)" ;;
  esac
done
json results/summary.json

# what a killed compilation of derived code has left is removed by the next
mkdir -p tmp/tendril-build-left/x tmp/tendril-browser-left
TMPDIR=$place/tmp "$program" sim small.m -o out --quiet --jit=wait || fail 'simulation with derived code'
[ -z "$(ls tmp | grep build)" ] || fail 'scratch folders of killed compilations stay'

# little memory (sanitizers need more than any limit)
if [ -z "$san" ]; then
  for c in "${commands[@]}"; do
    for limit in 100000 160000; do
      [ "${c%% *}" != view ] || continue  # serves until it is told to stop
      line=${c/MODEL/small.m}
      line=${line/OUT/out}
      rm -rf out plots
      (ulimit -v $limit && ulimit -t 10 && TMPDIR=$place "$program" ${line/:20/:0.01} >stdout.txt 2>stderr.txt)
      code=$?
      case $code in
        0 | 127) ;; # 127: the program itself does not fit
        1 | 2 | 3 | 4) grep -q 'memory\|cannot\|could not' stderr.txt || fail "no reason from $c with $limit kB: $(head -2 stderr.txt)" ;;
        *) fail "exit code $code of $c with $limit kB: $(head -2 stderr.txt)" ;;
      esac
      [ ! -e out ] || json out/summary.json
      [ -z "$(find . -name '.tendril-*')" ] || fail "$c: staged files stay with $limit kB"
    done
  done
fi
finish
