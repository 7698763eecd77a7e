# Where an analysis starts: params and inputs of --set, states of --at, the equilibrium; and what results say about it.
. "$(dirname "$0")/common.bash"
cat >mass.m <<'MODEL'
% A mass on a spring, pushed by an input and shaken by time.
u1 = input('u1', 0);
k = param('k', 100);
shape = param('shape', 'long');
shake = param('shake', 0);
body(1).m = 1;
joint(1).second = 1;
joint(1).tr(1).trans = [0 0 inf];
joint(1).dof(1).spring.coeff = k;
joint(1).dof(1).input = u1 + shake*cos(3*t);
sensor(1).name = 'height';
sensor(1).value = pos(body(1))(3);
par.t_final = 1;
MODEL

# inputs by --set: z = u1/k
expect 0 equil mass.m --set u1=5
json mass.out/equilibrium.json 'abs(d["q"][0] - 0.05) < 1e-9 and d["u"] == {"u1": 5}'
json mass.out/summary.json 'd["inputs"] == {"u1": 5} and d["parameters"]["shape"] == "long" and d["parameters"]["k"] == 100'
expect 0 trace mass.m --set u1=5 --param k=100:200 -o trace
tail -1 trace/trace.csv | python3 -c 'import sys; x = input().split(","); sys.exit(abs(float(x[-1]) - 0.025) > 1e-9)' ||
  fail "trace: $(tail -1 trace/trace.csv)"
expect 0 trace mass.m --set k=200 --param u1=0:5 -o trace
head -1 trace/trace.csv | grep -q '^point,u1,' || fail "trace.csv: $(head -1 trace/trace.csv)"
tail -1 trace/trace.csv | python3 -c 'import sys; x = input().split(","); sys.exit(abs(float(x[-1]) - 0.025) > 1e-9)' ||
  fail "trace of an input: $(tail -1 trace/trace.csv)"
expect 1 trace mass.m --param u2=0:5
says "no parameter or input 'u2'; did you mean 'u1'?"
expect 2 equil mass.m --set u2=5
says "the model has no param or input 'u2'"
says "did you mean 'u1'?"
says 'params and inputs: k shape shake u1'
expect 2 equil mass.m --set u1=high
says "input 'u1' is a number"

# sensors stand before coordinates; time is told where it matters
expect 0 equil mass.m --set u1=5 --set shake=1
prints 'the model depends on time; this is for t = 0 s'
[ "$(grep -nE '^  height|^  q1' stdout.txt | head -1 | grep -c height)" = 1 ] || fail 'sensors come first'

# a simulation that starts at rest stays there
near() { python3 -c "import sys; sys.exit(not abs($1 - $2) < $3)" || fail "$1 is not $2"; }
last() { tail -1 "$1/trajectory.csv" | cut -d, -f"$2"; } # t, height, q1, v1
expect 0 equil mass.m --set u1=5 -o rest
for at in rest rest/equilibrium.json; do
  expect 0 sim mass.m --at "$at" -o still
  prints 'started from: rest/equilibrium.json'
  near "$(last still 3)" 0.05 1e-9
done
expect 0 sim mass.m --from-equilibrium --set u1=5 -o still
prints 'started from: equilibrium'
has still/equilibrium.json
near "$(last still 3)" 0.05 1e-9
expect 0 sim mass.m --at rest --set u1=0 -o swing # --set wins over the file
near "$(last swing 3)" '0.05*__import__("math").cos(10)' 1e-6

# two halves of a run are the whole
expect 0 sim mass.m --set u1=5 -o whole
expect 0 sim mass.m --set u1=5 -o half --t-final 0.5
for at in half half/trajectory.h5 half/trajectory.csv; do
  expect 0 sim mass.m --set u1=5 --at "$at" -o rest_of_it
  prints ', t = 0.5 s'
  near "$(last rest_of_it 3)" "$(last whole 3)" 1e-6
done
expect 0 sim mass.m --set u1=5 --at whole/trajectory.csv --time 0.501 -o rest_of_it
prints 'whole/trajectory.csv, t = 0.5 s'
near "$(last rest_of_it 3)" "$(last whole 3)" 1e-6
expect 0 eval mass.m --at whole --time 0.25 --json
cp stdout.txt state.json
json state.json 'd["t"] == 0.25 and abs(d["q"][0] - 0.05*(1 - __import__("math").cos(2.5))) < 1e-6'
expect 0 linearize mass.m --at state.json # what eval printed is a state too
json mass.out/linear.json 'd["t"] == 0.25'

