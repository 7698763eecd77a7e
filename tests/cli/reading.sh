# What a model may read, and what is kept: files outside the model's folder are not opened and not quoted, results stay when
# only the report does not fit, SIGHUP is a request to stop, and folders of killed runs are removed by the next run.
. "$(dirname "$0")/common.bash"
robot="body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"

mkdir -p model/parts secret data
echo "SECRET_WORD = [1 2" >secret/secret.m
printf 't,x\n0,SECRET_WORD\n' >secret/secret.csv
echo 'solid SECRET_WORD' >secret/secret.stl
echo "$robot" >model/parts/robot.m
printf 't,x\n0,1\n1,2\n' >data/table.csv
printf "%s\n" "$robot" >data/robot.m
ln -s ../secret/secret.m model/link.m

refused() {
  printf '%s\n' "$1" >model/robot.m
  expect 4 check model/robot.m
  says "$2"
  says '--allow-read'
  says "model/robot.m:1:"
  grep -q SECRET_WORD stderr.txt stdout.txt && fail "'$1' quotes the file"
}
for name in ../secret/secret.m "$place/secret/secret.m" link.m parts/../../secret/secret.m; do
  refused "include('$name'); $robot" "outside the model's folder"
done
refused "x = table('../secret/secret.csv'); $robot" "outside the model's folder"
refused "x = table('$place/secret/secret.csv'); $robot" "outside the model's folder"
refused "mesh.file = '../secret/secret.stl'; mesh.joint(2).spring.coeff = 1; mesh.body.m = 1; $robot" "outside the model's folder"

refused "x = table('/proc/self/environ'); $robot" "outside the model's folder"
refused "x = table('$place/secret/no_such_file.csv'); $robot" "outside the model's folder" # nor whether it is there
refused "x = table('none/../../secret/secret.csv'); $robot" "outside the model's folder"

# gains and plug-ins of controllers; a missing file inside the folder is one that `lqr` has yet to write
echo '{"SECRET_WORD": 1}' >secret/secret.json
ln -s ../secret/secret.json model/link.json
driven="$robot F = input('F', 1); joint(1).dof.input = F; control.inputs = {'F'}; par.control.rate = 10; par.t_final = 0.1;"
for name in ../secret/secret.json "$place/secret/secret.json" link.json /proc/self/environ /dev/zero none/../../x.json; do
  refused "control.gains = '$name'; $driven" "outside the model's folder"
  refused "control.plugin = '$name'; $driven" "outside the model's folder"
done
echo "control.gains = 'later.json'; $driven" >model/robot.m
expect 0 check model/robot.m
expect 4 sim model/robot.m -o model/out
says "cannot read 'model/later.json'"

# what is no plain file, or too large, is not waited for and not loaded
mkfifo model/pipe.csv model/pipe.json model/pipe.m model/pipe.stl
mkdir model/dir.csv model/dir.json
truncate -s 2200M model/big.csv model/big.json model/big.m model/big.stl
odd() {
  printf '%s\n' "$1" >model/robot.m
  timeout 5 "$program" sim model/robot.m -o model/out --allow-read >stdout.txt 2>stderr.txt
  [ $? = 4 ] || fail "'$1': exit code $?"
  says 'cannot read'
}
for name in pipe.csv dir.csv big.csv /dev/zero /dev/tty; do odd "x = table('$name'); $robot"; done
for name in pipe.m big.m /dev/zero; do odd "include('$name'); $robot"; done
for name in pipe.json dir.json big.json /dev/zero; do odd "control.gains = '$name'; $driven"; done
for name in pipe.stl big.stl /dev/zero; do
  odd "mesh.file = '$name'; mesh.joint(2).spring.coeff = 1; mesh.body.m = 1; $robot"
done
rm -rf model/pipe.* model/dir.* model/big.*

