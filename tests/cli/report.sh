# Reports, plots and the view, as far as no browser is needed.
. "$(dirname "$0")/common.bash"
pendulum=$models/pendulum.m

# every run leaves a report, and says so
for command in sim equil modes run; do
  expect 0 "$command" "$pendulum" -o "$command.out"
  has "$command.out/report.html"
  prints "Report: $command.out/report.html"
done
expect 0 sim "$pendulum" -o without --no-report
absent without/report.html
expect 0 demo four_bar --t-final 1
prints 'Report: four_bar.out/report.html'
expect 1 check "$pendulum" --no-report

# its data are JSON and name what was done
data() { sed -n 's/.*<script id="data" type="application\/json">\(.*\)<\/script>.*/\1/p' "$1" >data.json; }
data sim.out/report.html
json data.json 'd["summary"]["command"].startswith("tendril sim") and len(d["motion"]["t"]) == d["motion"]["frames"]["rows"]'
json data.json '"modes" not in d and d["sources"][0]["text"].startswith("% A simple pendulum")'
data run.out/report.html
json data.json 'len(d["modes"]) == 1 and abs(d["modes"][0]["frequency"] - 0.6105) < 1e-3'

# a run that is cut short has its report too
printf "world.g = [0 0 -9.81]; body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\njoint(1).dof(1).init = 1; joint(1).dof(1).input = 1/(t - 0.5)^2;\npar.t_final = 1;\n" >pole.m
"$program" sim pole.m >/dev/null 2>&1
data pole.out/report.html
json data.json 'd["summary"]["partial"]'

# ten seconds of the manipulator at 100 Hz
expect 0 sim "$models/cable_manipulator.m" --t-final 10 --dt-out 0.01 -o arm --quiet
[ "$(stat -c %s arm/report.html)" -lt 2000000 ] || fail "the report of the manipulator has $(stat -c %s arm/report.html) bytes"

# renewed
echo '<html><script id="data" type="application/json">{"tendril":"report"}</script></html>' >without/report.html
expect 0 report without
[ "$(stat -c %s without/report.html)" -gt 100000 ] || fail 'not renewed'
grep -q '{"tendril":"report"}</script>' without/report.html || fail 'the data are lost'
echo '<html></html>' >without/report.html
expect 4 report without
says 'is not a report'
expect 4 report nowhere
expect 1 report sim.out --size 10x10
says '--size must look like 1280x720'

# plots
expect 0 plot sim.out --y tip -o fig.svg
prints fig.svg
python3 -c 'import xml.dom.minidom as m; d = m.parse("fig.svg"); assert len(d.getElementsByTagName("g")[-1].getElementsByTagName("path")) == 3' ||
  fail 'fig.svg: three curves expected'
grep -q '>\[m\]<' fig.svg || fail 'fig.svg: no unit at the axis'
expect 0 plot sim.out --y tip_x,v1 -o two.svg
grep -q 'tip_x \[m\]' two.svg && grep -q 'v1 \[.*s.*\]' two.svg || fail 'two.svg: no units at curves of different ones'
expect 0 plot sim.out
has sim.out/plot.svg
expect 0 plot sim.out/trajectory.csv --y v1 --x q1 -o sub.svg
expect 0 plot sim.out --y tip_z --gnuplot -o fig.gp
grep -q 'using 1:4' fig.gp || fail 'fig.gp: column'
grep -q 'set ylabel "\[m\]"' fig.gp || fail 'fig.gp: unit'
expect 1 plot sim.out --y tpi_x
says "did you mean 'tip_x'?"
expect 1 plot sim.out --x nothing
expect 4 plot equil.out
echo text >plain
expect 4 plot sim.out -o plain/fig.svg

# the view, refused before it starts
expect 4 view nowhere.m
says "cannot read 'nowhere.m'"
expect 4 view without
expect 1 view "$pendulum" --port 70000
expect 1 video sim.out -o video.avi
says 'a video ends in .mp4, .webm or .gif'
finish
