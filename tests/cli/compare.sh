# compare: every continuum model and n against a converged reference; models that cannot do it; files; wrong use.
. "$(dirname "$0")/common.bash"

cat >rod.m <<'MODEL'
world.g = [0 -9.81 0];
rod(1).length = 0.3;
rod(1).radius = 0.015;
rod(1).E = 1e6;
rod(1).rho = 1000;
rod(1).damping = 10*[1 1 1 1e-4 1e-4 1e-4];
rod(1).tr.rot = [2 pi/2];
rod(1).model = param('model', 'ebr');
if param('kirchhoff', 0), rod(1).modes = [0 0 0 1 1 1]; end
sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), 0.3);
middle = pos(rod(1), 0.15);
sensor(2).name = 'height';
sensor(2).value = 1 + middle(2);
par.t_final = 0.02;
par.dt_out = 0.005;
MODEL

# second order of the segments, fast convergence of the polynomials, at rest and in motion
expect 0 compare rod.m --n 2,8,4 -o all
prints 'x real time'
has all/compare.csv
json all/summary.json 'len(d["compare"]["runs"]) == 15 and not d["partial"]'
head -1 all/compare.csv | grep -q '^model,n,dof,evaluation_us,real_time_factor,static_error,static_order,static_error_tip,' ||
  fail "header of compare.csv"
[ "$(wc -l <all/compare.csv)" = 16 ] || fail "rows of compare.csv"
json all/summary.json 'all(1.7 < r["static"]["order"] < 2.3 for r in d["compare"]["runs"] if r["n"] == 8 and r["model"] not in ("rom", "gvs"))'
json all/summary.json 'd["compare"]["static_reference"]["by"][:3] in ("rom", "gvs") and d["compare"]["static_reference"]["error"] < 1e-5'
json all/summary.json '[r["dof"] for r in d["compare"]["runs"] if r["model"] == "eba"] == [12, 24, 48]'
json all/summary.json 'all(r["evaluation_us"] > 0 and r["real_time_factor"] > 0 and "reason" not in r for r in d["compare"]["runs"])'
json all/summary.json 'all(0 < r["dynamic"]["sensors"]["tip"] <= r["dynamic"]["error"] for r in d["compare"]["runs"] if r["model"] not in ("rom", "gvs"))'

# one of the two alone
expect 0 compare rod.m --n 2,4,8 --static --json
json stdout.txt '"dynamic" not in d["runs"][0] and d["static_reference"]["error"] > 0'
expect 0 compare rod.m --n 2,4,8 --dynamic --json
json stdout.txt '"static" not in d["runs"][0] and d["dynamic_reference"]["error"] > 0'

# held strains: free nodes and polynomials of the pose cannot
expect 0 compare rod.m --set kirchhoff=1 --n 4,8,16 --static
prints 'extrapolated'
prints "the model 'eba' cannot hold a strain"
expect 0 compare rod.m --set kirchhoff=1 --n 4,8,16 --static --json
json stdout.txt '[bool(r.get("reason")) for r in d["runs"]] == [r["model"] in ("eba", "rom") for r in d["runs"]]'

# stopped: what was computed is kept
for seconds in 1 4 16; do  # on a busy machine it may not have begun after a second
  timeout --signal=INT $seconds "$program" compare rod.m --t-final 1000 --n 4 --dynamic -o stopped >/dev/null 2>stderr.txt
  [ $? = 124 ] || fail 'was not stopped'
  [ ! -f stopped/summary.json ] || break
done
json stopped/summary.json 'd["partial"]'

# check and eval know rods
expect 0 check rod.m
prints 'ebr, segments 4, 0.3 m long, 24 DOFs'
expect 0 check rod.m --json
json stdout.txt 'd["rods"][0]["model"] == "ebr" and d["rods"][0]["dof"] == 24 and d["sizes"]["rods"] == 1'
json stdout.txt 'd["q"][4]["rod"] == "rod(1)" and d["q"][4]["element"] == 1 and d["q"][4]["mode"] == "bend_y"'
json stdout.txt 'd["q"][4]["unit"] == "rad" and d["v"][2]["unit"] == "m/s" and d["v"][2]["mode"] == "stretch"'
cat >strains.m <<'END'
rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).n = param('n', 4);
rod(1).modes = [0 0 0 1 1 1];
END
expect 0 check strains.m
prints 'bend x, bend y, twist: order 4, 1 element, 5 coordinates each'
expect 0 check strains.m --set n=12
prints 'gvs, 0.3 m long, 45 DOFs'
prints 'bend x, bend y, twist: order 4, 3 elements, 15 coordinates each'
expect 0 check strains.m --set n=12 --json
json stdout.txt 'd["rods"][0]["elements"] == [0, 0, 0, 3, 3, 3] and d["rods"][0]["coordinates"] == [0, 0, 0, 15, 15, 15]'
expect 0 check rod.m --set model=eba --json
json stdout.txt 'd["q"][3]["mode"] == "q0" and d["q"][3]["unit"] == "" and d["v"][3]["unit"] == "rad/s"'
expect 0 check rod.m --set model=rom --json
json stdout.txt 'len(d["v"]) == d["rods"][0]["dof"]'
expect 0 eval rod.m --json
json stdout.txt 'max(x["arc_length"] for x in d["stations"]) == 0.3 and d["stations"][-1]["rod"] == "rod(1)"'

# wrong use
for list in 0 x 4,, 4,-1 4.5 ''; do
  expect 1 compare rod.m --n "$list"
  says '--n must be'
done
expect 1 compare "$models/pendulum.m"
says 'has no rods'
grep -v sensor rod.m >blind.m
expect 1 compare blind.m
says 'has no sensors'
finish
