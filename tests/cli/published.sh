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
prints '  11 equilibria from t = 0 to 1 s'
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

# the load grows beyond EA = 31.4 N: a rod turned inside out is none
printf '%s\n' 'rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).modes = [0 0 1 0 0 0];' \
  'exload(1).exbody = rod(1); exload(1).ftau = [0 0 -40*t 0 0 0];' >pressed.m
expect 3 equil pressed.m -o study --times 0:0.25:1.25
says 'rod(1) turned inside out'
prints '4 of 6 equilibria found from t = 0 to 1.25 s'
prints 'that at the last time is NOT one'
[ "$(grep -c ',1,1,[^,]*$' study/equilibrium.csv)" = 4 ] || fail "four of six times: $(cat study/equilibrium.csv)"

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

# the animation is in the report where there is no display
cat hinge.m - >anim.m <<<'par.anim = 1; par.modal = 0; par.equil = 0;'
(unset DISPLAY WAYLAND_DISPLAY; "$program" run anim.m -o anim >stdout.txt 2>stderr.txt)
prints 'par.anim = 1: the animation is in the report'
has anim/report.html

# par.mov: with the programs a video, without them a message that names them
cat hinge.m - >mov.m <<<'par.movie = 1; par.modal = 0; par.equil = 0; par.dt_out = 0.01;'
mkdir empty
PATH=$place/empty expect 4 run mov.m -o mov
grep -qE 'par.mov = 1: no video: .*(ffmpeg|chromium)' stderr.txt || fail "no word of what is missing: $(cat stderr.txt)"
has mov/trajectory.csv

# par.post: only with --allow-post, in Octave; here a program in its place that tells what it is given
cat hinge.m - >post.m <<<"par.post = 'after.m'; par.modal = 0; par.equil = 0;"
echo 'disp(1)' >after.m
expect 0 run post.m -o post
says "par.post = 'after.m' is not run without --allow-post"
mkdir fake
printf '#!/bin/sh\necho "$@" >%s/given.txt\nexit $(cat %s/code.txt)\n' "$place" "$place" >fake/octave
chmod +x fake/octave
echo 0 >code.txt
PATH=$place/fake:$PATH expect 0 run post.m -o post --allow-post
grep -q "source('$place/after.m')" given.txt && grep -q "cd('$place/post')" given.txt || fail "$(cat given.txt)"
echo 1 >code.txt
PATH=$place/fake:$PATH expect 3 run post.m -o post --allow-post
says 'failed in Octave'
PATH=$place/empty expect 4 run post.m -o post --allow-post
says 'needs Octave, which is not installed'
rm after.m
PATH=$place/fake:$PATH expect 4 run post.m -o post --allow-post
says 'there is no script'

# par.mex: derived code
cat hinge.m - >mex.m <<<'par.mex = 1; par.modal = 0; par.equil = 0;'
expect 0 run mex.m -o mex
prints 'derived code:'

# a function in a file beside the model wins over a function of the language, also as @name; a script does not
mkdir own
echo 'function y = median(x)
y = 42;
end' >own/median.m
echo 'body(7).m = -1;' >own/flip.m
echo 'function y = twice(x), y = 2*x;' >own/twice.m
cat >own/model.m <<'END'
disp(median([1 2 3])); disp(feval(@median, 1)); disp(flip([1 2])); disp(cellfun(@twice, {1, 4})); disp(exp(0));
body(1).m = 1; body(1).I = 1; joint(1).second = 1; joint(1).tr.rot = [2 inf];
END
expect 0 check own/model.m
[ "$(head -5 stdout.txt | tr -s ' \n' ' ')" = '42 42 2 1 2 8 1 ' ] || fail "functions beside the model: $(head -5 stdout.txt)"

# a set of loads by rows of exbody, on elements of one body, on several bodies and along a polynomial rod
cat >loads.m <<'END'
body(1).m = 1; joint(1).first = [0 0]; joint(1).second = [1 1:3]; joint(1).tr.trans = [inf 0 0]; joint(1).dof.spring.coeff = [10; 20; 30];
body(2).m = 2; joint(2).second = 2; joint(2).tr.trans = [inf 0 0]; joint(2).dof.spring.coeff = 5;
exload(1).exbody = [1 1; 1 3; 2 1]; exload(1).ftau = [1 0 0 0 0 0; 6 0 0 0 0 0; 2 0 0 0 0 0];
exload(2).exbody = [1 1; 1 2]; exload(2).ftau = [1 0 0 0 0 0];
END
expect 0 equil loads.m -o loads
json loads/equilibrium.json 'max(abs(a - b) for a, b in zip(d["q"], [0.2, 0.05, 0.2, 0.4])) < 1e-12 and len(d["q"]) == 4'
cat >along.m <<'END'
body(1).m = 0.1; body(1).I = 1e-6*eye(3); joint(1).rom.order = 2; joint(1).second = [1 0.2];
joint(1).tr.trans = [inf inf inf]; joint(1).tr.rot = [0 inf inf inf]; joint(1).spring.coeff = [100 0.1];
END
cat along.m - >rows.m <<<'exload(1).exbody = [1 0.1; 1 0.2]; exload(1).ftau = [0 0 1 0 0 0];'
cat along.m - >two.m <<<'exload(1).exbody = [1 0.1]; exload(1).ftau = [0 0 1 0 0 0]; exload(2).exbody = [1 0.2]; exload(2).ftau = [0 0 1 0 0 0];'
expect 0 equil rows.m -o rows
expect 0 equil two.m -o two
cat along.m - >list.m <<<'exload(1).exbody = [1 0.1 0.2]; exload(1).ftau = [0 0 1 0 0 0];'
expect 0 equil list.m -o list
for name in rows list; do
  cmp <(grep '"q"' $name/equilibrium.json) <(grep '"q"' two/equilibrium.json) || fail "$name of exbody along a rod"
done

finish
