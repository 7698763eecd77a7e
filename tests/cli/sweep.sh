# Sweeps from the command line: the table is that of single analyses, whatever the number of threads; a sweep that is killed
# goes on; wrong points are named.
. "$(dirname "$0")/common.bash"

cat >arm.m <<'MODEL'
E = param('E', 1e6, [1e5 1e7], 'log'); n = param('n', 2); load = input('load', 0.1, [0 1]); kind = param('kind', 'soft');
world.g = [0 0 -9.81];
rod(1).model = 'gvs'; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).rho = 1000; rod(1).eta = 1e3;
rod(1).order = [-1 -1 -1 n n -1];
rod(1).tr.rot = [2 pi/2];
if strcmp(kind, 'soft'), rod(1).E = E; else, rod(1).E = 2*E; end
cable(1).path = [0 0.005]; cable(1).tension = load;
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);
par.t_final = 0.1; par.dt_out = 0.01;
MODEL

# rows in the order of the points; each is the equilibrium that `equil` finds
expect 0 sweep arm.m --vary 'E=5e5:2e6/3log,n={2,3}' --keep tip -o grid
for name in csv h5 json svg; do has grid/sweep.$name; done
absent grid/sweep.journal
head -1 grid/sweep.csv | grep -q '^point,E,n,tip_x,tip_y,tip_z,status$' || fail "header: $(head -1 grid/sweep.csv)"
[ "$(wc -l <grid/sweep.csv)" = 7 ] || fail 'rows of the grid'
prints 'loaded'
for row in 1 4 6; do
  IFS=, read -r _ E n x _ z status < <(sed -n "$((row + 1))p" grid/sweep.csv)
  expect 0 equil arm.m --set E="$E" --set n="$n" --json --no-report -o single
  json stdout.txt "abs(d['sensors']['tip'][0] - $x) < 1e-9 and abs(d['sensors']['tip'][2] - $z) < 1e-9 and '$status' == 'ok'"
done

# threads, processes that are killed, tables: the same bytes
many="--sample sobol -N 200 --over E,load"
expect 0 sweep arm.m $many -o one
expect 0 sweep arm.m $many -j 2 -o two
cmp one/sweep.csv two/sweep.csv && cmp one/sweep.h5 two/sweep.h5 || fail 'two threads give another table'
"$program" sweep arm.m $many --do sim -o whole --quiet || fail 'sim'
"$program" sweep arm.m $many --do sim -o killed --quiet &
child=$!
for _ in $(seq 200); do [ "$(wc -l 2>/dev/null <killed/sweep.journal || echo 0)" -gt 10 ] && break; sleep 0.02; done
kill -KILL $child
wait $child 2>/dev/null
has killed/sweep.journal
expect 1 sweep arm.m $many --do sim -o killed
says 'that was not finished: --resume goes on with it'
expect 1 sweep arm.m $many --do sim -o killed --resume --t-final 0.05
says 'is of another sweep'
expect 0 sweep arm.m $many --do sim -o killed --resume -j 2
prints 'from the journal'
cmp whole/sweep.csv killed/sweep.csv || fail 'the killed sweep has another table'
absent killed/sweep.journal
expect 0 sweep arm.m $many -o one --resume  # nothing to go on with: it begins
cut -d, -f2,3 one/sweep.csv >points.csv
expect 0 sweep arm.m --table points.csv -o table
cmp one/sweep.csv table/sweep.csv || fail 'the table of the same points has other numbers'

# Ctrl-C leaves a journal
"$program" sweep arm.m --sample lhs -N 100000 --over E,load -o stopped >stdout.txt 2>stderr.txt &
child=$!
for _ in $(seq 200); do [ "$(wc -l 2>/dev/null <stopped/sweep.journal || echo 0)" -gt 3 ] && break; sleep 0.02; done
kill -TERM $child
wait $child
[ $? = 3 ] || fail 'a stopped sweep exits with 3'
says 'points; --resume goes on'
has stopped/sweep.journal

