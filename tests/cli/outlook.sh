# `check` says what a simulation will cost: the numbers are there, finite and positive, in words and in JSON, and tools/outlook
# compares them with what it then costs.  How near they come depends on the machine and is not asserted (within a factor 3 on
# the whole gallery when measured).
. "$(dirname "$0")/common.bash"
for model in pendulum simple_beam; do
  expect 0 check "$models/$model.m"
  grep -Eq 'cost +[0-9.e+-]+ us per evaluation; .* s of simulation (will take|took) about [0-9.e+-]+ s \(.+ solver\)' stdout.txt ||
    fail "no cost of $model: $(grep cost stdout.txt)"
  expect 0 check "$models/$model.m" --json
  json stdout.txt 'all(0 < d["timings"][k] < 1e6 for k in ("evaluation", "expected_simulation", "expected_processor"))'
done
bash "$source/tools/outlook" "$program" "$models/pendulum.m" >table.txt || fail 'tools/outlook'
awk 'NR == 2 { exit !($1 == "pendulum.m" && $2 > 0 && $3 > 0 && $4 > 0) }' table.txt || fail "tools/outlook: $(cat table.txt)"
# a robot that cannot move has no run to foresee
printf 'body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = "fixed";\n' | sed "s/\"/'/g" >rigid.m
expect 0 check rigid.m
finish
