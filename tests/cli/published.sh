# Words of the published files on the command line: where the motion starts, modes without an equilibrium, a static
# study over time.
. "$(dirname "$0")/common.bash"

# a hinge with k = 2 N m/rad held by an input of 1 N m: it rests at 0.5 rad; I = 0.5 kg m^2 gives 2 rad/s
cat >hinge.m <<'END'
body(1).m = 1; body(1).I = 0.5*eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf];
joint(1).dof(1).init = 0.1; joint(1).dof(1).rate = 3; joint(1).dof(1).spring.coeff = 2;
joint(1).dof(1).input = param('u', 1) + t; par.t_final = 0.01;
END
cat hinge.m - >both.m <<<'par.equil = 3; par.dyn = 2;'
cat hinge.m - >none.m <<<'par.equil = 0; par.dyn = 1; par.modal = 3;'

expect 0 run both.m -o both
prints 'started from: equilibrium, as the file writes par.equil and par.dyn'
python3 - <<'END' || fail 'the motion does not start at the equilibrium'
import csv
row = next(csv.DictReader(open('both/trajectory.csv')))
assert abs(float(row['q1']) - 0.5) < 1e-12 and float(row['v1']) == 0
END
expect 0 run hinge.m -o alone
grep -q 'started from' stdout.txt && fail 'the file asks for nothing, the motion starts at its initial state'
expect 0 run none.m -o none
prints 'Modes at the initial state'
absent none/equilibrium.json
json none/modes.json 'abs(d["modes"][0]["frequency_hz"]*2*3.141592653589793 - 2) < 1e-9'
python3 - <<'END' || fail 'the motion does not start at the initial state'
import csv
for name in 'alone', 'none':
    row = next(csv.DictReader(open(name + '/trajectory.csv')))
    assert float(row['q1']) == 0.1 and float(row['v1']) == 3
END

# (u + t)/k at each time
expect 0 equil hinge.m -o study --times 0:0.1:1
python3 - <<'END' || fail 'the study over time'
import csv
rows = list(csv.DictReader(open('study/equilibrium.csv')))
assert len(rows) == 11
for i, row in enumerate(rows):
    assert abs(float(row['t']) - 0.1*i) < 1e-12
    assert abs(float(row['q1']) - (1 + 0.1*i)/2) < 1e-12 and row['converged'] == '1' and row['stable'] == '1'
END
json study/equilibrium.json 'd["t"] == 1 and abs(d["q"][0] - 1) < 1e-12'
expect 0 equil hinge.m -o study --times 0.5,2
[ "$(wc -l <study/equilibrium.csv)" = 3 ] || fail 'two times, two rows'
for wrong in 0:0:1 0:-1:1 a 1: 0:1 1,,2; do
  expect 1 equil hinge.m -o study --times $wrong
  says 'must look like 0:0.1:1'
done

# a time without an equilibrium is told; the others are there
cat >snap.m <<'END'
body(1).m = 1; body(1).I = 0.5*eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf];
joint(1).dof(1).input = t - 2*sin(dof(joint(1), 1));
END
expect 3 equil snap.m -o snap --times 0,1,3
says 'equilibrium at t = 3 s'
python3 - <<'END' || fail 'a study with a time that fails'
import csv, math
rows = list(csv.DictReader(open('snap/equilibrium.csv')))
assert abs(float(rows[1]['q1']) - math.asin(0.5)) < 1e-9 and rows[2]['converged'] == '0'
END
finish
