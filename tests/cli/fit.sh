# Identification from the command line: a spring and a damper from recordings, statics and motion; what is refused.
. "$(dirname "$0")/common.bash"

cat >mass.m <<'MODEL'
% a mass on a spring
k = param('k', 80, [1 1000], 'log');         % [N/m]
c = param('c', 1,  [0 50]);                  % [N s/m]
m = param('m', 2,  [0.1 20]);
free = param('free', 1);                     % nothing depends on it
kind = param('kind', 'static'); file = param('file', 'rest.csv'); column = param('column', 'x_m');
n = param('n', 1);
F = input('F', 0);
for i = 1:n, body(i).m = m; end
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];
joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = c; joint(1).dof(1).input = F;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
fit(1).data = file; fit(1).kind = kind; fit(1).name = 'first';
fit(1).input = {'F', 'F_N'};
fit(1).sensor = {'x', column};
par.rtol = 1e-8;
MODEL
python3 - <<'PYTHON'
import math, random
random.seed(3)
with open("rest.csv", "w") as out:
    out.write("note,F_N,x_m\n")
    for i in range(12):
        out.write("row %d,%g,%.6f\n" % (i, i - 4, (i - 4) / 50 + random.gauss(0, 1e-3)))
# 2 x'' + 4 x' + 50 x = 3 from rest
with open("motion.csv", "w") as out:
    out.write("t,F_N,x_m\n")
    d, w = 1.0, math.sqrt(24)
    for i in range(101):
        t = 0.02 * i
        x = 3 / 50 * (1 - math.exp(-d * t) * (math.cos(w * t) + d / w * math.sin(w * t)))
        out.write("%.2f,3,%.6f\n" % (t, x + random.gauss(0, 2e-4)))
PYTHON

# statics: k from forces and displacements, the closed form of least squares
expect 0 fit mass.m --by k --json
json stdout.txt 'abs(d["parameters"]["k"]["value"] - 50) < 1 and d["parameters"]["k"]["low"] < 50 < d["parameters"]["k"]["high"]'
json mass.out/fit.json 'd["dof"] == 11 and d["residuals"] == 12 and d["converged"] and abs(d["rms_by_sensor"]["x"] - d["rms"]) < 1e-12 and d["rms_unit"] == "m"'
python3 - <<'PYTHON' || fail 'not the least-squares solution'
import csv, json, math
rows = list(csv.DictReader(open("rest.csv")))
F, x = [float(r["F_N"]) for r in rows], [float(r["x_m"]) for r in rows]
soft = sum(a * b for a, b in zip(F, x)) / sum(a * a for a in F)  # x = F/k: linear in 1/k
p = json.load(open("mass.out/fit.json"))["parameters"]["k"]
s = math.sqrt(sum((b - soft * a) ** 2 for a, b in zip(F, x)) / 11)
deviation = s / math.sqrt(sum(a * a for a in F)) / soft ** 2
assert abs(p["value"] * soft - 1) < 1e-7, p
assert abs(p["deviation"] / deviation - 1) < 1e-5, (p, deviation)
assert abs(math.log(p["high"] / p["value"]) / (2.200985 * deviation * soft) - 1) < 1e-4  # Student, 11
PYTHON
has mass.out/report.html
grep -q "param('k', 4[89]\.\|param('k', 5[01]\." mass.out/mass_fit.m || fail "mass_fit.m: $(grep "'k'" mass.out/mass_fit.m)"
diff <(grep -v "^k =" mass.m) <(grep -v "^k =" mass.out/mass_fit.m) >/dev/null || fail 'mass_fit.m changes more than k'
[ "$(wc -l <mass.out/fit.csv)" = 13 ] && head -1 mass.out/fit.csv | grep -q '^recording,row,t,sensor,data,model,error,weighted$' ||
  fail "fit.csv: $(head -1 mass.out/fit.csv)"
expect 0 fit mass.m --by k
prints '95 % interval'

