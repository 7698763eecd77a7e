# tendril gradient: the example of docs/gradients.md, closed forms, files, refusals by name.
. "$(dirname "$0")/common.bash"

# the page: its model, its table
awk '/^```matlab/ { on = 1; next } /^```/ { if (on) exit } on' "$source/docs/gradients.md" >cantilever.m
expect 0 gradient cantilever.m --of tip_z,frequency1 --by E,r,F
sed -n '/^Gradient at/,/^$/p' stdout.txt | sed '/^$/d' >printed.txt
awk '/^```$/ { k++; next } k == 1' <(sed -n '/prints$/,$p' "$source/docs/gradients.md") >page.txt
shape() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/0/g; s/ +/ /g' "$1"; }
[ "$(shape printed.txt)" = "$(shape page.txt)" ] || fail "docs/gradients.md prints something else: $(diff <(shape printed.txt) <(shape page.txt))"
has cantilever.out/gradient.json
has cantilever.out/equilibrium.json
json cantilever.out/gradient.json 'set(d) == {"value", "by", "gradient", "relative", "method", "at", "note"} and d["method"] == "forward"'
# and its table of the motion, with equal steps: they take a fraction of the time
expect 0 gradient cantilever.m --at end --of tip_z --by E,F --t-final 0.5 --solver fixed --step 0.01
sed -n '/^Gradient at/,/^$/p' stdout.txt | sed '/^$/d; /equal steps/d' >printed.txt
awk '/^Gradient at the end/ { on = 1 } /^```$/ { on = 0 } on' "$source/docs/gradients.md" >page.txt
[ "$(shape printed.txt)" = "$(shape page.txt)" ] || fail "docs/gradients.md prints something else of the motion: $(diff <(shape printed.txt) <(shape page.txt))"
# a small deflection is F L^3/(3 E I): relative sensitivities -1, -4, 1
expect 0 gradient cantilever.m --of tip_z --by E,r,F --set F=1e-5 --json
json stdout.txt 'abs(d["relative"]["tip_z"]["F"] - 1) < 1e-6 and abs(d["relative"]["tip_z"]["E"] + 1) < 1e-6'
json stdout.txt 'abs(d["relative"]["tip_z"]["r"] + 4) < 0.02'
json stdout.txt 'abs(d["value"]["tip_z"] + 1e-5*0.3**3/(3*1e6*3.14159265358979e-8/4)) < 5e-3*abs(d["value"]["tip_z"])'

# a pendulum swings with sqrt(g/L): its mass does not matter (its own inertia is 1e-9 of that)
printf '%s\n' "L = param('L', 0.5); m = param('m', 2); g = param('g', 9.81); u = input('u', 0); world.g = [0 0 -g];" \
  "body(1).m = m; body(1).l_com = [0 0 -L]; joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).input = u;" \
  "joint(1).dof(1).damp.visc = 0.1; sensor(1).name = 'angle'; sensor(1).value = dof(joint(1), 1);" >pendulum.m
expect 0 gradient pendulum.m --of frequency1,damping1,angle,energy
json pendulum.out/gradient.json 'abs(d["relative"]["frequency1"]["L"] + 0.5) < 1e-7 and abs(d["gradient"]["frequency1"]["m"]) < 1e-7'
json pendulum.out/gradient.json 'abs(d["relative"]["damping1"]["m"] + 1) < 1e-7 and abs(d["relative"]["damping1"]["L"] + 1.5) < 1e-7'
json pendulum.out/gradient.json 'abs(d["gradient"]["angle"]["u"]*2*9.81*0.5 - 1) < 1e-9 and d["relative"]["angle"]["u"] is None'
json pendulum.out/gradient.json 'abs(d["gradient"]["energy"]["g"] + 1) < 1e-9'
# with many more names than results it goes backwards
{ for k in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "p$k = param('p$k', $k);"; done
  echo "world.g = [0 0 -9.81]; body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [0 0 inf];"
  echo "joint(1).dof(1).spring.coeff = p1+p2+p3+p4+p5+p6+p7+p8+p9+p10+p11+p12; sensor(1).name = 'z'; sensor(1).value = pos(body(1))(3);"; } >many.m
expect 0 gradient many.m
json many.out/gradient.json 'd["method"] == "adjoint" and all(abs(x - 9.81/78**2) < 1e-12 for x in d["gradient"]["z"].values())'

# at a state that is an equilibrium; another is refused
expect 0 gradient pendulum.m --at pendulum.out/equilibrium.json -o there
json there/gradient.json 'd["at"] == "state"'
expect 0 gradient pendulum.m --at equil -o there
printf '{"q": [0.4]}\n' >off.json
expect 1 gradient pendulum.m --at off.json
says 'no equilibrium'

# the end of a motion: x = a cos(wt) + b sin(wt)/w + F (1 - cos(wt))/k with w^2 = k/m
printf '%s\n' "k = param('k', 80); a = param('a', 0.1); b = param('b', 0.3); F = input('F', 1); body(1).m = 2; joint(1).second = 1;" \
  "joint(1).name = 'slide'; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).spring.coeff = k; joint(1).dof(1).spring.init = 0;" \
  "joint(1).dof(1).input = F; joint(1).dof(1).init = a; joint(1).dof(1).rate = b; sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);" \
  "par.rtol = 1e-10; par.atol = 1e-12; par.t_final = 1.3;" >slide.m
