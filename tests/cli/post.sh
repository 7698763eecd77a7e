# par.post in Octave: the script has the results, draws where it can, its files lie beside them, its errors end the run.
. "$(dirname "$0")/common.bash"
command -v octave >/dev/null || command -v octave-cli >/dev/null || { echo 'skipped: no octave'; exit 77; }

cat >hinge.m <<'END'
body(1).m = 1; body(1).I = 0.5*eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf];
joint(1).dof(1).init = 0.1; joint(1).dof(1).rate = 3; joint(1).dof(1).spring.coeff = 2;
sensor(1).name = 'angle'; sensor(1).value = q(1);
par.t_final = 1; par.dt_out = 0.01; par.equil = 0; par.modal = 0; par.post = 'after';
END
# the largest angle is sqrt(q0^2 + (v0/w)^2) with w = 2 rad/s, at its time
cat >after.m <<'END'
a = results.data(:, strcmp(results.names, 'angle'));
[largest, k] = max(a);
printf('largest %.4f at %.2f s of %d rows\n', largest, results.t(k), numel(results.t));
file = fopen('after.txt', 'w'); fprintf(file, '%.9f\n', largest); fclose(file);
assert(strcmp(results.folder, pwd));
END
expect 0 run hinge.m -o out --allow-post
prints 'largest 1.5033 at 0.75 s of 101 rows'
[ ! -s stderr.txt ] || fail "something on stderr: $(cat stderr.txt)"
has out/after.txt
expect 0 run hinge.m -o out --allow-post --json
python3 -c 'import json; json.load(open("stdout.txt"))' || fail 'what the script prints is among the JSON'

# an equilibrium alone has no trajectory: the script still runs
cat hinge.m - >rest.m <<<"par.equil = 1; par.dyn = 0; par.post = 'rest.post.m';"
echo 'assert(isempty(results.t)); disp(exist("equilibrium.json", "file"))' >rest.post.m
expect 0 run rest.m -o rest --allow-post
prints 2

echo "x = [1 2](3);" >after.m
expect 3 run hinge.m -o out --allow-post
says 'after'
says "par.post = 'after' failed in Octave"
has out/trajectory.csv
finish