# the model's folder and folders below it, TENDRIL_DATA, files named on the command line, and all when told so
echo "include('parts/robot.m');" >model/robot.m
expect 0 check model/robot.m
(cd model && "$program" check robot.m >/dev/null) || fail 'from its own folder'
echo "x = table('$place/data/table.csv'); body(1).m = x.x(2); $robot" >model/robot.m
expect 4 check model/robot.m
expect 0 check model/robot.m --allow-read
TENDRIL_DATA=$place/data expect 0 check model/robot.m
echo "x = table(param('file', 'none.csv')); $robot" >model/robot.m
expect 0 check model/robot.m --set "file=$place/data/table.csv"
# relative names are taken from the model's folder on, as in the text, wherever the command is called
expect 0 check model/robot.m --set file=../data/table.csv
(cd model && "$program" check robot.m --set file=../data/table.csv >/dev/null) || fail 'from its own folder'
mkdir -p elsewhere/deep
(cd elsewhere/deep && "$program" check ../../model/robot.m --set file=../data/table.csv >/dev/null) || fail 'from elsewhere'
expect 4 check model/robot.m --set file=data/table.csv
says "cannot read 'model/data/table.csv'"
# a folder that is named opens nothing below it
echo "d = param('d', 'x'); x = table('../data/table.csv'); $robot" >model/robot.m
for d in .. ../data / "$place/data"; do
  expect 4 check model/robot.m --set "d=$d"
  says "outside the model's folder"
done
echo "x = table(param('file', 'none.csv')); $robot" >model/robot.m
ln -s ../data/robot.m model/main.m # the model itself may be a link
expect 0 check model/main.m

# a disk that is full for the report alone: the results are kept
printf '%s\npar.t_final = 0.1;\n' "$robot" >small.m
expect 0 sim small.m -o whole
largest=$(stat -c %s whole/trajectory.csv whole/trajectory.h5 whole/summary.json | sort -n | tail -1)
report=$(stat -c %s whole/report.html)
[ "$report" -gt $((largest + 4096)) ] || fail 'the report is the largest file'
(ulimit -f $((largest / 1024 + 4)) && "$program" sim small.m -o part >stdout.txt 2>stderr.txt)
[ $? = 4 ] || fail 'no exit code 4 without a report'
says 'the results are there, the report is not'
for name in trajectory.csv trajectory.h5 summary.json; do has part/$name; done
absent part/report.html
if grep -q 'was removed' stderr.txt; then fail 'no report was there to remove'; fi
# over other results: their report does not stay beside the new ones
printf '%s\njoint(1).dof.init = 0.5; par.t_final = 0.1;\n' "$robot" >other.m
(ulimit -f $((largest / 1024 + 4)) && "$program" sim other.m -o whole >stdout.txt 2>stderr.txt)
[ $? = 4 ] || fail 'no exit code 4 without a report over earlier results'
says 'the results are there, the report is not (that of the results before was removed)'
has whole/trajectory.csv
absent whole/report.html

# neither does it where none is wanted
expect 0 sim other.m -o wanted
has wanted/report.html
expect 0 sim other.m -o wanted --no-report
says 'note: wanted/report.html, of the results before, was removed'
absent wanted/report.html
expect 0 sim other.m -o wanted --no-report
[ ! -s stderr.txt ] || fail 'nothing was there to remove'

# SIGHUP keeps what was computed
printf '%s\njoint(1).dof.spring.coeff = 1e4; joint(1).dof.init = 1; par.t_final = 1e4; par.dt_out = 1;\n' "$robot" >long.m
"$program" sim long.m -o hung --quiet 2>stderr.txt &
pid=$!
sleep 0.5
kill -HUP $pid
wait $pid
json hung/summary.json 'd["partial"]' 2>/dev/null || has hung/trajectory.csv

# folders of runs that were killed, made before or after the results' own folder, go with the next run
mkdir .tendril-99999-0 && touch .tendril-99999-0/x
mkdir whole/.tendril-99999-0 && touch whole/.tendril-99999-0/x
expect 0 sim small.m -o whole
[ -z "$(find . -name '.tendril-*')" ] || fail 'staged files stay for ever'
finish
