"""What Python costs: 10 000 steps of the cable-driven manipulator with inputs and sensors at every step, from C and
from Python in turn, printed as JSON (processor time; four turns of 2500 steps each).  The ratio is to be below 1.2.

    bench_python.py BENCH_STEPS MODELS      (TENDRIL_LIBRARY and PYTHONPATH say where the package is)
"""

import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS, TURNS = 2500, 4
INPUTS = "".join(f"cable({k}).tension = input('T{k}', 0);\n" for k in range(1, 5))


def from_c(program: str, model: str) -> tuple[float, list[float]]:
    words = subprocess.run([program, model, str(STEPS)], check=True, capture_output=True, text=True).stdout.split()
    return float(words[0]), [float(x) for x in words[1:]]


def from_python(plant, state) -> tuple[float, list[float]]:
    plant.reset(state)
    sin, start = math.sin, time.process_time()
    for k in range(1, STEPS + 1):
        t = k * 5e-4
        plant.step(t, [5 + 5 * sin(t), 5 + 5 * sin(2 * t), 5 + 5 * sin(3 * t), 5 + 5 * sin(4 * t)])
        y = plant.sensors()
    return time.process_time() - start, y.tolist()


def main() -> None:
    try:
        import tendril
    except ImportError as why:
        print(json.dumps({"python": None, "why": str(why)}))
        return
    with tempfile.TemporaryDirectory() as place:
        model = str(Path(place) / "manipulator.m")
        Path(model).write_text((Path(sys.argv[2]) / "cable_manipulator.m").read_text() + INPUTS)
        robot = tendril.load(model)
        plant, state = robot.plant(rtol=1e-3, atol=1e-4), robot.state()
        c, python, ends = [], [], []
        for _ in range(TURNS):
            for times, (seconds, end) in ((c, from_c(sys.argv[1], model)), (python, from_python(plant, state))):
                times.append(seconds)
                ends.append(end)
    far = max(abs(a - b) for end in ends for a, b in zip(end, ends[0]))
    ratio, more = sum(python) / sum(c), (sum(python) - sum(c)) / (STEPS * TURNS)
    print(json.dumps({"steps": STEPS * TURNS, "c_s": sum(c), "python_s": sum(python), "ratio": ratio,
                      "us_per_step_more": 1e6 * more, "tips_differ_m": far}))


main()
