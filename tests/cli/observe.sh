# Observers from the command line: an unknown force from positions; statistics; what is refused.
. "$(dirname "$0")/common.bash"

cat >mass.m <<'MODEL'
f = input('f', 0); k = param('k', 50);
body(1).m = 2; body(1).I = zeros(3);
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];
joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = 4; joint(1).dof(1).input = f;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1); sensor(1).noise = 1e-3;
MODEL
# x'' = -25 x - 2 x' + f/2 under f = 3 from t = 1 s on, with noise and gaps
python3 - <<'PYTHON'
import random
random.seed(4)
x = v = 0.0
h = 1e-3
with open("data.csv", "w") as out:
    out.write("t,x,f\n")
    for k in range(4001):
        t = k * h
        f = 3.0 if t >= 1 else 0.0
        if k % 20 == 0:
            y = "" if k % 300 == 0 else "%.6f" % (x + random.gauss(0, 1e-3))
            out.write("%.3f,%s,%g\n" % (t, y, f))
        v += h * (-25 * x - 2 * v + f / 2)
        x += h * v
PYTHON
for filter in ekf ukf; do
  expect 0 observe mass.m --data data.csv --estimate f=0.1:3 --filter $filter --json
  json stdout.txt 'd["rows"] == 201 and abs(d["unknowns"][0]["value"] - 3) < 4 * d["unknowns"][0]["sigma"]'
  json stdout.txt 'd["unknowns"][0]["R2"] > 0.75 and d["innovations"][0]["measurements"] == 187 and 0.5 < d["nis_per_number"] < 1.5'
done
head -1 mass.out/observe.csv | grep -q '^t,x,q1,v1,f_estimate,f_sigma,x_innovation,x_innovation_sigma,dq1_sigma,dv1_sigma,nis,nis_n$' ||
  fail "observe.csv: $(head -1 mass.out/observe.csv)"
expect 0 observe mass.m --data data.csv --set k=80 --estimate k=30:0 --json
json stdout.txt 'abs(d["unknowns"][0]["value"] - 50) < 3'
expect 1 observe mass.m
says 'give --data FILE'
expect 1 observe mass.m --data data.csv --estimate g=1:1
says "no input or param of that name"
expect 1 observe mass.m --data data.csv --estimate f
says 'must look like name=sigma:walk'
echo 'a,b
1,2' >bad.csv
expect 4 observe mass.m --data bad.csv
says 'at least two rows'
printf 't,z\n1,2\n2,3\n' >bad.csv
expect 4 observe mass.m --data bad.csv
says 'no column that is called like a sensor'

# the recorded appendage under load, when it is here
# mistakes in the data are named, with line and column
sed '3s/,[^,]*$/,about 2/' data.csv >bad.csv
expect 4 observe mass.m --data bad.csv
says 'bad.csv:3: column'
says "got 'about 2'"
sed '3s/,[^,]*$/,inf/' data.csv >bad.csv
expect 4 observe mass.m --data bad.csv
says "got 'inf'"
sed '3s/,[^,]*$/,NaN/; 4s/,[^,]*$/,/' data.csv >gaps.csv
expect 0 observe mass.m --data gaps.csv
expect 1 observe mass.m --data data.csv --estimate ff=1:1
says "did you mean 'f'?"
(cat mass.m; echo "sensor(2).name = 'speed'; sensor(2).value = ddof(joint(1), 1);") >two.m
sed '1s/$/,sped/; 2,$s/$/,/' data.csv >sped.csv
expect 4 observe two.m --data sped.csv
says "column 4 is called 'sped', which is no sensor or input of the model; did you mean 'speed'?"
sed '1s/$/,camera/; 2,$s/$/,/' data.csv >camera.csv
expect 0 observe two.m --data camera.csv
says 'no sensors or inputs of the model: camera'
# a parameter that makes no difference is not estimated, and that is said
(cat mass.m; echo "idle = param('idle', 1);") >idle.m
expect 0 observe idle.m --data data.csv --estimate idle=1:0
prints 'NOT estimated: it makes no difference to what was measured'
prints 'trust: look: idle is not estimated'
json idle.out/observe.json 'd["unknowns"][0]["seen"] is False'

# the verdict: data in other units, with another zero or sign, outliers, unknowns that do not fit; columns without numbers
expect 0 observe mass.m --data data.csv --estimate f=0.1:3
prints 'trust: ok'
json mass.out/observe.json 'd["trust"] == {"verdict": "ok", "reasons": []}'
for change in '*= 1000' '+= 0.3' '*= -1'; do
  awk -F, -v OFS=, "NR > 1 && \$2 != \"\" { \$2 $change } 1" data.csv >bad.csv
  expect 3 observe mass.m --data bad.csv
  prints 'trust: wrong: column 2 (x): measurements are off by'
  json mass.out/observe.json 'd["trust"]["verdict"] == "wrong"'
