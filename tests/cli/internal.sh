# Internal states, ranges and inputs over time as the program shows and saves them.
. "$(dirname "$0")/common.bash"
cat >piston.m <<'MODEL'
% A piston on a spring, pushed by air that enters through a valve and leaks.
u = input('valve', 1, [0 1]);
k = param('k', 500, [100 1000], 'log');
body(1).m = 0.2;
joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
m = internal('air', 1.2e-4);
f = internal('heard', 0);
V = 1e-3*(0.1 + dof(joint(1), 1));
p = m*287*293/V;
dynamics(1).of = 'air'; dynamics(1).unit = 'kg';
dynamics(1).rate = 1e-9*(u*(3e5 - p) - 0.5*(p - 1e5));
dynamics(2).of = 'heard'; dynamics(2).rate = (p/1e5 - f)/0.02;
joint(1).dof(1).input = 1e-3*(p - 1e5);
joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = 5;
sensor(1).name = 'pressure'; sensor(1).value = p;
par.t_final = 0.4;
par.rtol = 1e-9; par.atol = 1e-11;
MODEL

# columns by name behind v, with their unit in the HDF5 file
expect 0 sim piston.m -o whole --mat
[ "$(head -1 whole/trajectory.csv)" = 't,pressure,q1,v1,air,heard' ] || fail "columns: $(head -1 whole/trajectory.csv)"
if python3 -c 'import h5py' 2>/dev/null; then
  python3 -c 'import h5py; f = h5py.File("whole/trajectory.h5"); assert f["air"].attrs["unit"] in ("kg", b"kg")' || fail 'unit of air'
fi
python3 - <<'PYTHON' || fail 'air is not what the pressure says'
import csv
for r in csv.DictReader(open("whole/trajectory.csv")):
    p = float(r["air"])*287*293/(1e-3*(0.1 + float(r["q1"])))
    assert abs(p/float(r["pressure"]) - 1) < 1e-12
PYTHON

# a run that goes on from its middle is the whole one, whatever file it goes on from
near() { python3 -c "import sys; sys.exit(not abs($1 - $2) < $3)" || fail "$1 is not $2 ($4)"; }
last() { tail -1 "$1/trajectory.csv" | cut -d, -f"$2"; }
expect 0 sim piston.m -o first --t-final 0.2
for file in first/trajectory.csv first/trajectory.h5 first; do
  expect 0 sim piston.m --at $file -o second
  near "$(last second 3)" "$(last whole 3)" 1e-8 "$file: q1"
  near "$(last second 5)" "$(last whole 5)" 1e-12 "$file: air"
  near "$(last second 6)" "$(last whole 6)" 1e-8 "$file: heard"
done
expect 0 eval piston.m --at first --json
json stdout.txt 'set(d["z"]) == {"air", "heard"} and len(d["zdot"]) == 2'
cp stdout.txt state.json
expect 0 sim piston.m --at state.json -o second
near "$(last second 5)" "$(last whole 5)" 1e-12 'eval --json: air'

# state files of models without the states are read, and what is absent keeps its value
echo '{"t": 0, "q": [0.01], "v": [0]}' >old.json
expect 0 eval piston.m --at old.json --json
json stdout.txt 'd["z"] == {"air": 1.2e-4, "heard": 0}'
cut -d, -f1-4 first/trajectory.csv >old.csv
expect 0 eval piston.m --at old.csv --json
json stdout.txt 'd["z"] == {"air": 1.2e-4, "heard": 0}'
echo '{"q": [0.01], "z": {"aire": 1}}' >wrong.json
expect 4 eval piston.m --at wrong.json
says "the model has no internal state 'aire'"

# at rest; the linear model and the modes have four states
expect 0 equil piston.m
json piston.out/equilibrium.json 'abs(d["sensors"]["pressure"] - 350000/1.5) < 1e-4 and d["stable"] and abs(d["z"]["heard"] - 3.5/1.5) < 1e-9'
prints 'internal state'
expect 0 sim piston.m --at piston.out -o still
near "$(last still 5)" "$(python3 -c 'import json; print(json.load(open("piston.out/equilibrium.json"))["z"]["air"])')" 1e-12 'stays'
expect 0 linearize piston.m
json piston.out/linear.json 'd["nx"] == 4 and d["internals"] == ["air", "heard"] and len(d["basis"]) == 4 and len(d["z"]) == 2'
expect 0 modes piston.m
json piston.out/modes.json 'len(d["eigenvalues"]) == 4 and any(abs(e["real"] + 50) < 1e-9 for e in d["eigenvalues"])'
expect 0 lqr piston.m
expect 0 bode piston.m

# what is not there yet says so
for verb in 'trace --param k=200:300' 'derive' 'linearize --reduce 1'; do
  set -- $verb
  name=$1 && shift
  "$program" "$name" piston.m "$@" >stdout.txt 2>stderr.txt && fail "$verb does something"
  grep -qE "internal states" stderr.txt || fail "$verb: $(head -2 stderr.txt)"