# a motion: three parameters, of which forces tell all; several starts end in one place
sed "s/par.rtol/fit(1).start = 'initial'; par.rtol/" mass.m >moving.m
expect 0 fit moving.m --by k,c,m --set kind=motion --set file=motion.csv --start 3 --json
json stdout.txt 'all(abs(d["parameters"][n]["value"] - x) < 4 * d["parameters"][n]["deviation"] and d["parameters"][n]["deviation"] < 0.05 * x for n, x in (("k", 50), ("c", 4), ("m", 2)))'
json stdout.txt 'd["starts"] == 3 and d["best_starts"] >= 2 and d["unseen"] == []'
expect 0 fit moving.m --by k --set kind=motion --set file=motion.csv --set m=2 --json
json stdout.txt 'd["further"][0]["name"] == "c" and d["further"][0]["bic_change"] < -10'

# what a recording cannot see: in statics neither damping nor mass
expect 2 fit mass.m --by k,c
says "the param 'c' has no influence"
expect 2 fit mass.m --by free
says "the param 'free' has no influence"
expect 2 fit mass.m --by kk
says "did you mean 'k'?"
expect 2 fit mass.m --by F
says 'this is an input'
expect 2 fit mass.m --by n
says 'used while loading'
expect 2 fit mass.m --by file
says 'is a text'
expect 1 fit mass.m
says 'which params?'
expect 2 fit mass.m --by k,k
says 'twice'
expect 2 fit mass.m --by k --on second
says "no recording of that name"
expect 1 fit mass.m --by k --leave-out often
says 'must be 1 or recording'

# data: columns, files, times, words, too few
expect 2 fit mass.m --by k --set column=x_mm
says "has no column 'x_mm'"
says "did you mean 'x_m'?"
expect 4 fit mass.m --by k --set file=none.csv
says 'cannot read'
expect 2 fit mass.m --by k --set kind=motion
says 'has no column t'
sed '5s/.*/0.01,3,0/' motion.csv >order.csv
expect 4 fit moving.m --by k --set kind=motion --set file=order.csv
says 'order.csv:5: times must ascend, but 0.01 s follows'
sed '4s/,[^,]*$/,about 2/' rest.csv >word.csv
expect 4 fit mass.m --by k --set file=word.csv
says "word.csv:4: column 3 (x_m) must be a finite number, or empty where nothing was measured, got 'about 2'"
sed '4s/,[^,]*$/,inf/' rest.csv >word.csv
expect 4 fit mass.m --by k --set file=word.csv
says "got 'inf'"
sed '4s/,[^,]*,/,,/' rest.csv >word.csv
expect 4 fit mass.m --by k --set file=word.csv
says 'which the model needs in every row'
sed '4s/,[^,]*$/,/; 5s/,[^,]*$/,NaN/' rest.csv >gaps.csv
expect 0 fit mass.m --by k --set file=gaps.csv --json
json stdout.txt 'd["residuals"] == 10'
head -2 rest.csv >short.csv
expect 2 fit mass.m --by k --set file=short.csv
says '1 measurements are too few to find 1 parameter'
echo >empty.csv
expect 4 fit mass.m --by k --set file=empty.csv
says 'the file is empty'
grep -v '^fit' mass.m >plain.m
expect 2 fit plain.m --by k
says 'the model has no recordings'

