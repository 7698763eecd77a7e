# Strains along rods and snapshots of shapes from results.
. "$(dirname "$0")/common.bash"
cat >arm.m <<'END'
rod(1).name = 'arm'; rod(1).length = 0.3; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).radius = 0.01; rod(1).eta = 1e3;
rod(2) = struct('length', 0.1, 'E', 1e6, 'rho', 1000, 'radius', 0.005);
body(1).m = 0.01; body(1).I = 1e-6; joint(1).second = 1; joint(1).tr.trans = [0.1 0 0];
world.g = [0 -9.81 0]; par.t_final = param('T', 1); par.dt_out = 0.1; par.equil = 0; par.modal = 0;
END
expect 0 run arm.m -o out --set T=0.4
expect 0 plot out --strain arm -o strain.svg
prints strain.svg
for t in 0 0.1 0.2 0.3 0.4; do grep -q "bend_x, $t s" strain.svg || fail "no curve of $t s"; done
grep -q 'bend_y' strain.svg && fail 'gravity along y does not bend about y'
expect 0 plot out --strain rod2,stretch,twist --times 0.1:0.1:0.3 -o strain.svg
for c in 'stretch, 0.1' 'stretch, 0.3' 'twist, 0.2'; do grep -q "$c s" strain.svg || fail "no curve $c"; done
expect 0 plot out --snapshots
has out/plot.svg
grep -q 'y \[m\]' out/plot.svg && grep -q 'z \[m\]' out/plot.svg || fail 'the motion is in the plane of y and z'
expect 0 plot out --snapshots --plane xz --times 0,0.4 -o shots.svg
[ "$(grep -c 'stroke-linejoin' shots.svg)" = 2 ] || fail 'two times, two curves'
xmllint --noout strain.svg shots.svg 2>/dev/null || python3 -c "
import xml.dom.minidom
for f in 'strain.svg', 'shots.svg': xml.dom.minidom.parse(f)" || fail 'no valid SVG'

expect 1 plot out --strain leg
says "no rod 'leg'"
expect 1 plot out --strain arm,bend
says "no strain 'bend'"
expect 1 plot out --strain arm --snapshots
expect 1 plot out --snapshots --gnuplot
says 'draw alone'
expect 1 plot out --snapshots --plane xx
expect 1 plot out --snapshots --times 0:0.001:1
says 'at most 32 times'
mv arm.m leg.m
expect 4 plot out --snapshots
says 'needs the model of the results, arm.m'
cat leg.m - >arm.m <<<'rod(3) = rod(2);'  # another model by now
expect 2 plot out --snapshots
says 'has no column'
# results that lost their summary, or whose numbers are no parameters of the model
cp -r out torn
echo '{"model": 1}' >torn/summary.json
expect 4 plot torn --snapshots
says "'torn' has no summary.json that names its model"
echo '{"model": "none.m", "parameters": [1, 2]}' >torn/summary.json
expect 4 plot torn --snapshots
says 'needs the model of the results, none.m'
sed '5s/,[^,]*/,1.5x/' out/trajectory.csv >torn/trajectory.csv
expect 2 plot torn
says 'torn/trajectory.csv:5: column 2 ('
sed '5s/,.*//' out/trajectory.csv >torn/trajectory.csv
expect 2 plot torn
says 'torn/trajectory.csv:5: the row does not have the'
head -1 out/trajectory.csv >torn/trajectory.csv
cp out/summary.json torn
expect 2 plot torn --snapshots
says 'has no rows of numbers'
finish
