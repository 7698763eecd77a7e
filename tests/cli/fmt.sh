# tendril fmt: texts keep their meaning and their comments, and formatting twice changes nothing more.
. "$(dirname "$0")/common.bash"

# all texts that parse: the same statements, comments and results
count=0
for text in "$models"/*.m "$models"/new/*.m "$source"/tests/unit/lang/*/*.m "$source"/tests/verify/*/*.m "$source"/tests/fuzz/corpus/*.m; do
  [ -f "$text" ] || continue
  cp "$text" text.m && chmod u+w text.m
  "$program" fmt text.m >/dev/null 2>stderr.txt
  code=$?
  if [ $code = 2 ]; then  # wrong texts stay as they are, with a message
    cmp -s "$text" text.m || fail "$text is wrong and was changed"
    grep -q 'error:' stderr.txt || fail "$text: no message"
    grep -q 'formatting would' stderr.txt && fail "$text: the result had another meaning"
    continue
  fi
  [ $code = 0 ] || fail "$text: exit code $code"
  count=$((count + 1))
  diff <(tr -d ' \t\r\n' <"$text") <(tr -d ' \t\r\n' <text.m) >/dev/null || fail "$text: more than blanks changed"
  expect 0 fmt --check text.m
done
[ $count -ge 40 ] || fail "only $count texts"

# models give the same equations, number for number
for model in pendulum four_bar cable_robot tentacle octopus_arm beam_bases; do
  "$program" eval "$models/$model.m" --json >before.json 2>/dev/null
  "$program" fmt --stdout "$models/$model.m" >$model.m
  [ $model = tentacle ] && cp "$models/tentacle_poses.csv" .
  "$program" eval $model.m --json >after.json 2>/dev/null
  [ -s before.json ] && cmp -s before.json after.json || fail "$model: other equations"
done

# in place, atomically, with the permissions of the file, through links
printf 'a=1;\nif a\nb=2;\nend\n' >a.m
chmod 640 a.m
ln -s a.m link.m
expect 2 fmt --check a.m
prints 'a.m is not formatted'
[ "$(head -1 a.m)" = 'a=1;' ] || fail '--check wrote'
expect 0 fmt link.m
[ -L link.m ] || fail 'the link was replaced'
[ "$(cat a.m)" = "$(printf 'a = 1;\nif a\n  b = 2;\nend\n')" ] || fail "a.m is $(cat a.m)"
[ "$(stat -c %a a.m)" = 640 ] || fail 'other permissions'
expect 0 fmt a.m
[ -s stdout.txt ] && fail 'a formatted file is named'
ls a.m.* 2>/dev/null && fail 'a temporary file is left'

# several files: the right ones are formatted, the exit code tells the wrong one
printf 'a=1;\n' >one.m
printf 'a=(1;\n' >two.m
expect 2 fmt one.m two.m
says 'two.m:1:5: error'
[ "$(cat one.m)" = 'a = 1;' ] || fail 'one.m is not formatted'
[ "$(cat two.m)" = 'a=(1;' ] || fail 'two.m was changed'
expect 4 fmt missing.m
says 'missing.m'
expect 4 fmt .
printf 'a\0b' >zero.m
expect 2 fmt zero.m
says 'not a text file'
expect 1 fmt
says 'which files?'
expect 1 fmt --json a.m
if [ "$(id -u)" != 0 ]; then
  printf 'a=1;\n' >one.m
  chmod 400 one.m
  expect 4 fmt one.m
fi
finish
