# Sweeps under an MPI launcher: the table of one process, whatever the number of processes; one that is killed goes on.
module=$(dirname "$1")/tendril_mpi.so
[ -f "$module" ] || { echo 'this build has no module for MPI (Debian: libopenmpi-dev or libmpich-dev)'; exit 77; }
command -v mpirun >/dev/null || { echo 'mpirun is missing (Debian: openmpi-bin or mpich)'; exit 77; }
. "$(dirname "$0")/common.bash"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

cat >arm.m <<'MODEL'
E = param('E', 1e6, [5e5 2e6]); n = param('n', 2); T = input('T', 1, [0 5]);
world.g = [0 0 -9.81];
rod(1).model = 'gvs'; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = E; rod(1).rho = 1000; rod(1).eta = 1e3;
rod(1).order = [-1 -1 -1 n n -1]; rod(1).tr.rot = [2 pi/2];
cable(1).path = [0 0.005]; cable(1).tension = T;
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);
par.t_final = 0.05; par.dt_out = 0.01;
MODEL
many="sweep arm.m --sample sobol -N 300 --over E,T"
launch() { # processes arguments...: output goes to stdout.txt and stderr.txt
  local n=$1
  shift
  timeout 120 mpirun -n "$n" "$program" "$@" >stdout.txt 2>stderr.txt
}
expect 0 $many -o one
for n in 2 4; do
  launch $n $many -o "ranks$n" || fail "$n processes: exit code $?: $(head -3 stderr.txt)"
  prints "in each of $n processes"
  cmp one/sweep.csv "ranks$n/sweep.csv" || fail "$n processes give another table"
  [ "$(grep -c 'Files in' stdout.txt)" = 1 ] || fail 'several processes talk'
done
launch 2 $many -j 2 -o both || fail 'two processes with two threads'
cmp one/sweep.csv both/sweep.csv || fail 'processes with threads give another table'

# every process fails in the same way, and the job ends
launch 2 sweep arm.m --vary 'E=2e6:1e6/3' -o bad && fail 'a wrong range was taken'
says 'the range must ascend'
[ "$(grep -c 'must ascend' stderr.txt)" = 1 ] || fail 'several processes complain'

# a process that is killed ends the job; --resume computes what is missing
longer="$many --do sim"
expect 0 $longer -o whole
timeout 120 mpirun -n 3 "$program" $longer -o killed --t-final 0.0500000001 >/dev/null 2>&1 &
job=$!
for _ in $(seq 300); do [ "$(wc -l 2>/dev/null <killed/sweep.journal || echo 0)" -gt 30 ] && break; sleep 0.02; done
victim=$(pgrep -n -P "$(pgrep -P $job)" || true)  # one of the processes that this mpirun has started
[ -z "$victim" ] || kill -KILL "$victim"
wait $job 2>/dev/null
if [ -f killed/sweep.journal ]; then
  launch 3 $longer -o killed --t-final 0.0500000001 --resume || fail "resumed: exit code $?: $(head -3 stderr.txt)"
  prints 'from the journal'
  expect 0 $longer -o again --t-final 0.0500000001
  cmp again/sweep.csv killed/sweep.csv || fail 'the killed sweep has another table'
else
  echo 'note: the sweep was done before it could be killed'
fi
"$program" doctor | grep -q '^  MPI .*sweeps on several machines' || fail 'doctor does not know MPI'

# a launcher without the module is an error, not several sweeps into one directory
OMPI_COMM_WORLD_SIZE=2 TENDRIL_MPI=/nowhere.so "$program" $many -o none >stdout.txt 2>stderr.txt
[ $? = 4 ] || fail 'a missing module exits with 4'
says 'no module for MPI'
OMPI_COMM_WORLD_SIZE=2 TENDRIL_MPI=off "$program" $many -o alone >stdout.txt 2>stderr.txt || fail 'TENDRIL_MPI=off'
finish
