# Error bars: equil and modes show them, files have them; par.accuracy and --accuracy choose rods that are not written, judge
# those that are, and turn bars off.
. "$(dirname "$0")/common.bash"

cat >rod.m <<'MODEL'
world.g = [0 0 -9.81];
rod(1).length = 0.3; rod(1).radius = 0.012; rod(1).E = 6e5; rod(1).rho = 1080; rod(1).eta = 300;
rod(1).tr.rot = [1 1.2];
n = param('n', 0);
if n > 0, rod(1).n = n; end
asked = param('asked', -1);
if asked >= 0, par.accuracy = asked; end
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));
sensor(2).name = 'bend'; sensor(2).value = strain(rod(1), 0.1);
MODEL

# bars by default, in the table and in the files
expect 0 equil rod.m -o out
prints ' ± '
json out/equilibrium.json '0 < d["errors"]["tip"][0] < 1e-3 and len(d["errors"]["bend"]) == 6'
json out/equilibrium.json 'd["errors"]["tip"][0] == d["errors"]["tip"][2] and d["trust"]["verdict"] == "ok"'
json out/summary.json 'd["accuracy"]["asked"] == 1e-3 and not d["accuracy"]["written"] and 0 < d["accuracy"]["space"] < 0.1'
json out/summary.json 'd["accuracy"]["chosen"]["rod(1)"]["order"] == [4]*6'
expect 0 modes rod.m -o out
prints '± error'
head -1 out/modes.csv | grep -q ',frequency_error$' || fail "header of modes.csv"
json out/modes.json '0 < d["modes"][0]["frequency_error"] < 0.01*d["modes"][0]["frequency_hz"]'

# the bar is right: a finer rod lies within
cp out/equilibrium.json coarse.json
expect 0 equil rod.m --set n=10 -o fine
python3 - <<'PYTHON' || fail "the error is not below the bar"
import json, math
a, b = json.load(open("coarse.json")), json.load(open("fine/equilibrium.json"))
error = math.dist(a["sensors"]["tip"], b["sensors"]["tip"])
assert error < a["errors"]["tip"][0] < 10*error, (error, a["errors"]["tip"])
PYTHON

# a default that is not met is to be looked at; a request that is not met fails
expect 0 equil rod.m --set n=2 -o out
prints 'look: the error of the rods'
expect 3 equil rod.m --set n=2 --accuracy 1e-5 -o out
says 'accuracy 1e-05 was asked for'
expect 3 equil rod.m --set n=2 --set asked=1e-5 -o out
json out/equilibrium.json 'd["converged"] and d["errors"]["tip"][0] > 1e-5*0.3'

# a request for one sensor: judged by itself, named when it is not met, also without par.accuracy
cat rod.m - >one.m <<'MODEL'
a = param('a', 0);
if a > 0, sensor(1).accuracy = a; end
b = param('b', 0);
if b > 0, sensor(2).accuracy = 0; end
MODEL
expect 3 equil one.m --set n=2 --set a=1e-5 -o out
says "accuracy 1e-05 of sensor 'tip_x' was asked for, 0.003"
expect 0 equil one.m --set n=2 --set a=1e-2 -o out
expect 3 equil one.m --set n=4 --accuracy 1e-3 -o out
says 'accuracy 0.001 was asked for'                     # of the strain
expect 0 equil one.m --set n=4 --accuracy 1e-3 --set b=1 -o out
expect 0 equil one.m --set a=1e-6 -o out
prints 'accuracy of sensors: error '
json out/summary.json 'max(d["accuracy"]["chosen"]["rod(1)"]["order"]) > 4 and max(d["equilibrium"]["errors"]["tip"]) < 1e-6*0.3'
expect 0 equil one.m --set a=1e-6 --accuracy 0 -o out   # its own request counts
expect 2 equil one.m --set a=1
says 'sensor(1).accuracy must be below 1'

# rods that are not written are chosen, and the choice can be written out
expect 0 equil rod.m --accuracy 1e-4 --write-discretisation chosen.m -o out
prints 'accuracy 0.0001: error'
json out/summary.json 'd["accuracy"]["reached"] <= 1e-4'
# it bends in a plane: order 4 is enough of shear, bend and twist out of it; frozen it gives the same numbers
json out/summary.json '[o > 4 for o in d["accuracy"]["chosen"]["rod(1)"]["order"]] == [False, True, False, True, False, False]'
grep -q '^rod(1).order = \[4 ' chosen.m || fail "chosen.m has no rod(1).order"
cat rod.m chosen.m >frozen.m
expect 0 equil frozen.m -o frozen
python3 - <<'PYTHON' || fail "the frozen choice gives other numbers"
import json
a, b = (json.load(open(f"{d}/equilibrium.json")) for d in ("out", "frozen"))
assert a["q"] == b["q"] and a["errors"] == b["errors"], (a["errors"], b["errors"])
PYTHON
expect 0 check rod.m --accuracy 1e-4
prints 'accuracy 0.0001: error'
expect 1 equil rod.m --set n=3 --accuracy 0.1 --write-discretisation chosen.m
says 'nothing was chosen'

