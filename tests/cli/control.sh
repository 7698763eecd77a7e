# Linear design from the command line: gains, weights, frequency response, reduction.
. "$(dirname "$0")/common.bash"

cat >cart.m <<'MODEL'
world.g = [0 0 -9.81];
F = input('F', 0);
body(1).m = 1.5; body(1).I = zeros(3);
body(2).m = 0.4; body(2).I = zeros(3); body(2).l_com = [0 0 0.7];
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;
joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).rot = [2 inf];
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
sensor(2).name = 'tip'; sensor(2).value = pos(body(2), [0 0 0.7]);
MODEL
expect 0 lqr cart.m
has cart.out/lqr.json
has cart.out/lqr.mat
prints 'inputs reach 4 of 4 states, outputs see 4'
json cart.out/lqr.json 'all(p[0] < 0 for p in d["controlled_poles"] + d["observer_poles"]) and d["poles"][0][0] > 4'
json cart.out/lqr.json 'd["K_residual"] < 1e-10 and len(d["K"][0]) == 4 and len(d["L"]) == 4'
echo '{"outputs": {"x": 10, "tip_x": 1}, "states": {"v": 0.1}, "inputs": {"F": 0.1}, "drift": 1e-3, "noise": 1e-4}' >w.json
expect 0 lqr cart.m --weights w.json --json
json stdout.txt 'd["controlled_poles"][0][0] < -0.5'
bad_weights() {  # text message
  printf '%s' "$1" >bad.json
  expect 4 lqr cart.m --weights bad.json
  says "$2"
}
bad_weights '{"outputs": {"y": 1}}' "the model has no 'y'"
bad_weights '{"output": 1}' "unknown member 'output'"
bad_weights '{"inputs": 0}' "the weight of 'F' must be positive, got 0"
bad_weights '{"noise": "x"}' "a number or an object is wanted for 'noise'"
bad_weights '[1]' 'not a JSON object'
bad_weights '{"states": {"q": 1e999}}' 'weights of states and the drift must be zero or positive, got inf'
bad_weights '{"drift": -1}' 'weights of states and the drift must be zero or positive, got -1'
expect 4 lqr cart.m --weights nothing.json
says "cannot read 'nothing.json'"

# a model that cannot be controlled says so
expect 0 lqr "$models/pendulum.m"
prints 'no K: the model has no inputs'
json pendulum.out/lqr.json '"K" not in d and "L" in d'

# frequency response of m x'' + c x' + k x = F at its resonance: 1/(c w)
cat >mass.m <<'MODEL'
F = input('F', 0);
body(1).m = 2; body(1).I = zeros(3);
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];
joint(1).dof(1).spring.coeff = 50; joint(1).dof(1).damp.visc = 0.4; joint(1).dof(1).input = F;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
MODEL
expect 0 bode mass.m --range 0.7957747154594768:7.957747154594768 --points 11 --json
json stdout.txt 'abs(d["db"][0][0] + 20 * __import__("math").log10(0.4 * 5)) < 1e-9 and abs(d["deg"][0][0] + 90) < 1e-9'
grep -q '^frequency_hz,x/F_db,x/F_deg$' mass.out/bode.csv || fail "bode.csv: $(head -1 mass.out/bode.csv)"
python3 -c 'import xml.dom.minidom as m; m.parse("mass.out/bode.svg")' || fail 'bode.svg is not XML'
expect 1 bode "$models/pendulum.m"
says 'needs an input and a sensor'
expect 1 bode mass.m --range 3:1
says '--range must look like'

