# tendril serve: a controller in another process over UDP and in shared memory, packets that are wrong, deadlines, signals.
. "$(dirname "$0")/common.bash"
command -v python3 >/dev/null || exit 77
arm=$source/python/tendril/tasks/follow.m

# start ARGUMENTS...: a server of its own, its first line in line.txt
start() {
  rm -f line.txt
  "$program" serve "$@" >line.txt 2>errors.txt &
  server=$!
  for _ in $(seq 200); do
    [ -s line.txt ] && return
    kill -0 $server 2>/dev/null || break
    sleep 0.05
  done
  fail "no server: $(head -2 errors.txt)"
}
port() { sed -n 's/^UDP 127.0.0.1:\([0-9]*\),.*/\1/p' line.txt; }
ended() { # CODE: the server ends by itself
  local got=0
  wait $server || got=$?
  [ $got = "$1" ] || fail "the server ended with $got instead of $1: $(head -2 errors.txt)"
}

# a free run: so many steps, times of all of them, no growth of memory
expect 0 serve "$models/pendulum.m" --rate 1000 --steps 5000 --free-run --json
json stdout.txt 'd["steps"] == 5000 and abs(d["t"] - 5) < 1e-9 and sum(b["count"] for b in d["clock"]["histogram"]) == 5000 and d["clock"]["median"] <= d["clock"]["p999"] <= d["clock"]["max"] and d["memory_end"] - d["memory_start"] < 200'
# the plant is the plant of a simulation with the same steps
python3 - "$program" "$models/pendulum.m" <<'PYTHON' || fail 'another state than that of sim'
import csv, json, subprocess, sys, struct, socket
program, model = sys.argv[1:]
subprocess.run([program, "sim", model, "--solver", "fixed", "--step", "0.01", "--dt-out", "0.01", "--t-final", "0.5", "-o", "same", "--quiet", "--no-report"], check=True)
want = [float(x) for x in list(csv.reader(open("same/trajectory.csv")))[-1]]
names = list(csv.reader(open("same/trajectory.csv")))[0]
server = subprocess.Popen([program, "serve", model, "--rate", "100"], stdout=subprocess.PIPE, text=True)
port = int(server.stdout.readline().split(":")[1].split(",")[0])
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); line.settimeout(5); line.connect(("127.0.0.1", port))
request = struct.Struct("=IHHQII"); reply = struct.Struct("=IHHQQQdIIII")
line.send(request.pack(0x4C445254, 1, 2, 1, 0, 0))                       # reset: step 1 begins anew
for _ in range(400):
    packet = line.recv(65536); head = reply.unpack_from(packet)
    if head[6] > 0.499: break
line.send(request.pack(0x4C445254, 1, 3, 2, 0, 0))
server.wait(10)
q = struct.unpack_from("=1d", packet, reply.size + 8 * head[7])[0]
assert abs(head[6] - 0.5) < 1e-9 and head[8] == 1, head
have = want[names.index("q1")]
assert abs(q - have) < 1e-9 * (1 + abs(have)), (q, have)
PYTHON

# the controller in Python over UDP, and packets that are wrong: left out and counted
start "$arm" --rate 200
python3 - "$(port)" <<'PYTHON'
import socket, struct, sys
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); line.connect(("127.0.0.1", int(sys.argv[1])))
good = struct.Struct("=IHHQII")
nan = float("nan")
for packet in (b"", b"x", b"\0" * 5000, good.pack(1, 1, 1, 9, 2, 0) + bytes(16), good.pack(0x4C445254, 2, 1, 9, 2, 0) + bytes(16),
               good.pack(0x4C445254, 1, 9, 9, 2, 0) + bytes(16), good.pack(0x4C445254, 1, 1, 9, 3, 0) + bytes(24),
               good.pack(0x4C445254, 1, 1, 9, 2, 0) + bytes(15), good.pack(0x4C445254, 1, 1, 9, 2, 7) + bytes(16),
               good.pack(0x4C445254, 1, 1, 9, 2, 0) + struct.pack("=2d", 0, nan)):
    line.send(packet)
line.send(good.pack(0x4C445254, 1, 1, 5, 2, 0) + struct.pack("=2d", 0, 9))   # right, but beyond the range of the input
line.send(good.pack(0x4C445254, 1, 1, 4, 2, 0) + struct.pack("=2d", 0, 0))   # older than the one before
PYTHON
python3 "$source/examples/realtime.py" "$(port)" 200 >control.txt || fail "examples/realtime.py"
ended 0
grep -q 'steps to t = ' control.txt || fail "the controller: $(cat control.txt)"
grep -q 'malformed 10, stale 1' line.txt || fail "packets: $(grep malformed line.txt)"
grep -qE 'out of range [1-9]' line.txt || fail "an input out of its range was not counted: $(grep malformed line.txt)"
awk '/mean distance/ { d = $(NF - 1) } END { exit !(d > 0 && d < 15) }' control.txt || fail "it does not follow: $(cat control.txt)"

# the controller in C, in shared memory
if command -v cc >/dev/null; then
  cc -O1 -o realtime "$source/examples/realtime.c" -I "$source/include" || fail 'examples/realtime.c does not compile'
  name=tendril-test-$$
  start "$arm" --rate 200 --shm $name
  expect 4 serve "$arm" --shm $name
  says 'is there already'
  ./realtime $name 200 >control.txt || fail 'examples/realtime.c'
  ended 0
  awk '/mean distance/ { d = $(NF - 1) } END { exit !(d > 0 && d < 15) }' control.txt || fail "it does not follow: $(cat control.txt)"
  [ ! -e /dev/shm/$name ] || fail 'the shared memory stays'
fi

# Ctrl-C: counts, no memory left behind
name=tendril-stop-$$
start "$models/pendulum.m" --rate 500 --shm $name
sleep 0.2
kill -TERM $server
ended 0
grep -q 'deadlines missed' line.txt || fail 'no counts after a signal'
[ ! -e /dev/shm/$name ] || fail 'the shared memory stays after a signal'

# a step that takes longer than its period misses it
expect 0 serve "$models/cable_manipulator.m" --rate 100000 --steps 20 --json
json stdout.txt 'd["missed"] >= 19 and d["in_time"] < 10'

# the real-time class of the scheduler: had, or refused with the reason
"$program" serve "$models/pendulum.m" --steps 5 --fifo >stdout.txt 2>stderr.txt
case $? in
  0) ;;
  4) says '--fifo:' ;;
  *) fail "--fifo: $(cat stderr.txt)" ;;
esac

# a plant that fails ends the server
cat >fail.m <<'MODEL'
body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).init = 1;
exload(1).exbody = 1; exload(1).ftau = [sqrt(0.05 - t) 0 0 0 0 0];
MODEL
expect 3 serve fail.m --rate 100 --steps 50 --free-run
says 'serve:'

# wrong use
expect 1 serve "$arm" --udp 5005 --shm x
says 'one of --udp and --shm'
expect 1 serve "$arm" --udp 70000
says '65535'
expect 1 serve "$arm" --shm ../x
says 'letters, digits'
expect 1 serve "$arm" --rate 0
says 'positive'
start "$models/pendulum.m" --rate 100
expect 4 serve "$models/pendulum.m" --udp "$(port)" --steps 1
says 'in use'
kill -INT $server 2>/dev/null
kill -TERM $server 2>/dev/null
{ wait $server; } 2>/dev/null
finish
