# --json: one valid object on the standard output and nothing else; eval as the contract says; state files.
. "$(dirname "$0")/common.bash"
pendulum=$models/pendulum.m

for command in check equil modes linearize eval; do
  expect 0 "$command" "$pendulum" --json
  json stdout.txt
done
for command in run sim; do
  expect 0 "$command" "$pendulum" --json --t-final 0.1
  json stdout.txt 'd["sizes"]["nv"] == 1'
done
expect 0 trace "$pendulum" --param m=1:2 --json
json stdout.txt 'd["complete"]'
expect 0 doctor --json
json stdout.txt '"HDF5" in d["parts"]'
expect 0 demo --json
json stdout.txt '"four_bar" in d'
expect 0 check "$models/four_bar.m" --json
json stdout.txt 'd["dof"] == 3 and len(d["q"]) == 5 and d["v"][3]["joint"] == "upper_hinge" and d["v"][3]["dof"] == 1'

# numbers JSON has no word for do not appear
printf 'disp(1/0)\ninclude("%s")\n' "$pendulum" >loud.m
expect 0 eval loud.m --json --allow-read
json stdout.txt

# eval: M v' + h = tau + Jc' lambda
expect 0 eval "$models/four_bar.m" --json
json stdout.txt 'set("nq nv q v M h tau vdot lambda Jc dFdq dFdv energy stations".split()) <= set(d)'
json stdout.txt 'all(abs(sum(a * b for a, b in zip(row, d["vdot"])) + h - t -
  sum(J[i] * l for J, l in zip(d["Jc"], d["lambda"]))) < 1e-9
  for i, (row, h, t) in enumerate(zip(d["M"], d["h"], d["tau"])))'
json stdout.txt 'len(d["stations"][0]["pose"]) == 4 and len(d["stations"][0]["twist"]) == 6'

# a state from a file; what is absent keeps its initial value
cat >driven.m <<'MODEL'
world.g = [0 0 -9.81];
u1 = input('u1', 0);
body(1).m = 2;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
joint(1).dof(1).init = 0.3;
joint(1).dof(1).input = u1;
MODEL
echo '{"t": 1, "q": [0.5], "v": [-1e-3], "u": {"u1": 4}}' >state.json
expect 0 eval driven.m --at state.json --json
json stdout.txt 'd["t"] == 1 and d["q"] == [0.5] and d["v"] == [-1e-3] and d["tau"] == [4] and d["vdot"] == [4]'
echo '{}' >state.json
expect 0 eval driven.m --at state.json --json
json stdout.txt 'd["t"] == 0 and d["q"] == [0.3] and d["tau"] == [0]'

bad_state() {  # text message
  printf '%s' "$1" >bad.json
  expect 4 eval driven.m --at bad.json --json
  says "bad.json: $2"
  [ ! -s stdout.txt ] || fail "output for a bad state: $1"
}
bad_state '{"q": [1, 2]}' "'q' must have 1 element, found 2"
bad_state '{"v": []}' "'v' must have 1 element, found 0"
bad_state '{"q": 1}' "'q' must be an array of 1 numbers, found a number"
bad_state '{"q": ["1"]}' 'q[0] must be a number, found a string'
bad_state '{"q": [null]}' 'q[0] must be a number, found null'
bad_state '{"q": [1e999]}' 'q[0] must be finite'
bad_state '{"q": [NaN]}' 'line 1, column 8: not valid JSON'
bad_state '{"t": true}' 't must be a number, found a logical'
bad_state '{"u": {"u2": 1}}' "the model has no input 'u2'"
bad_state '{"u": [1]}' "'u' must be an object"
bad_state '{"u": {"u1": "x"}}' 'u.u1 must be a number'
bad_state '{"u": {"u1": 1, "u1": 2}}' "input 'u1' is given twice"
bad_state '{"x": 1}' "unknown member 'x'"
bad_state '{"q": [1], "q": [2]}' "'q' is given twice"
bad_state '[1]' 'a state is an object'
bad_state '{} {}' 'line 1, column 4: not valid JSON'
bad_state '' 'line 1, column 1: not valid JSON'
bad_state "$(printf '[%.0s' $(seq 5000))" 'line 1'
expect 4 eval driven.m --at missing.json
says "cannot read 'missing.json'"
expect 4 eval driven.m --at .
finish
