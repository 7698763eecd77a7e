# Results: which files, what is in them, the same bytes twice, and nothing when something is wrong.
. "$(dirname "$0")/common.bash"
pendulum=$models/pendulum.m

expect 0 demo
prints four_bar
expect 0 demo four_bar --t-final 1
for name in four_bar.m summary.json equilibrium.json modes.csv trajectory.csv trajectory.h5; do has "four_bar.out/$name"; done
absent four_bar.out/trajectory.mat
prints 'Equilibrium'
prints 'Modes'
prints 'energy'
prints 'Files in four_bar.out'
[ "$(head -1 four_bar.out/trajectory.csv)" = 't,tip_x,tip_y,tip_z,spring,energy,q1,q2,q3,q4,q5,v1,v2,v3,v4,v5' ] ||
  fail "columns: $(head -1 four_bar.out/trajectory.csv)"
[ "$(head -1 four_bar.out/modes.csv)" = 'mode,frequency_hz,damping_ratio,real,imag' ] || fail 'modes.csv'
[ "$(wc -l <four_bar.out/modes.csv)" = 4 ] || fail 'three modes expected'
json four_bar.out/summary.json 'd["sizes"]["bodies"] == 5 and d["partial"] is False and d["statistics"]["steps"] > 0'
json four_bar.out/summary.json 'set("load compile equil modes simulate write".split()) <= set(d["timings"])'
json four_bar.out/summary.json 'abs(d["energy"]["error"]) < 1e-5'
json four_bar.out/equilibrium.json 'd["converged"] and d["stable"] and len(d["q"]) == 5 and len(d["lambda"]) == 2'
json four_bar.out/equilibrium.json 'len(d["sensors"]["tip"]) == 3 and "gravity" in d["energy"]'

# one command each
expect 0 equil "$pendulum" -o equil
has equil/equilibrium.json
has equil/summary.json
absent equil/trajectory.csv
expect 0 modes "$pendulum" -o deep/modes -n 1
has deep/modes/modes.csv
# free motion is no growth, whatever rounding makes of its zeros; a damper that drives it is, and it says so at rest
printf '%s\n' "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free'; rod(1).first = 1;" \
  "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = 10; rod(1).model = 'eba'; rod(1).n = 3;" \
  "rod(1).tr.rot = [0.3 1 2 3];" >adrift.m
expect 0 modes adrift.m -o adrift -n 8
prints neutral
if grep -q 'unstable' stdout.txt; then fail "free motion is called unstable: $(grep unstable stdout.txt)"; fi
printf '%s\n' "body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf inf 0]; joint(1).dof(1).damp.visc = -0.1;" \
  "joint(1).dof(2).damp.visc = -param('c', 0.2); joint(1).dof(2).spring.coeff = 1;" >driven.m
expect 0 modes driven.m -o driven
prints 'unstable (flutter)'
prints 'a damper with a negative coefficient drives the motion'
[ "$(grep -c '  unstable$' stdout.txt)" = 2 ] || fail "two modes grow: $(grep -A3 eigenvalue stdout.txt)"
json driven/equilibrium.json 'd["stable"] is False and abs(d["critical"] - 0.1) < 1e-12'
expect 0 equil driven.m -o driven --set c=-1
prints 'unstable (divergence)'
expect 0 sim "$pendulum" -o sim --t-final 0.5 --dt-out 0.1 --mat --solver explicit
has sim/trajectory.mat
[ "$(wc -l <sim/trajectory.csv)" = 7 ] || fail "rows: $(wc -l <sim/trajectory.csv)"
expect 0 sim "$pendulum" -o stiff --t-final 0.5 --dt-out 0.1 --solver stiff --rtol 1e-6 --atol 1e-8 --halve
json stiff/summary.json 'd["simulation"]["solver"] == "stiff" and d["simulation"]["time_error"] < 1e-3'
expect 0 linearize "$pendulum" -o linear
has linear/linear.mat
json linear/linear.json 'd["nx"] == 2 and len(d["A"]) == 2 and len(d["C"]) == 3'
expect 0 trace "$pendulum" --param m=1:2 -o trace
has trace/trace.csv
head -1 trace/trace.csv | grep -q '^point,m,kind,stability,tip_x' || fail "trace.csv: $(head -1 trace/trace.csv)"
expect 0 sim "$pendulum" -o heavy --t-final 0.1 --set m=3
json heavy/summary.json 'd["parameters"]["m"] == 3 and "--set m=3" in d["command"]'

# the model chooses its columns
(cat "$pendulum"; echo "output = {'tip', 'v'};") >chosen.m
expect 0 sim chosen.m --t-final 0.1
[ "$(head -1 chosen.out/trajectory.csv)" = t,tip_x,tip_y,tip_z,v1 ] || fail "$(head -1 chosen.out/trajectory.csv)"

# quiet means quiet
expect 0 sim "$pendulum" -o quiet --t-final 0.1 --quiet
[ ! -s stdout.txt ] && [ ! -s stderr.txt ] || fail 'quiet printed something'

# the same bytes twice
for k in 1 2; do
  expect 0 demo four_bar --t-final 1 --mat -o "same$k"
done
for name in equilibrium.json modes.csv modes.json trajectory.csv trajectory.h5 trajectory.mat; do
  cmp -s "same1/$name" "same2/$name" || fail "$name differs between two runs"
done
strip() { sed -e '/"timings"/,/}/d' -e '/"command"/d' "$1/summary.json"; }
[ "$(strip same1)" = "$(strip same2)" ] || fail 'summary.json differs beyond its timings'

# places that cannot be written: found before the computation
echo text >plain
for dir in plain plain/out; do
  expect 4 sim "$pendulum" -o "$dir" --t-final 1e9
  says "cannot write '$dir'"
done
[ "$(cat plain)" = text ] || fail 'plain was touched'

# a full disk is reported and the old results stay
cp -r sim before
if (ulimit -f 1 && exec "$program" sim "$pendulum" -o sim --t-final 10 --dt-out 0.001 >stdout.txt 2>stderr.txt); then
  fail 'a file that does not fit was not noticed'
fi
diff -r sim before >/dev/null || fail 'old results were damaged'

# nothing is written when the model has errors
mkdir bad && cd bad || exit 1
printf 'body(1).m = 1;\njoint(1).sprng.coeff = 4;\n' >arm.m
for command in check run equil modes sim eval linearize; do
  expect 2 "$command" arm.m
  says "arm.m:2:10: error: unknown field 'sprng' of joint"
done
expect 2 run arm.m --json
json stdout.txt 'd["errors"][0]["line"] == 2'
rm -f stdout.txt stderr.txt
[ "$(ls -A)" = arm.m ] || fail "written for a model with errors: $(ls -A)"
cd ..

# the reader of the table goes away: the files are there all the same
"$program" demo pendulum -o pipe --t-final 1 2>/dev/null | true
has pipe/summary.json
finish