# tasks: inputs are columns of the trajectory; a wrong model costs accuracy
cat >task.m <<'MODEL'
F = input('F', 0); m = param('m', 2);
body(1).m = m; body(1).I = zeros(3);
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;
task(1).value = dof(joint(1), 1); task(1).desired = t^2; task(1).P = 100; task(1).D = 20;
sensor(1).name = 'e'; sensor(1).value = dof(joint(1), 1) - t^2;
MODEL
expect 0 sim task.m --t-final 1 --dt-out 0.5
# behind the inputs: what the task remembers, in use or not and the integral of its error
head -1 task.out/trajectory.csv | grep -q '^t,e,q1,v1,F,memory1,memory2$' || fail "trajectory.csv: $(head -1 task.out/trajectory.csv)"
python3 - task.out/trajectory.csv 1e-9 4 <<'PYTHON' || fail 'task: error or input'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
sys.exit(not all(abs(float(r["e"])) < float(sys.argv[2]) and abs(float(r["F"]) - float(sys.argv[3])) < 1e-6 for r in rows))
PYTHON
expect 0 sim task.m --t-final 3 --assume m=2.4 --json
tail -1 task.out/trajectory.csv | awk -F, '{ exit !($2 > 1e-4 && $2 < 0.01) }' || fail "assumed mass: $(tail -1 task.out/trajectory.csv)"
expect 1 sim task.m --assume k=1
says 'no parameter of the model'

# closed loop: gains from the file, from the state and from noisy sensors with delay; the same seed, the same run
python3 - cart.m <<'PYTHON'
import sys
text = open(sys.argv[1]).read()
text += "joint(2).dof(1).init = 0.2; par.t_final = 8; par.dt_out = 0.1; par.control.rate = 100; control(1).gains = 'cart.out/lqr.json';\n"
text += "control(1).limits = [-40 40];\n"
open("balanced.m", "w").write(text)
open("lqg.m", "w").write(text + "control(1).from = 'sensors'; sensor(1).noise = 1e-3; sensor(2).noise = 1e-3; sensor(2).quantum = 1e-3;"
  "par.control.delay = 0.002; par.control.quantum = 0.01; par.seed = param('seed', 1); joint(2).dof(1).init = 0.05;\n")
PYTHON
echo '{"outputs": {"x": 1, "tip_x": 10}, "inputs": {"F": 0.1}, "drift": 1, "noise": 1e-4}' >w.json
expect 0 lqr cart.m --weights w.json --quiet
expect 0 sim balanced.m --quiet
tail -1 balanced.out/trajectory.csv | awk -F, '{ exit !($2*$2 + $3*$3 < 1e-4) }' || fail "balanced: $(tail -1 balanced.out/trajectory.csv)"
expect 0 sim lqg.m --quiet -o one
tail -1 one/trajectory.csv | awk -F, '{ exit !($2*$2 + $3*$3 < 0.01) }' || fail "lqg: $(tail -1 one/trajectory.csv)"
expect 0 sim lqg.m --quiet -o two
cmp -s one/trajectory.csv two/trajectory.csv || fail 'the same seed gave another run'
expect 0 sim lqg.m --quiet -o three --set seed=2
cmp -s one/trajectory.csv three/trajectory.csv && fail 'another seed gave the same run'
rm cart.out/lqr.json
expect 4 sim balanced.m --quiet
says "cannot read 'cart.out/lqr.json'"

# a plug-in runs only when it is allowed to
(cat cart.m; echo "joint(2).dof(1).init = 0.1; control(1).plugin = 'pd.so'; par.control.rate = 500; par.t_final = 2;") >plugged.m
cat >pd.c <<'SOURCE'
#include "tendril/control.h"
td_controller_function td_controller;
int td_controller(double t, const double* y, int ny, double* u, int nu, double* memory) {
  (void)t, (void)ny, (void)nu;
  const double lean = y[1] - y[0], rate = memory[1] > 0 ? (lean - memory[0]) * 500 : 0;
  memory[0] = lean;
  memory[1] = 1;
  u[0] = 90 * lean + 15 * rate;
  return 0;
}
SOURCE
if cc -shared -fPIC -I"$source/include" pd.c -o pd.so 2>cc.txt; then
  expect 1 sim plugged.m
  says 'runs only with --allow-plugin'
  expect 0 sim plugged.m --allow-plugin --quiet
  tail -1 plugged.out/trajectory.csv | awk -F, '{ d = $3 - $2; exit !(d*d < 1e-4) }' || fail "plugged: $(tail -1 plugged.out/trajectory.csv)"
