# Files as a stranger would write them for the published packages: habits of MATLAB, programs that are called at the end,
# a description in a file of its own, symbols for time.  Numbers are closed forms.
. "$(dirname "$0")/common.bash"
files=$source/tests/cli/strangers

expect 0 equil "$files/module_methods.m" -o module
python3 - <<'END' || fail 'the module: k (q - q0) = input in every degree of freedom'
import json, math
q = json.load(open('module/equilibrium.json'))['q']
l, E, r1, r2, rp, ro = 50e-3, 205e3, 4.5e-3, 12.5e-3, 2.5e-3, 8.5e-3
area, chamber, I = math.pi*(r2**2 - r1**2 - 3*rp**2), math.pi*rp**2, math.pi/4*(r2**4 - r1**4)
p = dict(zip((90, -30, 210), (2e4, 1e4, 0)))
tx = sum(x*chamber*ro*math.sin(math.radians(a)) for a, x in p.items())
ty = -sum(x*chamber*ro*math.cos(math.radians(a)) for a, x in p.items())
want = [0, 0, l/3*(1 + 3e4*chamber/E/area), 0, tx*l/3/E/I, ty*l/3/E/I]
assert all(abs(a - b) < 1e-9 for a, b in zip(q, 3*want)), q
END

expect 0 equil "$files/calls_description.m" -o chain
python3 - <<'END' || fail 'the chain: moments about every hinge'
import json, math
q = json.load(open('chain/equilibrium.json'))['q']
a = [sum(q[:i + 1]) for i in range(4)]
x = [sum(0.05*math.cos(a[k]) for k in range(i)) for i in range(4)]
com = [x[i] + 0.025*math.cos(a[i]) for i in range(4)]
assert all(abs(2*q[i] - sum(0.1*9.81*(com[j] - x[i]) for j in range(i, 4))) < 1e-9 for i in range(4)), q
END

expect 0 equil "$files/three_studies.m" -o studies
json studies/equilibrium.json 'abs(d["q"][0] - 2*9.81/40) < 1e-12'
grep -q 'light' stdout.txt && fail 'results of programs that are not called were printed'

# `syms t` is time: the same motion as without the line
grep -v '^syms t' "$files/symbolic_time.m" >plain.m
expect 0 sim "$files/symbolic_time.m" -o symbol
says "par.var has no value for the symbol 't': it is time"
expect 0 sim plain.m -o plain
cmp symbol/trajectory.csv plain/trajectory.csv || fail 'syms t changes the motion'

expect 0 equil "$files/net_of_structs.m" -o net
python3 - <<'END' || fail 'the net hangs on its springs'
import json
q = json.load(open('net/equilibrium.json'))['q']
z2 = -0.1 - 0.05*9.81/20
want = [0, 0, 0, 0, 0, z2, 0, 0, z2 - 0.1 - 0.03*9.81/20]
assert all(abs(a - b) < 1e-9 for a, b in zip(q, want)), q
END

# one curvature for five links, the other one held: w^2 = (m g l 105)/(m l^2 371 + 55 I), spring slack
expect 0 modes "$files/shared_bends.m" -o bends
json bends/modes.json 'len(d["modes"]) == 1 and abs(d["modes"][0]["imag"]**2*(0.02*0.06**2*371 + 55e-5) - 0.02*9.81*0.06*105) < 1e-9'

expect 0 equil "$files/module_in_a_function.m" -o written
python3 - <<'END' || fail 'the module: beams of l/n (1 + f/EA), turned by 2 asin(tau l/(2 n EI))'
import json, math
q = json.load(open('written/equilibrium.json'))['q']
l, E, r1, r2, rp, ro, n = 50e-3, 205e3, 4.5e-3, 12.5e-3, 2.5e-3, 8.5e-3, 3
o, ap = math.acos(1 - 3e-3**2/2/ro**2), math.pi*rp**2
angle = [math.radians(a) + s*o for a in (90, -30, 210) for s in (1, -1)]
x, y, p = [ro*math.cos(a) for a in angle], [ro*math.sin(a) for a in angle], [2e4, 2e4, 1e4, 1e4, 0, 0]
EA, I = E*math.pi*(r2**2 - r1**2 - 6*rp**2), math.pi/4*(r2**4 - r1**4 - 6*rp**4)
bend = [sum(a*b for a, b in zip(p, y))*ap*l/n/(E*(I - ap*sum(a*a for a in x))),
        -sum(a*b for a, b in zip(p, x))*ap*l/n/(E*(I - ap*sum(a*a for a in y)))]
size = math.hypot(*bend)
# an arc of equal steps: each turned by `turn` against the one before, all about the direction of bend
turn, step = 2*math.asin(size/2), l/n*(1 + sum(p)*ap/EA)
side = step*sum(math.sin(k*turn) for k in range(n))
tip = [side*bend[1]/size, -side*bend[0]/size, step*sum(math.cos(k*turn) for k in range(n))]
last = q[7*(n - 1):7*(n - 1) + 3]
assert all(abs(a - b) < 1e-9 for a, b in zip(last, tip)), (last, tip)
END

for name in small_web tapered_whisker old_habits sleeve_on_arm; do
  expect 0 run "$files/$name.m" -o "$name"
  grep -q 'trust: look' stdout.txt && fail "$name cannot be trusted"
done

# data that a program would change is not known afterwards; what describes the robot must be
cat >stale.m <<'END'
par.k = 1;
res = equil(par);
par.k = res.k;
body(1).m = par.k; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
END
expect 2 check stale.m
says "body(1).m is not known: it needs 'k', which comes from a program or file not used here"

# a function beside the file that is given par: read if it can be, left out if not; mistakes of one that makes the robot are told
echo 'function k = own_number(par), k = 2*par.n;' >own_number.m
printf 'function z = own_simulation(par)\nz = EOM_mex(par.q0);\nend\n' >own_simulation.m
printf 'function body = own_robot(par)\nbody(1).mm = par.n;\n' >own_robot.m
cat >calls.m <<'END'
par.n = 2; k = own_number(par); z = own_simulation(par); disp(k);
body(1).m = k; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
END
expect 0 check calls.m
prints '4'
says 'own_simulation is not called here'
sed 's/^body(1).m = k;/body = own_robot(par);/' calls.m >mistake.m
expect 2 check mistake.m
says "own_robot.m:2:9: error: unknown field 'mm' of body"
finish
