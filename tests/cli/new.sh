# tendril new: every kind is written once, runs at once and is trusted; no file is ever overwritten.
. "$(dirname "$0")/common.bash"
expect 0 new
kinds=$(sed -n 's/^  \([a-z]*\) .*/\1/p' stdout.txt)
[ "$(echo $kinds)" = 'arm net parallel pneumatic rod swimmer' ] || fail "other kinds: $kinds"
for kind in $kinds; do
  expect 0 new $kind
  cmp -s $kind.m "$models/new/$kind.m" || fail "$kind.m is another text"
  expect 0 run $kind.m --no-report
  prints 'trust: ok'
  grep -qE 'trust: (look|wrong)' stdout.txt && fail "$kind: $(grep trust: stdout.txt)"
  for name in $(grep -oE '\-\-set [a-z0-9]+=[0-9.e-]+' $kind.m | sed 's/--set //' | sort -u); do
    expect 0 check $kind.m --set "$name"
  done
done

# a file that exists stays, whatever is asked
echo mine >arm.m
expect 4 new arm
says 'exists already'
expect 4 new rod -o arm.m
[ "$(cat arm.m)" = mine ] || fail 'arm.m was overwritten'
ln -s nowhere link.m
expect 4 new rod -o link.m
absent nowhere
expect 0 new rod -o other.m --quiet
[ -s stdout.txt ] && fail '--quiet prints'
has other.m

# wrong use
expect 1 new amr
says "did you mean 'arm'?"
expect 1 new snake
says "'tendril new' lists them"
expect 1 new -o x.m
expect 1 new arm rod
expect 4 new arm -o missing/arm.m
expect 4 new arm -o .
absent x.m
if [ -w /dev/full ]; then
  expect 4 new arm -o /dev/full
fi
finish