fi
(cat cart.m; echo "control(1).plugin = 'none.so'; par.control.rate = 500;") >missing.m
mkdir missing.out && echo earlier >missing.out/trajectory.csv
expect 4 sim missing.m --allow-plugin
says 'none.so'
test "$(cat missing.out/trajectory.csv)" = earlier || fail 'a refused run overwrites earlier results'

# the models: a balanced stick, a tip on its path with the right and a wrong modulus
largest() { awk -F, -v name="$2" -v from="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
  $1 >= from { x = $c < 0 ? -$c : $c; if (x > most) most = x } END { printf "%.9f", most }' "$1"; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }' || fail "$3: $1, not below $2"; }
expect 0 sim "$models/soft_balance.m" --quiet -o balance
less "$(largest balance/trajectory.csv lean 3.5)" 0.11 'lean behind the push'
less "$(largest balance/trajectory.csv lean 7.5)" 1e-5 'lean at the end'
expect 0 sim "$models/soft_balance.m" --quiet -o falls --set gain=0 --t-final 1
less 0.5 "$(largest falls/trajectory.csv lean 0)" 'lean without control'
expect 0 sim "$models/tip_tracking.m" --quiet -o circle --t-final 4
less "$(largest circle/trajectory.csv error 1.5)" 1e-4 'error on the circle'
expect 0 sim "$models/tip_tracking.m" --quiet -o eight --t-final 4 --set path=eight --assume E=156e3
less "$(largest eight/trajectory.csv error 1.5)" 2e-4 'error on the figure of eight, wrong modulus'
expect 0 sim "$models/tip_tracking.m" --quiet -o exact --t-final 2 --set mode=dynamic
less "$(largest exact/trajectory.csv error 0)" 1e-7 'error with exact inverse dynamics'
expect 0 sim "$models/tip_tracking.m" --quiet -o wrong --t-final 2.5 --set mode=dynamic --set path=eight --assume E=156e3
less "$(largest wrong/trajectory.csv error 1.5)" 3e-4 'error with inverse dynamics of a wrong modulus'

# the cable-driven arm: both paths and modes, a modulus that is right, too large and too small
tracks() {
  bound=$1 what=$2
  shift 2
  expect 0 sim "$models/cable_tracking.m" --quiet -o cables --t-final 3.5 "$@"
  less "$(largest cables/trajectory.csv error 2)" "$bound" "error of the cable-driven arm, $what"
}
tracks 1e-3 'circle'
tracks 4e-3 'eight, wrong modulus' --set path=eight --assume E=1.2e6
tracks 1e-7 'circle, inverse dynamics' --set mode=dynamic
tracks 1e-7 'eight, inverse dynamics' --set mode=dynamic --set path=eight
tracks 2e-4 'circle, inverse dynamics of a wrong modulus' --set mode=dynamic --assume E=1.2e6
tracks 2e-4 'eight, inverse dynamics of a wrong modulus' --set mode=dynamic --set path=eight --assume E=0.8e6

# reduction
expect 0 linearize "$models/pneumatic_module.m" --reduce 3 --json
json stdout.txt 'd["nx"] == 6'
expect 1 linearize "$models/whisker.m" --reduce 3
says 'for a robot at rest'
expect 1 linearize "$models/pneumatic_module.m" --correct
says 'needs --reduce'
# a net of 361 knots: modes and response by sparse factors
net="$models/hanging_net.m --set n=19 --range 0.2:1.5 --points 10"
expect 0 bode $net --json
mv stdout.txt whole.json
expect 0 bode $net --json --reduce 20 --correct
json stdout.txt 'max(abs(a[2] - b[2]) for a, b in zip(d["db"], json.load(open("whole.json"))["db"])) < 0.1'
expect 1 linearize "$models/hanging_net.m" --set n=19
says '--reduce'
finish
