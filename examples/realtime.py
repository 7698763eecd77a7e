#!/usr/bin/env python3
"""A controller in another process, over UDP: the tip of a soft arm follows a circle.

    tendril serve python/tendril/tasks/follow.m --rate 200 --udp 5005 &
    examples/realtime.py 5005 [steps]

Needs nothing but Python.  Packets are those of include/tendril/serve.h.
"""
import socket
import struct
import sys

MAGIC, VERSION, INPUTS, STOP, STATE = 0x4C445254, 1, 1, 3, 4
REQUEST = struct.Struct("=IHHQII")      # magic, version, kind, sequence, nu, 0
REPLY = struct.Struct("=IHHQQQdIIII")   # magic, version, kind, step, answered, missed, t, nsensor, nq, nv, nz
GAIN = 4.0


def main() -> int:
    port, steps = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 400
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.settimeout(2.0)
    line.connect(("127.0.0.1", port))

    def send(kind: int, sequence: int, u: tuple) -> None:
        line.send(REQUEST.pack(MAGIC, VERSION, kind, sequence, len(u), 0) + struct.pack(f"={len(u)}d", *u))

    # the first request makes the server know whom to answer; then an answer to each step
    send(INPUTS, 1, (0.0, 0.0))
    total, got, last = 0.0, 0, 0
    for k in range(steps):
        packet = line.recv(65536)
        magic, version, kind, step, answered, missed, t, nsensor, nq, nv, nz = REPLY.unpack_from(packet)
        if (magic, version, kind) != (MAGIC, VERSION, STATE) or step <= last:
            continue
        last = step
        seen = struct.unpack_from(f"={nsensor}d", packet, REPLY.size)  # tip x, y (times ten), its velocity, target x, y, ...
        u = tuple(max(-1.0, min(1.0, GAIN * (seen[4 + i] - seen[i]))) for i in range(2))
        send(INPUTS, 2 + k, u)
        total, got = total - seen[8], got + 1                          # the sensor `reward`: minus the distance
    send(STOP, 2 + steps, (0.0, 0.0))
    print(f"{got} steps to t = {t:.3f} s, {missed} deadlines missed, mean distance of tip and target {1e3 * total / got:.2f} mm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