# what cannot be read is told
expect 4 sim mass.m --at nowhere
says "cannot read 'nowhere'"
expect 4 sim mass.m --at whole --time 7
says 'has rows from t = 0 s to 1 s, none at 7 s'
expect 1 sim mass.m --at whole --t-final 1
says 'give a later --t-final'
expect 1 sim mass.m --time 1
says '--time needs --at'
expect 1 eval mass.m --at rest/equilibrium.json --time 1
says 'holds one state'
expect 1 sim mass.m --at rest --from-equilibrium
mkdir empty
expect 4 eval mass.m --at empty
says 'has no equilibrium.json and no trajectory'
printf 't,q1\n0,1\n' >some.csv
expect 4 eval mass.m --at some.csv
says 'has no column v1'
printf 't,q1,v1\n0,1,2\n1,x,2\n' >some.csv
expect 4 eval mass.m --at some.csv
says 'line 3 is not a row'
printf 't,q1,v1\n0,nan,2\n' >some.csv
expect 4 eval mass.m --at some.csv
says 'q1 is not a finite number'
echo rubbish >some.h5
expect 4 eval mass.m --at some.h5
says 'not an HDF5 file'
# an object header whose size was damaged: HDF5 prints nothing of its own, now or at exit
expect 0 sim mass.m --t-final 0.1 --no-report -o damaged
printf '\001' | dd of=damaged/trajectory.h5 bs=1 seek=$((0x85)) conv=notrunc 2>/dev/null
# HDF5 asks for as much memory as the file says and leaks when it is refused
ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 expect 4 eval mass.m --at damaged/trajectory.h5
says 'not an HDF5 file'
if grep -q HDF5: stderr.txt; then fail "HDF5 prints: $(tail -2 stderr.txt | cut -c1-80)"; fi
echo '{"converged": false, "q": [0]}' >lost.json
expect 4 eval mass.m --at lost.json
says 'was not found'

# commands keep each other's summaries
expect 0 modes mass.m -o all
expect 0 sim mass.m -o all
expect 0 equil mass.m -o all
expect 0 sim mass.m -o all --t-final 0.5
json all/summary.json 'sorted(d["earlier"]) == ["equil", "modes"] and d["simulation"]["t_end"] == 0.5'
json all/summary.json 'd["earlier"]["equil"]["equilibrium"]["stable"] and "earlier" not in d["earlier"]["equil"]'

# -n is for the eyes
expect 0 modes "$models/four_bar.m" -n 1 -o modes
[ "$(wc -l <modes/modes.csv)" = 4 ] || fail 'modes.csv was cut'
prints '2 more in modes.csv'

# closed loops and their rows
expect 0 eval "$source/tests/bad/model_loop_moved.m"
says 'closing the loops moves joint(2).dof(1) from -0.6 to'
prints '.t1 .t2 .t3: the ends stay together'

# why there is no equilibrium
printf 'body(1).m = 2; joint(1).second = 1; joint(1).type = %cfree%c; world.g = [0 0 -10];\n' "'" "'" >falls.m
expect 3 equil falls.m
says 'no restoring force along joint(1).dof(3): nothing balances 20 N there'
json falls.out/equilibrium.json 'd["converged"] is False and "dof(3)" in d["note"]'
cat >cart.m <<'MODEL'
body(1).m = 1; body(2).m = 1; body(2).l_com = [0 0 -0.5];
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = 2;
joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).rot = [2 inf];
world.g = [0 0 -9.81];
MODEL
expect 3 equil cart.m
says 'no restoring force along joint(1).dof(1): nothing balances 2 N there'

# a spring 10 x against a force F exp(x) carries no more than F = 10/e = 3.679, at x = 1: the share of
# the load is found to its last step, 1e-5
cat >limit.m <<'MODEL'
F = param('F', 5); world.g = [0 0 0];
body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];
joint(1).dof(1).spring.coeff = 10; joint(1).dof(1).input = F*exp(dof(joint(1), 1));
MODEL
expect 0 equil limit.m --set F=3.6
expect 3 equil limit.m
says 'limit point: as the loads grow the stiffness vanishes at 0.7357 of them'
says 'with `trace` along a parameter'
json limit.out/equilibrium.json 'd["converged"] is False and "limit point" in d["note"]'

