# The verdict on a simulation: one line, summary.json, the report, and exit code 3 for wrong.
. "$(dirname "$0")/common.bash"
pendulum=$models/pendulum.m

expect 0 sim "$pendulum" -o ok --t-final 1
prints 'trust: ok'
json ok/summary.json 'd["trust"] == {"verdict": "ok", "reasons": []}'
expect 0 equil "$pendulum" -o equil
json equil/summary.json '"trust" not in d'

# a sensor without a value: to be looked at
cat >pole.m <<'END'
body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; F = param('F', 0);
exload(1).exbody = 1; exload(1).ftau = [F 0 0 0 0 0]; par.t_final = 1; par.dt_out = 0.25; par.equil = 0; par.modal = 0;
sensor(1).name = 'pole'; sensor(1).value = 1/(t - 0.5);
END
expect 0 sim pole.m -o look
prints 'trust: look: the sensor pole is infinite at t = 0.5 s'
json look/summary.json 'd["trust"]["verdict"] == "look" and len(d["trust"]["reasons"]) == 1'
grep -q '"verdict":"look"' look/report.html || fail 'the report does not have the verdict'

# too far and too fast: wrong, the results are written all the same and not partial
for command in sim run; do
  expect 3 $command pole.m -o wrong --set F=1e12
  grep -q '^trust: wrong: .*no robot goes there; the sensor pole' stdout.txt || fail "$(grep trust stdout.txt)"
  json wrong/summary.json 'd["trust"]["verdict"] == "wrong" and len(d["trust"]["reasons"]) == 2 and not d["partial"]'
  has wrong/trajectory.csv
done

# said even where nothing else is
expect 3 sim pole.m -o wrong --set F=1e12 --quiet
[ ! -s stdout.txt ] || fail 'quiet printed something'
says 'trust: wrong'
expect 3 sim pole.m -o wrong --set F=1e12 --json
says 'trust: wrong'
json stdout.txt 'd["trust"]["verdict"] == "wrong"'
finish