done
expect 3 observe mass.m --data bad.csv --quiet
says 'trust: wrong'
expect 0 observe mass.m --data bad.csv --estimate f=0.1:3
prints 'trust: look: f is further from column 3 than'
awk -F, -v OFS=, 'NR == 100 { $2 = 0.05 } 1' data.csv >bad.csv
expect 0 observe mass.m --data bad.csv
prints 'trust: look: bad.csv:100: x is 0.05, expected was 0.06'
json mass.out/observe.json 'd["trust"]["verdict"] == "look" and len(d["trust"]["reasons"]) == 1'
awk -F, -v OFS=, 'NR > 1 { $1 *= 1000 } 1' data.csv >bad.csv
expect 0 observe mass.m --data bad.csv --estimate f=0.1:3
prints 'trust: look: column 2 (x): measurements are off by 0.0'
for column in 2 3; do
  awk -F, -v OFS=, -v c=$column 'NR > 1 { $c = "NaN" } 1' data.csv >bad.csv
  expect 4 observe mass.m --data bad.csv -o nan.out
  says "bad.csv:2: column $column ("
  says 'has no number, here and in all rows below'
done
absent nan.out

# times: a gap that is absurd against the rest, times that descend or are lacking; blank lines count as lines
for time in 1e6 1e300; do
  awk -F, -v OFS=, -v t=$time 'NR > 100 { $1 = t } 1' data.csv >bad.csv
  expect 4 observe mass.m --data bad.csv -o times.out
  says "bad.csv:101: the time jumps from 1.96 to $(printf %.10g $time) s, where half of the steps are at most 0.02 s: a gap may last 40.2 s here"
done
sed '5s/^/\n/; 9s/^[^,]*/0.01/' data.csv >bad.csv
expect 4 observe mass.m --data bad.csv -o times.out
says 'bad.csv:10: times must ascend: 0.01 s follows 0.12 s'
sed '9s/^[^,]*//' data.csv >bad.csv
expect 4 observe mass.m --data bad.csv -o times.out
says 'bad.csv:9: the row has no time (column t)'
awk -F, -v OFS=, 'NR > 1 { $1 = sprintf("%.17g", 1e15 + NR) } 1' data.csv >bad.csv
expect 4 observe mass.m --data bad.csv -o times.out
says 'bad.csv:3: a step of 1 s is below the rounding of the time 1e+15 s'
printf 't,x,f\n0,0,0\n1e300,0,0\n' >bad.csv
expect 4 observe mass.m --data bad.csv -o times.out
says 'bad.csv:3: the time jumps from 0 to 1e+300 s'
absent times.out
# gaps as recordings have them are crossed: a pause of 30 s
awk -F, -v OFS=, 'NR > 101 { $1 += 30 } 1' data.csv >pause.csv
expect 0 observe mass.m --data pause.csv -o pause.out
rm -rf pause.out
# a long prediction is stopped by a signal: the rows before are kept, marked as partial
sed 's/visc = 4/visc = 0/; s/coeff = k/coeff = 1e8/' mass.m >fast.m
python3 - <<'PYTHON'
with open("long.csv", "w") as out:
    out.write("t,x\n")
    for k in range(6):
        out.write("%g,0.001\n" % (1e-3 * k if k < 3 else 1 + 2e4 * (k - 2)))
PYTHON
set -m
for signal in TERM HUP INT; do
  rm -rf long.out
  "$program" observe fast.m --data long.csv -o long.out >stdout.txt 2>stderr.txt &
  pid=$!
  sleep 0.5
  kill -$signal $pid
  code=0
  wait $pid || code=$?
  [ "$code" = 3 ] || fail "exit code $code after SIG$signal"
  says 'observe: stopped on request before row 4 of 6 (t = 20001 s)'
  json long.out/summary.json 'd["partial"] is True'
  json long.out/observe.json 'd["partial"] is True and d["rows"] == 3'
done
set +m
recording=$TENDRIL_DATA/data/stiffflop/stiffflop_load1.csv
if [ -n "$TENDRIL_DATA" ] && [ -r "$recording" ]; then
  head -700 "$recording" >load1.csv
  expect 0 observe "$models/tip_force.m" --data load1.csv --from-equilibrium --estimate fwx_N=0.2:0.2 --estimate fwy_N=0.2:0.2 --json
  json stdout.txt 'd["unknowns"][0]["R2"] > 0.4 and d["unknowns"][1]["correlation2"] > 0.3'
  python3 -c 'import json; print([(u["name"], round(u["R2"], 3), round(u["correlation2"], 3)) for u in json.load(open("stdout.txt"))["unknowns"]])'
fi
finish