# forces and multipliers are outputs like others; those that dependent constraints leave open are named
cat >held.m <<'MODEL'
% A mass on a spring, held in x once, or twice by the same constraint.
twice = param('twice', 0);
body(1).m = 1; body(1).I = eye(3);
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf];
joint(1).dof(2).spring.coeff = 10;
joint(2).second = 1; joint(2).fixed = [1 0 0];
if twice, joint(3).second = 1; joint(3).fixed = [1 0 0]; end
u = input('u', 0);
exload(1).exbody = 1; exload(1).ftau = [u 0 0];
sensor(1).name = 'l'; sensor(1).value = lambda(joint(2))(1);
sensor(2).name = 'z'; sensor(2).value = pos(body(1))(3);
sensor(3).name = 'f'; sensor(3).value = force(joint(1))(3);
MODEL
expect 0 linearize held.m # u is borne by the constraint, the spring by the acceleration
json held.out/linear.json 'd["outputs"] == ["l", "z", "f"] and d["D"] == [[-1], [0], [0]] and d["note"] == ""'
json held.out/linear.json 'd["C"] == [[0, 0], [1, 0], [-10, 0]]'
expect 0 linearize held.m --set twice=1
prints 'left out, since dependent constraints do not determine them: l, f'
json held.out/linear.json 'd["outputs"] == ["z"] and d["ny"] == 1 and len(d["C"]) == 1'

# titles of demos are whole sentences
expect 0 demo
tr -s ' \n' ' ' <stdout.txt | grep -q 'with a force sensor at its tip, as printed in Tables 3 and 4 of the TMTDyn paper, with the' ||
  fail 'a title is cut'

# coordinates of a large network are matrices in the HDF5 file, and a state like any other
cat >net.m <<'MODEL'
mesh.grid = [42 42];
mesh.body.m = 1e-3;
mesh.joint(2).spring.coeff = 10;
par.dt_out = 1e-4;
MODEL
expect 0 sim net.m --t-final 2e-4 --no-report
expect 0 sim net.m --at net.out/trajectory.h5 --time 1e-4 --t-final 2e-4 --no-report -o again
python3 - <<'PYTHON' || fail 'the second half of a run is not that of the whole'
rows = [open(d + '/trajectory.csv').read().split() for d in ('net.out', 'again')]
last = [[float(x) for x in r[-1].split(',')] for r in rows]
assert len(last[0]) > 10000 and len(rows[0]) == 4 and len(rows[1]) == 3
assert max(abs(a - b) for a, b in zip(*last)) < 1e-6
PYTHON

# a run continued from its middle goes on with what its controllers remember
cat >sampled.m <<'MODEL'
F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
joint(1).dof(1).init = 0.2; joint(1).dof(1).input = F + 0.5;
if param('law', 1), control(1).inputs = 'F'; control(1).law = -50*dof(joint(1), 1) - 5*ddof(joint(1), 1);
else, task(1).value = pos(body(1))(1); task(1).desired = 0.1; task(1).P = 50; task(1).D = 8; task(1).I = 60; end
sensor(1).name = 'F'; sensor(1).value = F; par.control.rate = 30; par.control.delay = 0.05;
par.t_final = 1; par.dt_out = 0.02; par.rtol = 1e-9; par.atol = 1e-11;
MODEL
for law in 0 1; do
  expect 0 sim sampled.m --no-report --set law=$law -o whole
  for file in csv h5; do
    expect 0 sim sampled.m --no-report --set law=$law --at whole/trajectory.$file --time 0.5 -o rest
    python3 - <<'PYTHON' || fail "the second half of a controlled run is not that of the whole ($law, $file)"
import csv
whole, rest = [list(csv.DictReader(open(d + '/trajectory.csv'))) for d in ('whole', 'rest')]
assert len(whole) == 51 and len(rest) == 26
for a, b in zip(whole[25:], rest):
    for k in ('q1', 'v1', 'F', 'F_input'):
        assert abs(float(a[k]) - float(b[k])) < 1e-7, (k, a[k], b[k])
PYTHON
  done
done
# files from before say so
cut -d, -f1-4 whole/trajectory.csv >old.csv
expect 0 sim sampled.m --no-report --at old.csv --time 0.5 -o rest
prints 'the file has no memory of controllers: they start anew'
finish