done
printf 't,pressure\n0,1e5\n0.1,1.1e5\n' >data.csv
expect 1 observe piston.m --data data.csv
says 'observe is not available for models with internal states'

# exported C agrees with the library
if command -v cc >/dev/null; then
  expect 0 export c piston.m -o c
  cc -std=c11 -O1 -w c/piston.c c/piston_check.c -lm -o check 2>/dev/null && ./check >agrees.txt || fail "exported C: $(cat agrees.txt)"
  grep -q 'internal states' agrees.txt || fail 'the exported program does not compare internal states'
fi

# ranges
expect 0 check piston.m --json
json stdout.txt 'd["ranges"] == {"k": [100, 1000], "valve": [0, 1]} and d["internals"] == ["air", "heard"]'
expect 2 equil piston.m --set k=50
says "parameter 'k' has the range [100 1000], it was to be set to 50"
says '--force-range'
expect 2 equil piston.m --set valve=2
says "input 'valve' has the range [0 1]"
expect 0 equil piston.m --set k=50 --set valve=2 --force-range
for force in '' --force-range; do
  expect 2 equil piston.m --set k=nan $force
  says "parameter 'k' is a number, it cannot be set to 'nan'"
  expect 2 equil piston.m --set valve=-NaN $force
  says "input 'valve' is a number, it cannot be set to '-NaN'"
done

# inputs over time
printf 't,valve\n0,0\n0.1,1\n0.4,0.5\n' >valve.csv
expect 0 sim piston.m --inputs valve.csv -o driven
head -1 driven/trajectory.csv | grep -q ',valve$' || fail 'inputs over time are not shown'
python3 - <<'PYTHON' || fail 'inputs over time are not those of the file'
import csv
rows = list(csv.DictReader(open("driven/trajectory.csv")))
assert all(abs(float(r["valve"]) - (10*float(r["t"]) if float(r["t"]) < 0.1 else 1 - (float(r["t"]) - 0.1)/0.6)) < 1e-12 for r in rows)
PYTHON
# the same by an expression of time
sed "s/^u = input.*/u = interp1([0 0.1 0.4], [0 1 0.5], t);/" piston.m >written.m
expect 0 sim written.m -o written
near "$(last written 5)" "$(last driven 5)" 1e-12 'inputs over time'
refused() { # LINE MESSAGE [ARGUMENTS...]: a table of inputs that is refused as a model's text is, with its place
  local text=$1 message=$2
  shift 2
  printf "$text" >bad.csv
  expect 2 sim piston.m --inputs bad.csv "$@"
  says "$message"
  [ "$(wc -l <stderr.txt)" = 1 ] || fail "one mistake, several messages: $(cat stderr.txt)"
}
refused 't,vale\n0,0\n1,1\n' "bad.csv:1: column 2: the model has no input 'vale'; did you mean 'valve'?"
refused 'time,valve\n0,0\n1,1\n' 'bad.csv:1: there is no column t'
refused 't\n0\n1\n' 'bad.csv:1: there is no column but t'
refused 't,valve\n0,0\n0.3,1\n0.2,0\n1,1\n' 'bad.csv:4: times must ascend, but t = 0.2 s follows 0.3 s'
refused 't,valve\n0,0\n0.3,1\n' 'bad.csv:3: the table ends at t = 0.3 s, but the simulation at 0.4 s'
refused 't,valve\n0.1,0\n0.4,1\n' 'bad.csv:2: the table begins at t = 0.1 s, but the simulation at 0 s'
refused 't,valve\n0,0\n0.3,\n1,1\n' 'bad.csv:3: column 2 (valve) needs a number in every row, this one has none, or nan'
refused 't,valve\n0,0\n0.3,nan\n1,1\n' 'bad.csv:3: column 2 (valve) needs a number in every row, this one has none, or nan'
refused 't,valve\n0,0\n1,1.5\n' "bad.csv:3: column 2: input 'valve' has the range [0 1], got 1.5; --force-range goes beyond it"
refused 't,valve,valve\n0,0,0\n1,1,1\n' "bad.csv:1: column 3 is called 'valve', as column 2 is"
refused 't,"valve\n0,0\n1,1\n' 'bad.csv:1: column 2: a quote is not closed'
refused 't,valve\n0,0\n0.3,"1\n1,1\n' 'bad.csv:3: column 2: a quote is not closed'
refused 't,valve\n0,0\n1,1\n' "bad.csv:1: column 2 is the input 'valve', which --set gives" --set valve=0.5
expect 4 sim piston.m --inputs none.csv
printf 't,valve\n0,0\n1,1.5\n' >wide.csv
expect 0 sim piston.m --inputs wide.csv --force-range -o wide
expect 1 sim piston.m --inputs valve.csv --inputs valve.csv
says "--inputs was given before"
# as spreadsheets write it
printf '\xef\xbb\xbf"t","valve"\r\n0,"0"\r\n0.1,1\r\n0.4,0.5\r\n' >bom.csv
expect 0 sim piston.m --inputs bom.csv -o bom
cmp -s bom/trajectory.csv driven/trajectory.csv || fail 'a table with quotes and the mark of UTF-8 is another one'
printf "control(1).inputs = 'valve'; control(1).law = 0.5;\n" | cat piston.m - >held.m
expect 2 sim held.m --inputs valve.csv
says "valve.csv:1: column 2 is the input 'valve', which a controller of the model sets"