# a model that cannot reach the data, a robust loss, priors, left-out recordings
sed "s/'F_N'/'F_N'/; s/column}/column}; fit(1).set = {'m', 3}/" mass.m >set.m
awk -F, 'NR == 1 { print } NR > 1 { print $1 "," $2 "," (-$3) }' rest.csv >wrong.csv
expect 0 fit mass.m --by k --set file=wrong.csv
prints 'the model cannot reach the measurements'
expect 2 fit set.m --by k,m
says "the param 'm' is given by recording first"
sed "12s/,[^,]*$/,0.5/" rest.csv >outlier.csv
expect 0 fit mass.m --by k --set file=outlier.csv --json
json stdout.txt 'not 49 < d["parameters"]["k"]["value"] < 51'
sed "s/par.rtol/fit(1).loss = 'huber'; par.rtol/" mass.m >robust.m
expect 0 fit robust.m --by k --set file=outlier.csv --json
json stdout.txt '49 < d["parameters"]["k"]["value"] < 51'
sed "s/par.rtol/prior(1).of = 'k'; prior(1).mean = 70; prior(1).deviation = 0.01; par.rtol/" mass.m >prior.m
expect 2 fit prior.m --by k
says 'a prior needs fit.weight'
sed -i "s/par.rtol/fit(1).weight = 1000; par.rtol/" prior.m
expect 0 fit prior.m --by k --json
json stdout.txt 'abs(d["parameters"]["k"]["value"] - 70) < 0.5'
cat >two.m <<'MODEL'
include('mass.m');
fit(2) = fit(1); fit(2).name = 'again'; fit(2).data = 'more.csv';
MODEL
awk -F, 'NR == 1 || NR % 2' rest.csv >more.csv
expect 0 fit two.m --by k --leave-out 1 --json
json stdout.txt 'set(d["left_out"]) == {"first", "again"} and d["left_out"]["first"]["rms"] > 0'
expect 0 fit two.m --by k --leave-out row --json
json stdout.txt 'd["left_out"]["rows"] > 0'
expect 0 fit two.m --by k --on again --json
json stdout.txt 'd["recordings"]["again"]["fitted"] and not d["recordings"]["first"]["fitted"] and d["residuals"] == 6'

# the tentacle: made poses here, recorded ones where they are
cp "$models/tentacle.m" "$models/tentacle_poses.csv" .
expect 0 fit tentacle.m --by E,rho --set basis=published --json
json stdout.txt 'd["residuals"] == 96'
expect 0 fit tentacle.m --by E,rho --json
json stdout.txt 'abs(d["parameters"]["E"]["value"] / 376e3 - 1) < 0.04 and abs(d["parameters"]["rho"]["value"] / 1120 - 1) < 0.05 and d["rms"] < 2e-3'
if [ -z "$sanitized" ] && [ -n "$TENDRIL_DATA" ] && [ -r "$TENDRIL_DATA/data/tentacle/poses_m1.csv" ]; then
  expect 0 fit tentacle.m --by E,nu,rho --set data=recorded --set basis=published --json
  json stdout.txt 'abs(d["rms_at_start"] - 0.0487) < 1e-4 and abs(d["rms"] - 0.0181) < 1e-4 and abs(d["parameters"]["E"]["value"] / 321e3 - 1) < 0.01'
  json stdout.txt 'list(d["unseen"][0]["direction"]) == ["nu"]'
  expect 0 fit tentacle.m --by E,rho --set data=recorded --set basis=published --set E=315094 --set rho=1317.66 --json
  json stdout.txt 'abs(d["rms_at_start"] - 0.0186) < 1e-4'
  expect 0 fit tentacle.m --by E,rho --set data=recorded --leave-out 1 --json
  json stdout.txt 'abs(d["rms"] - 0.0120) < 1e-4 and abs(d["parameters"]["rho"]["value"] - 1122) < 5 and d["left_out"]["m1"]["rms"] < 0.02'
  json stdout.txt 'any("m1_z is suspect" in n for n in d["notes"]) and any("neighbouring" in n for n in d["notes"])'
fi

# every command of the page that needs no recordings from elsewhere
[ -z "$sanitized" ] || finish
cd "$source" || exit 1
grep '^    tendril fit' docs/fit.md | grep -v recorded | while read -r _ words; do
  "$program" $words -o "$place/page" >/dev/null 2>"$place/page.txt" || echo "$words: $(head -1 "$place/page.txt")"
done >"$place/failed.txt"
cd "$place" || exit 1
[ ! -s failed.txt ] || fail "docs/fit.md: $(cat failed.txt)"
finish
