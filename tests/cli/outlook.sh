# `check` says what a simulation will cost: the numbers are there, finite and positive, in words and in JSON, and they come near
# what it then costs.  Both are times of the processor.  Within a factor 3 on the whole gallery when measured (tools/outlook); the
# factor 6 here allows for processes that share caches with others, which costs each of them up to twice its time.
. "$(dirname "$0")/common.bash"
for model in pendulum simple_beam; do
  expect 0 check "$models/$model.m"
  grep -Eq 'cost +[0-9.e+-]+ us per evaluation; .* s of simulation (will take|took) about [0-9.e+-]+ s \(.+ solver\)' stdout.txt ||
    fail "no cost of $model: $(grep cost stdout.txt)"
  expect 0 check "$models/$model.m" --json
  json stdout.txt 'all(0 < d["timings"][k] < 1e6 for k in ("evaluation", "expected_simulation", "expected_processor"))'
done
"$source/tools/outlook" "$program" "$models"/{four_bar,cable_manipulator,soft_balance,flag,cable_tracking}.m >table.txt || fail 'tools/outlook'
awk 'NR > 1 && !/within/ { if ($4 > 1/6 && $4 < 6) near++; else print } END { exit near != 5 }' table.txt ||
  fail "check foresees other times than there are: $(cat table.txt)"
# a robot that cannot move has no run to foresee
printf 'body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = "fixed";\n' | sed "s/\"/'/g" >rigid.m
expect 0 check rigid.m
finish
