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
head -1 task.out/trajectory.csv | grep -q '^t,e,q1,v1,F$' || fail "trajectory.csv: $(head -1 task.out/trajectory.csv)"
python3 - task.out/trajectory.csv 1e-9 4 <<'PYTHON' || fail 'task: error or input'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
sys.exit(not all(abs(float(r["e"])) < float(sys.argv[2]) and abs(float(r["F"]) - float(sys.argv[3])) < 1e-6 for r in rows))
PYTHON
expect 0 sim task.m --t-final 3 --assume m=2.4 --json
tail -1 task.out/trajectory.csv | awk -F, '{ exit !($2 > 1e-4 && $2 < 0.01) }' || fail "assumed mass: $(tail -1 task.out/trajectory.csv)"
expect 1 sim task.m --assume k=1
says 'no parameter of the model'

# reduction
expect 0 linearize "$models/pneumatic_module.m" --reduce 3 --json
json stdout.txt 'd["nx"] == 6'
expect 1 linearize "$models/whisker.m" --reduce 3
says 'for a robot at rest'
finish