# no bars
expect 0 equil rod.m --accuracy 0 -o off
json off/equilibrium.json '"errors" not in d'
expect 0 equil rod.m --set asked=0 -o off
json off/equilibrium.json '"errors" not in d'
expect 0 equil "$models/pendulum.m" -o off
json off/equilibrium.json '"errors" not in d'
expect 1 equil rod.m --accuracy 1
says 'must be a number from 0 to below 1'
expect 2 equil rod.m --set asked=2
says 'par.accuracy must be below 1'

# an unstable equilibrium has none, and the words say so
cat >column.m <<'MODEL'
rod(1).length = 1; rod(1).stiffness = [1e5 1e5 1e5 1 1 1]; rod(1).inertia = [1 1 1 1 1 1];
exload(1).body = at(rod(1)); exload(1).ftau = [0 0 -2.6 0 0 0];
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));
MODEL
expect 0 equil column.m --any -o out
prints 'no error bars: the equilibrium is unstable'
json out/equilibrium.json 'd["errors"]["tip"] == [None]*3 and d["trust"]["verdict"] == "look"'
expect 3 equil column.m --any --accuracy 1e-3 -o out

# motion: bars where an accuracy is asked for, under the header of the trajectory
expect 0 sim rod.m --t-final 0.1 --accuracy 0.5 --set n=4 -o moved
prints 'error bars '
python3 - <<'PYTHON' || fail "half-widths in trajectory.h5"
import csv, subprocess
last = list(csv.DictReader(open("moved/trajectory_error.csv")))[-1]
try:
    text = subprocess.run(["h5dump", "-d", "/tip_x_error", "-m", "%.17g", "moved/trajectory.h5"], capture_output=True, text=True).stdout
except FileNotFoundError:  # then the name alone
    text = None
if text is None:
    assert b"tip_x_error" in open("moved/trajectory.h5", "rb").read()
else:
    assert float(text.split("(10):")[1].split()[0].rstrip(",")) == float(last["tip_x"]) and '"m"' in text, text
PYTHON
grep -q '"bands":' moved/report.html || fail "no bands in the report"
json moved/summary.json 'd["trust"]["verdict"] == "look" and "of \x27bend_4\x27 is 1" in d["trust"]["reasons"][0] and "rod.n" in d["trust"]["reasons"][0]'
json moved/summary.json 'd["accuracy"]["chosen"]["rod(1)"]["points"] >= 5 and d["accuracy"]["chosen"]["rod(1)"]["magnus"] == 6'
cmp <(head -1 moved/trajectory.csv) <(head -1 moved/trajectory_error.csv) || fail "header of trajectory_error.csv"
json moved/summary.json '0 < d["accuracy"]["space"] <= d["accuracy"]["reached"] < 0.5 and d["accuracy"]["time"] > 0'
python3 - <<'PYTHON' || fail "bars of motion do not grow monotonically"
import csv
rows = [float(r["tip_z"]) for r in csv.DictReader(open("moved/trajectory_error.csv"))]
assert all(a <= b for a, b in zip(rows, rows[1:])) and rows[-1] > 0
PYTHON
expect 0 sim rod.m --t-final 0.1 -o plain
absent plain/trajectory_error.csv
expect 3 sim rod.m --t-final 0.1 --accuracy 1e-9 --set n=2 -o moved
says 'simulation: accuracy 1e-09 was asked for'
expect 3 sim one.m --t-final 0.1 --set a=1e-9 --set n=2 -o moved
says "accuracy 1e-09 of sensor 'tip_x' was asked for"

# motions that part: the bar grows, and the words say why
cat >parting.m <<'MODEL'
world.g = [0 0 -9.81];
body(1).m = 0.2; body(1).I = 1e-4*eye(3); body(1).l_com = [0 0 0.2];
joint(1).second = 1; joint(1).tr(1).rot = [1 inf]; joint(1).dof(1).init = 0.4;
body(2).m = 0.01; body(2).I = 1e-5*eye(3);
joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 0.3]; joint(2).tr(2).rot = [1 inf]; joint(2).dof(1).init = 0.3;
rod(1).first = 2; rod(1).length = 0.3; rod(1).radius = 0.006; rod(1).E = 3e6; rod(1).rho = 1100; rod(1).eta = 1e4;
rod(1).modes = [0 0 0 1 0 0]; rod(1).n = 3;
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));
par.t_final = 5; par.dt_out = 0.02; par.rtol = 1e-7;
MODEL
expect 3 sim parting.m --accuracy 0.1 -o parted
prints "trust: look: the error bar of 'tip_x' grows to "
prints '% of its scale: neighbouring motions part, differences grow '
json parted/summary.json 'd["trust"]["verdict"] == "look" and d["accuracy"]["reached"] > 1'

# true errors beside the bars
expect 0 compare rod.m --static --n 2,3,4,6 -o out
prints 'error bar'
json out/summary.json 'all(r["static"]["estimated"] > r["static"]["error"] for r in d["compare"]["runs"] if r["n"] <= 3 and not r["static"]["below_reference"])'
finish
