# Wrong use: exit code 1, a clear message, a suggestion, nothing written.
. "$(dirname "$0")/common.bash"
pendulum=$models/pendulum.m

expect 1
says 'usage: tendril COMMAND'
expect 0 help
prints 'linearize'
expect 0 --help
expect 0 help sim
prints '--t-final'
expect 0 sim --help
expect 0 --version
expect 0 doctor
prints 'SUNDIALS'

expect 1 simm "$pendulum"
says "did you mean 'sim'?"
expect 1 sim "$pendulum" --t-finla 3
says "did you mean '--t-final'?"
expect 1 sim
says 'which model?'
expect 1 report
says 'which results?'
expect 1 sim "$pendulum" other.m
says 'too many'
expect 1 modes "$pendulum" --rtol 1e-3
says 'does not take --rtol'
expect 1 sim "$pendulum" --rtol
says 'needs a value'
for value in 0 -1 nan inf 1e999 x 1x ''; do
  expect 1 sim "$pendulum" --rtol "$value"
  says '--rtol must be a positive number'
done
expect 1 sim "$pendulum" --quiet=yes
expect 1 sim "$pendulum" --solver magic
says "one of auto, explicit, stiff, leapfrog"
expect 1 modes "$pendulum" -n 0
expect 1 modes "$pendulum" -n 2.5
for value in m =1 m= ''; do expect 1 sim "$pendulum" --set "$value"; done
expect 1 trace "$pendulum"
for value in m=1 m=1:1 m=1: =1:2 m=a:b m=1:2:3 m=nan:1; do expect 1 trace "$pendulum" --param "$value"; done
expect 1 trace "$pendulum" --param mm=1:2
says "did you mean 'm'?"
expect 1 demo four_baar
says "did you mean 'four_bar'?"

expect 2 check "$pendulum" --set nonsense=3
says 'nonsense'
expect 4 check missing.m
says 'missing.m'
expect 4 check .
expect 4 check /dev/null/x.m

rm -f stdout.txt stderr.txt
[ -z "$(ls -A)" ] || fail "something was written: $(ls -A)"
finish
