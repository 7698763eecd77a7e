# A sweep as a job of a real batch system: controller, node and key service of Slurm run on this machine, in a folder of
# their own and on ports of their own, and are ended by their process ids.  The script of docs/sweep.md is what is submitted.
module=$(dirname "$1")/tendril_mpi.so
[ -f "$module" ] || { echo 'this build has no module for MPI'; exit 77; }
for tool in munged slurmctld slurmd srun sbatch scontrol; do
  command -v $tool >/dev/null || { echo "$tool is missing (Debian: slurm-wlm munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'the daemons of Slurm need root here'; exit 77; }
. "$(dirname "$0")/common.bash"
daemons=()
finally() {
  for ((k = ${#daemons[@]} - 1; k >= 0; k--)); do kill "${daemons[k]}" 2>/dev/null; done
  for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null; done
  rm -rf "$place"
}
trap finally EXIT

# keys, controller, node; ports from the process id, so that two tests do not meet
chmod 755 "$place"
mkdir -m 755 slurm && cd slurm || exit 1
mkdir -m 700 key state spool
port=$((20000 + $$ % 20000))
head -c 1024 /dev/urandom >key/munge.key && chmod 400 key/munge.key
munged --foreground --force --key-file="$PWD/key/munge.key" --socket="$PWD/munge.socket" --pid-file="$PWD/munge.pid" \
  --log-file="$PWD/munge.log" --seed-file="$PWD/munge.seed" >munged.out 2>&1 &
daemons+=($!)
host=$(hostname -s)
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.socket
CredType=cred/munge
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=pmix
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
CONF
echo 'CgroupPlugin=cgroup/v1' >cgroup.conf
export SLURM_CONF=$PWD/slurm.conf
for _ in $(seq 100); do [ -S munge.socket ] && break; sleep 0.05; done
slurmctld -D -i >slurmctld.log 2>&1 &
daemons+=($!)
slurmd -D -N "$host" >slurmd.log 2>&1 &
daemons+=($!)
for _ in $(seq 200); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 0.1; done
sinfo -h -o %t 2>/dev/null | grep -q idle || { fail "no node: $(tail -2 slurmctld.log slurmd.log)"; finish; }
srun --mpi=list 2>&1 | grep -q pmix || { echo 'this Slurm has no PMIx'; exit 77; }
cd ..

cat >arm.m <<'MODEL'
E = param('E', 1e6, [5e5 2e6]); L = param('L', 0.3, [0.2 0.4]);
world.g = [0 0 -9.81];
rod(1).model = 'gvs'; rod(1).length = L; rod(1).radius = 0.01; rod(1).E = E; rod(1).rho = 1000; rod(1).eta = 1e3;
rod(1).order = [-1 -1 -1 2 2 -1]; rod(1).tr.rot = [2 pi/2];
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));
MODEL
expect 0 sweep arm.m --sample sobol -N 400 --over E,L -o one

# the script of the documentation, with fewer tasks and points and the program of this build
awk '/^    #!\/bin\/bash/ { on = 1 } on && !/^    / { exit } on { print substr($0, 5) }' "$source/docs/sweep.md" |
  sed "s/--ntasks=64/--ntasks=4/; s/100000/400/; s|pmix tendril|pmix $program|" >job.sh
grep -q 'srun --mpi=pmix' job.sh || fail 'docs/sweep.md has no script'
export OMPI_MCA_rmaps_base_oversubscribe=1
job=$(sbatch --parsable --oversubscribe --chdir="$place" -o job.out job.sh) || fail 'sbatch'
for _ in $(seq 600); do
  state=$(scontrol show job "$job" 2>/dev/null | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p')
  case $state in PENDING | RUNNING | COMPLETING | CONFIGURING) sleep 0.2 ;; *) break ;; esac
done
[ "$state" = COMPLETED ] || fail "the job is $state: $(tail -3 job.out) $(tail -2 slurm/slurmctld.log)"
grep -q 'in each of 4 processes' job.out || fail "not shared: $(tail -3 job.out)"
cmp one/sweep.csv results/sweep.csv || fail 'the job gives another table'
finish