# modes, motions, texts, indices, JSON
expect 0 sweep arm.m --vary 'kind={soft,stiff}' --do modes -n 2 -o modes --json
json stdout.txt 'd["points"] == 2 and list(d["columns"]) == ["frequency1", "frequency2"] and d["axes"] == ["kind"]'
awk -F, 'NR > 1 { f[NR] = $3 } END { exit !(f[3]/f[2] > 1.1 && f[3]/f[2] < 1.5) }' modes/sweep.csv || fail 'a stiffer rod has higher frequencies'
expect 0 sweep arm.m --vary 'load=0:1/3' --do sim --keep tip_z@min,tip_z@mean,t_end -o sim
head -1 sim/sweep.csv | grep -q '^point,load,tip_z@min,tip_z@mean,t_end,status$' || fail "header: $(head -1 sim/sweep.csv)"
expect 0 sweep arm.m --sample sobol -N 64 --over E,load --indices --keep tip_z -o indices
has indices/sweep_indices.csv
json indices/sweep.json 'd["points"] == 256 and 0 <= d["indices"]["tip_z"]["E"]["total"] < 1.3'

# points that fail: in their row, and 3 when all do
expect 0 sweep arm.m --vary 'n={2,-5}' -o some
grep -q '^2,-5,nan,nan,nan,.*model: line' some/sweep.csv || fail "the row of a failure: $(sed -n 3p some/sweep.csv)"
json some/sweep.json 'd["failed"] == 1 and sum(d["reasons"].values()) == 1'
expect 3 sweep arm.m --vary 'n={-4,-5}' -o none
says 'all 2 points failed; the first: model: line'

# wrong use
bad() { # code message arguments
  local code=$1 message=$2
  shift 2
  expect "$code" sweep arm.m "$@" -o bad
  says "$message"
}
bad 1 'sweep needs one of --vary, --sample and --table'
bad 1 'not several' --vary 'E=1e5:1e6/3' --table points.csv
bad 1 'the range must ascend, got 1e+06:100000; write the smaller end first' --vary 'E=1e6:1e5/3'
bad 1 "no parameter or input 'EE'; did you mean 'E'?" --vary 'EE=1e5:1e6/3'
bad 2 "'E' has the range [100000 1e+07], the sweep has 100" --vary 'E=1e2:1e6/3'
expect 0 sweep arm.m --vary 'E=9e4:1e6/2' --force-range -o beyond
bad 1 'more than 10000000' --vary 'E=1e5:1e6/100000,load=0:1/100000'
bad 1 'must be a whole number from 1' --sample lhs -N 0 --over E
bad 1 '--sample needs -N' --sample lhs --over E
bad 1 '--sample needs --over' --sample lhs -N 3
bad 1 '--over needs --sample' --vary 'E=1e5:1e6/3' --over E
bad 1 "'n' has no range to sample" --sample lhs -N 3 --over n
bad 1 'must be sobol, lhs or random' --sample grid -N 3 --over E
bad 1 'must be equil, modes, sim or check' --vary 'E=1e5:1e6/3' --do equilibrium
bad 1 "--set and the sweep both give 'E'" --vary 'E=1e5:1e6/3' --set E=2e5
bad 1 "no sensor, coordinate or result 'tap'" --vary 'E=1e5:1e6/3' --keep tap
bad 1 '-j must be at most 16' --vary 'E=1e5:1e6/3' -j 17
printf 'E,load\n1e6,0.1\n1e6,\n' >gap.csv
bad 1 'gap.csv:3: column 2 (load) needs a number in every row' --table gap.csv
printf 'E,load\n1e6,0.1\n1e6,x\n' >word.csv
bad 2 "word.csv:3: column 2 (load) must be a finite number" --table word.csv
bad 4 "cannot read 'nothing.csv'" --table nothing.csv
absent bad
finish