expect 0 gradient slide.m --at end --by "k,a,b,F,q:slide.dof(1),v:slide.dof(1)"
grep -q 'Gradient at the end of the motion, t = 1.3 s' stdout.txt || fail 'no heading of the end'
closed='[(w := (40)**0.5), (c := __import__("math").cos(1.3*w)), (s := __import__("math").sin(1.3*w)), (g := d["gradient"]["x"])]'
closed_k='(-0.1*s*1.3 + 0.3*(c*1.3*w - s)/w**2)/(4*w) - (1 - c)/6400 + s*1.3/80/(4*w)'
json slide.out/gradient.json "set(d) == {'value', 'by', 'gradient', 'relative', 'method', 'at', 't', 'trust', 'note'} and d['trust']['verdict'] == 'ok' and (d['method'], d['at'], d['t']) == ('forward', 'end', 1.3)"
json slide.out/gradient.json "$closed and abs(d['value']['x'] - (0.1*c + 0.3*s/w + (1 - c)/80)) < 1e-8"
json slide.out/gradient.json "$closed and abs(g['a'] - c) < 1e-7 and abs(g['b'] - s/w) < 1e-7 and abs(g['F'] - (1 - c)/80) < 1e-8"
json slide.out/gradient.json "$closed and abs(g['q:slide.dof(1)'] - c) < 1e-7 and abs(g['v:slide.dof(1)'] - s/w) < 1e-7"
json slide.out/gradient.json "$closed and abs(g['k'] - ($closed_k)) < 1e-8 and abs(d['relative']['x']['k'] - g['k']*80/d['value']['x']) < 1e-12"
json slide.out/gradient.json "(d['by']['a'], d['by']['q:slide.dof(1)'], d['by']['v:slide.dof(1)'], d['by']['F']) == (0.1, 0.1, 0.3, 1)"
# equal steps, another end; the equilibrium that it starts from moves with the spring and stays one
expect 0 gradient slide.m --at end --by k --solver fixed --step 1e-2 --t-final 0.5 --json
json stdout.txt "d['t'] == 0.5 and 'equal steps' in d['note']"
expect 0 gradient slide.m --at end --by k,F --from-equilibrium
json slide.out/gradient.json "abs(d['gradient']['x']['k'] + 1/6400) < 1e-9 and abs(d['gradient']['x']['F'] - 1/80) < 1e-8"
# an input over time has no one value; its derivative is that of an offset
printf 't,F\n0,1\n1.3,1\n' >held.csv
expect 0 gradient slide.m --at end --by F --inputs held.csv
json slide.out/gradient.json "$closed and abs(g['F'] - (1 - c)/80) < 1e-8 and d['by']['F'] is None and d['relative']['x']['F'] is None"
# what belongs to one of them alone
expect 1 gradient slide.m --at end --of energy
says 'energy()'
expect 1 gradient slide.m --at end --of frequency1
says 'modes belong to an equilibrium'
expect 1 gradient slide.m --by "q:slide.dof(1)"
says 'say --at end'
expect 1 gradient slide.m --at end --by "q:slide.dof(2)"
says 'q:NAME or v:NAME'
expect 1 gradient slide.m --t-final 2
says '--t-final belongs to a motion'
expect 1 gradient slide.m --at end --time 1
says '--time needs --at'
printf '%s\n' "k = param('k', 5); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).spring.coeff = k;" \
  "exload(1).exbody = 1; exload(1).ftau = [0 0 -sign(pos(body(1))(3)) 0 0 0]; joint(1).dof(1).init = 0.3; par.t_final = 3;" \
  "sensor(1).name = 'z'; sensor(1).value = pos(body(1))(3);" >jumps.m
expect 1 gradient jumps.m --at end
says 'with a jump of the rates'

# refusals
expect 1 gradient pendulum.m --of angel
says "did you mean 'angle'?"
expect 1 gradient pendulum.m --by LL
says 'is no param'
expect 1 gradient pendulum.m --of frequency7
says '1 modes were found'
printf '%s\n' "n = param('n', 2); for k = 1:n, body(k).m = 1; joint(k).second = k; joint(k).tr.trans = [0 0 inf];" \
  "joint(k).dof(1).spring.coeff = 5; end; sensor(1).name = 'z'; sensor(1).value = pos(body(1))(3);" >counted.m
expect 1 gradient counted.m --by n
says "there is no derivative by the parameter 'n'"
expect 1 gradient counted.m
says 'nothing to differentiate by'
# a cart that nothing holds: what moves its load has no equilibrium beside this one
printf '%s\n' "f = param('f', 0); m = param('m', 2); body(1).m = m; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];" \
  "exload(1).exbody = 1; exload(1).ftau = [f 0 0 0 0 0]; body(2).m = 1; joint(2).first = 1; joint(2).second = 2;" \
  "joint(2).tr.trans = [inf 0 0]; joint(2).dof(1).spring.coeff = m; sensor(1).name = 'x'; sensor(1).value = pos(body(1))(1);" >cart.m
expect 0 gradient cart.m --by m
expect 3 gradient cart.m --by f
says "'f' pushes along a direction that nothing holds"
finish