# ranges in state files, and of parameters that change later
echo '{"u": {"valve": 2}}' >open.json
expect 4 eval piston.m --at open.json
says "input 'valve' has the range [0 1], got 2; --force-range goes beyond it"
expect 0 eval piston.m --at open.json --force-range
grep -v 'internal\|dynamics\|pressure' piston.m | sed 's/^[Vp] = .*//; s/1e-3\*(p - 1e5)/u/' >plain.m
expect 2 trace plain.m --param k=50:500
says "parameter 'k' has the range [100 1000], it was to be set to 50"
expect 2 trace plain.m --param valve=0:2
says "input 'valve' has the range [0 1], it was to be set to 2"
expect 0 trace plain.m --param valve=0:2 --force-range

# one step length belongs to the solver of equal steps
expect 1 sim piston.m --step 1e-3
says "only the solver 'fixed' takes equal steps"
expect 1 sim piston.m --solver fixed --step 1e-300
says 'equal steps of 1e-300 s for 0.4 s are 4e+299 steps, they may be 1e+09: take longer ones'

# numbers beyond what doubles hold are named, not shown as null
cat >large.m <<'MODEL'
body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
a = internal('a', 1); dynamics(1).of = 'a'; dynamics(1).rate = 1 - a^2;
b = internal('b', 1); dynamics(2).of = 'b'; dynamics(2).rate = 1 - b;
joint(1).dof(1).input = b^2; joint(1).dof(1).spring.coeff = 10;
sensor(1).name = 's'; sensor(1).value = (a + b)^3;
MODEL
echo '{"z": {"a": 1e308}}' >a.json
echo '{"z": {"b": 1e308}}' >b.json
echo '{"z": {"b": 1e150}}' >s.json
echo '{"q": [1e308]}' >q.json
for verb in eval linearize lqr; do
  expect 3 $verb large.m --at b.json
  absent large.out/linear.json
done
expect 3 eval large.m --at a.json
says 'a result is not a finite number: the rate of the internal state a is -inf'
expect 3 eval large.m --at b.json
says 'a result is not a finite number: the acceleration of joint(1).dof(1) is inf'
expect 3 eval large.m --at s.json
says 'a result is not a finite number: the sensor s is inf'
expect 3 eval large.m --at q.json
says 'joint(1).dof(1) is 1e+308 at t = 0 s'
expect 3 linearize large.m --at a.json
says 'a result is not a finite number: the rate of the internal state a is -inf'
cat >blow.m <<'MODEL'
body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
a = internal('a', 1); dynamics(1).of = 'a'; dynamics(1).rate = a^2;
joint(1).dof(1).spring.coeff = 10; joint(1).dof(1).init = 0.1; par.t_final = 2;
MODEL
expect 3 sim blow.m
says 'fastest change there: the internal state a'

# two thousand states that act on each other: seconds, not minutes, and a signal ends the search
cat >many.m <<'MODEL'
body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
n = 2000; joint(1).dof(1).spring.coeff = 10; joint(1).dof(1).damp.visc = 1;
for i = 1:n, x(i) = internal(sprintf('a%d', i), 1); end
for i = 1:n
  dynamics(i).of = sprintf('a%d', i);
  dynamics(i).rate = -x(i)*(1 + mod(i*37, 101)) + 0.3*x(mod(i, n) + 1) + 0.2*x(mod(i*i, n) + 1) + sin(x(mod(7*i, n) + 1));
end
joint(1).dof(1).input = x(1);
MODEL
sed 's/n = 2000/n = 300/' many.m >few.m
expect 0 equil few.m -o few
prints 'stable'
"$program" equil many.m -o stopped >stdout.txt 2>stderr.txt &
running=$!
sleep 2
begun=$SECONDS
kill -TERM $running 2>/dev/null
wait $running
[ $((SECONDS - begun)) -le 6 ] || fail "a signal was heard after $((SECONDS - begun)) s"
says 'stopped'

# rates that have no zero, that only fade away, or lose their slope on the way: no equilibrium
for rate in 'a^2 + 1' 'exp(a)' 'sin(1/a)' '1 + tanh(a)'; do
  cat >lost.m <<MODEL
body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
a = internal('a', 1); dynamics(1).of = 'a'; dynamics(1).rate = $rate;
joint(1).dof(1).input = a; joint(1).dof(1).spring.coeff = 10;
MODEL
  expect 3 equil lost.m -o lost
  says 'no internal states were found whose rates are zero'
done

# results that hold no internal states: a run that goes on from them says that these begin anew
printf "output = {'q', 'v'};\n" | cat piston.m - >narrow.m
expect 0 sim narrow.m -o narrow
expect 0 sim piston.m --at narrow/trajectory.csv --t-final 1 -o again
prints 'the file lacks internal states: they begin with their initial values'
finish
