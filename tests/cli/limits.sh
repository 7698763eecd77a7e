# Limits: what cannot be done is refused at load, with its place and exit code 2, before anything is written; texts of huge
# arrays and copies end; a process with too little memory for the linear algebra says so.
. "$(dirname "$0")/common.bash"
robot="body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"

# settings that no run can have
refused() {
  printf '%s\n%s\n' "$robot" "$1" >limit.m
  for command in check run sim; do
    if [ $command = check ]; then expect 2 check limit.m; else expect 2 $command limit.m -o out; fi
    says "limit.m:2:"
    says "$2"
    absent out
  done
}
refused 'par.t_final = 1e12;' 'par.t_final: 1e+12 s of simulation'
refused 'par.dt_out = 1e-9;' 'par.dt_out: 1 s of simulation with an output every 1e-09 s'
refused 'par.rtol = 1e6;' 'par.rtol must be below 1, got 1e+06'

# arrays with huge indices, and copies of large arrays, end in time: within 3 s of CPU, most of it the system's for fresh
# pages; sanitizers take several times as long (4 to 8 s were measured on a busy machine)
seconds=5
[ -z "$sanitized" ] || seconds=15
quick() {
  echo "$1" >huge.m
  (ulimit -t $seconds && "$program" check huge.m >stdout.txt 2>stderr.txt)
  [ $? = 2 ] || fail "$1"
  says "$2"
}
quick "body(1000000).name = 'a';" 'body has 1000000 elements, it may have 300000'
quick "body(300000).name = 'a';" 'body(1) to body(299999) are empty'
quick "sensor(1000000).name = 'a';" 'sensor(1) to sensor(999999) are empty'
quick "rod(300000).length = 1;" 'rod(1) to rod(299999) are empty'
quick "joint(300000).second = 1;" "has no body, rod or mesh that joint could act on"
quick 'a = 1:1e6; for k = 1:1e5, b = a; b(1) = 2; end' 'takes too long to run'
quick 'for k = 1:1000, x = []; x(2e7) = 1; end' 'takes too long to run'
quick 'for k = 1:1000, x = []; x(1e6).a = 1; end' 'takes too long to run'

# so do loops that grow structures, cells, texts and data, or compute: what a statement costs is counted as what it takes,
# and half a model is not judged for what it lacks
loop() {
  quick "for k = 1:1e9, $1; end" 'takes too long to run'
  [ "$(grep -c 'error\|warning' stderr.txt)" = 1 ] || fail "$1: more than one message"
  says "huge.m:1:"
}
loop 'rod(k).tr(1).rot = [1 0 0 0]'
loop 'joint(k).tr(3).trans = [1 2 3]'
loop 'body(k).I = eye(3)'
loop 'a{k} = k'
loop 'a(k).b.c(2).d = k'
loop 'par.x(k) = 1'
loop 'x = num2str(k)'
loop 'A = inv(eye(3))'
loop 'joint(k).control = sin(t*k)'
loop 'x = feval(@sin, k)'
loop "x = struct('a', {1, 2, 3})"
loop "x = strsplit('a,b,c,d,e', ',')"
loop 'x = cell(1000)'
quick "syms x; y = x; for k = 1:60, y = diff(sin(y) * y, x); end" 'takes too long to run'
quick "text = ''; for k = 1:inf, text = strcat(text, 'ab'); end" 'takes too long to run'
quick 'x = ones(1, 1e6); while x, end' 'takes too long to run'
quick 'x = ones(100); for k = 1:inf, y = norm(x); end' 'takes too long to run'

# and functions of large arguments: what they read and compute is counted, and none is quadratic
quick 'y = conv(ones(1, 1e6), ones(1, 1e6));' 'takes too long to run'
quick "x = mod((1:1e5)*7919, 1000003); y = unique(x, 'stable'); z = median(x); w = sort(x);" 'the model has no body'
quick "s = repmat('a', 1, 1e5); y = strfind(s, s(1:5e4)); z = regexp(s, '(a|b)*c');" 'takes too much work'
quick 'x = {1}; for k = 1:40, x = {x, x}; end; y = isequal(x, x);' 'takes too long to run'
quick 'for k = 1:1000, q(k).a = k; end; for k = 1:inf, y = rmfield(q, "a"); end' 'takes too long to run'
quick 'syms x; a = x * (1:10000); for k = 1:inf, y = max(a); end' 'takes too long to run'
quick 'x = ones(1, 1e6); for k = 1:inf, y = nnz(x); end' 'takes too long to run'
quick 'f = @(x, y) x; for k = 1:inf, y = f(k, k); end' 'takes too long to run'
quick 'rod(1).part(1e6).length = 1;' 'rod(1).part has 1000000 elements, it may have 3000'
quick 'for k = 1:3000, rod(1).part(k).length = 1e-4; end; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;' 'need a dense matrix'
for k in $(seq 20000); do echo 'body(1).zzz = 1;'; done >huge.m
(ulimit -t $seconds && "$program" check huge.m >stdout.txt 2>stderr.txt)
[ $? = 2 ] || fail '20000 unknown fields'
says 'and 19950 more errors'

# a loop that writes six lines for each body makes 40000 of them, and a chain of so many is judged in time
if [ -z "$sanitized" ]; then
  cat >six.m <<'MODEL'
for k = 1:40000
  body(k).m = 0.1 + 0.01 * k;
  body(k).I = 1e-3 * eye(3);
  joint(k).first = k - 1;
  joint(k).second = k;
  joint(k).tr.trans = [0.1 0 inf];
  joint(k).dof.spring.coeff = 10 + k;
end
MODEL
  (ulimit -t 7 && "$program" check six.m >stdout.txt 2>stderr.txt)
  [ $? = 2 ] || fail 'six lines for each of 40000 bodies'
  says 'the whole model has 40000 degrees of freedom'
fi

# one message for one line
printf 'for k = 1:10\n  body(k).m = -k;\nend\n' >loop.m
expect 2 check loop.m
[ "$(grep -c error stderr.txt)" = 1 ] || fail 'more than one message for one line'
says 'body(1).m must not be negative, got -1 kg (and 9 more like it here)'

# little memory: an answer, and soon (sanitizers need more than any limit)
if [ -z "$sanitized" ]; then
  for limit in 80000 100000 150000 200000 250000; do
    rm -rf out
    (ulimit -v $limit && ulimit -t 10 && "$program" run "$models/pendulum.m" -o out >stdout.txt 2>stderr.txt)
    case $? in
      0) json out/summary.json ;;
      3 | 1) grep -q 'out of memory\|cannot' stderr.txt || fail "no reason with $limit kB: $(head -1 stderr.txt)" ;;
      127) ;; # the program itself does not fit
      *) fail "no answer with $limit kB" ;;
    esac
  done
fi
finish
