# Models at the seams between elements, each with the number that mechanics gives.  They come with the reference data
# (TENDRIL_DATA/findings).  One line for each: what is run, what came out, what is right.
. "$(dirname "$0")/common.bash"
data=${TENDRIL_DATA:-}/findings
[ -d "$data" ] || { echo 'no reference data'; exit 77; }
python3 - "$program" "$data" <<'PYTHON' || failures=1
import csv, json, math, os, shutil, subprocess, sys

program, data = sys.argv[1:]
failures = 0


class Result:
    """What one command wrote: its exit code, messages, summary.json and the last row of the trajectory."""

    def __init__(self, verb, model, options):
        shutil.rmtree("out", ignore_errors=True)
        done = subprocess.run([program, verb, os.path.join(data, model + ".m"), *options,
                               *(() if verb == "check" else ("-o", "out"))],
                              capture_output=True, text=True, timeout=300)
        self.code, self.text = done.returncode, done.stdout + done.stderr
        self.summary, self.last, self.rows = {}, {}, []
        if os.path.exists("out/summary.json"):
            self.summary = json.load(open("out/summary.json"))
        if os.path.exists("out/trajectory.csv"):
            self.rows = list(csv.DictReader(open("out/trajectory.csv")))
            self.last = {name: float(x) for name, x in self.rows[-1].items()}
        if os.path.exists("out/modes.csv"):
            self.modes = [float(mode["frequency_hz"]) for mode in csv.DictReader(open("out/modes.csv"))]
        self.rest = self.summary.get("equilibrium", {})
        self.energy = self.summary.get("energy", {}).get("error", math.nan)
        self.trust = self.summary.get("trust", {}).get("verdict")


def show(verb, model, options, value, right, within):
    """One line of the table; a verdict is compared as it is, a number within a bound."""
    global failures
    good = abs(value - right) <= within if isinstance(right, float) else value == right
    failures += not good
    what = " ".join([verb, model, *options])
    print(f"{'ok ' if good else 'BAD'} {what:66} {value!s:>24}  {right} ± {within}" if isinstance(right, float)
          else f"{'ok ' if good else 'BAD'} {what:66} {value!s:>24}  {right}")


def run(verb, model, *options):
    return Result(verb, model, options)


def check(verb, model, value, right, within=0, options=()):
    r = run(verb, model, *options)
    try:
        got = value(r)
    except Exception as problem:
        got = f"{type(problem).__name__}: {problem}; exit {r.code}"
        if isinstance(right, float):
            right = str(right)
    show(verb, model, list(options), got, right, within)


def sensor(name):
    return lambda r: r.last[name]


# speed jumps of prescribed motion act as impulses
check("sim", "F01_pendulum_on_driven_base", sensor("q2"), -0.9130138, 1e-6)
check("sim", "F01_joint_motion", sensor("v2"), 10.73696, 1e-4)
check("sim", "F01_corner_by_max", sensor("v2"), 1.6, 1e-6)
check("sim", "F01_crank_mechanism", lambda r: r.energy, 0.0, 1e-5)
check("sim", "F01_arm_spun_up", lambda r: r.energy, 0.0, 1e-9)
# the reference is that of the same motion as a spline
spline = run("sim", "F01_rod_on_table_base", "--set", "m=spline").last
check("sim", "F01_rod_on_table_base", lambda r: r.last["tip_x"], spline["tip_x"], 1e-4)
# cables act by the virtual work of their whole way
check("equil", "F02_tendon_over_hinge", lambda r: r.rest["q"][0], 0.1, 1e-9)
check("equil", "F02_tendon_over_slide", lambda r: r.rest["q"][0], -0.05, 1e-9)
check("equil", "F02_tendon_over_body", lambda r: r.rest["q"][0], 0.019996, 1e-6)
# the same loop, closed in any way
fixed = run("sim", "F03_loop_straight_rod", "--set", "how=fixed").last
for how in ("fixed", "revolute", "spherical"):
    check("modes", "F03_pinned_beam", lambda r: 2 * math.pi * r.modes[0],
          math.pi ** 2, 1e-4, ("--set", "how=" + how))
    check("sim", "F03_loop_straight_rod", lambda r: max(abs(x - fixed[k]) for k, x in r.last.items()),
          0.0, 1e-6, ("--set", "how=" + how))
# ends of rods touch
for model in ("gvs", "ebr", "srl"):
    check("sim", "F04_ball_at_fingertip", sensor("tip_x"), -0.003995, 1e-6, ("--set", "model=" + model))
check("sim", "F04_rod_on_its_tip", sensor("tip"), 0.00285, 1e-6)
# one set of coordinates in two rods
check("sim", "F05_shared_coordinates", lambda r: r.energy, 0.0, 1e-9)
# rotations go on beyond half a turn
check("sim", "F06_spin_half_turn", sensor("w_y"), 2.0, 1e-9)
check("sim", "F06_pendulum_over_top", lambda r: r.energy, 0.0, 1e-6)
# friction has no potential
check("equil", "F07_mass_on_belt", lambda r: r.rest["stability"], "stable")
check("equil", "F07_belt_from_rest", lambda r: r.rest["stability"], "stable")
# a loop from tip to base closes by bending, and says so
check("sim", "F09_loop_crushes_rod", lambda r: (r.trust, abs(r.energy) < 1e-6, "deforms rod(1)" in r.text),
      ("ok", True, True))
check("derive", "F11_eba_chain_60", lambda r: r.code, 0)
# equilibria that hold
for how in ("fixed", "revolute", "spherical", "universal"):
    check("equil", "F14_standing_loop_" + how, lambda r: r.rest["stability"], "stable")
check("equil", "F14_soft_column", lambda r: r.rest["stability"], "stable")
# 40 segments of 'eba' fold: the message names what helps
check("equil", "F14_coil", lambda r: "use more segments" in r.text, True)
check("sim", "F15_continuum_stewart", lambda r: (r.trust, abs(r.energy) < 1e-6), ("look", True))
check("sim", "F15_continuum_stewart_stretch", lambda r: (r.trust, abs(r.energy) < 1e-6), ("ok", True))
check("equil", "F16_arm_on_free_cart", lambda r: r.rest["iterations"] <= 5, True, 0, ("--set", "T11=5"))
check("equil", "F16_arm_on_free_cart", lambda r: (r.code, "joint(1).dof(1)" in r.rest["note"]), (3, True), 0,
      ("--set", "Fx=5"))
check("check", "F19_syms_continued", lambda r: r.code, 0)
# one-sided forces: nothing gains energy, nothing passes through anything
check("sim", "F42_bouncing_ball", lambda r: r.energy, 0.0, 1e-4 * 0.59)
check("sim", "F42_link", lambda r: r.energy, 0.0, 1e-4 * 1.5)
for T in ("3", "5", "8", "10", "15", "30"):
    check("sim", "F43_billiard", sensor("v_2"), 0.7, 1e-5, ("--set", "T=" + T))
    check("sim", "F43_brake", sensor("v"), math.sqrt(0.6), 1e-5, ("--set", "T=" + T))
for solver in ("dense", "sparse"):
    check("sim", "F44_task_on_net", sensor("F"), 1.24869, 1e-4, ("--set", "lin=" + solver))
    check("equil", "F45_net_upright", lambda r: r.rest["critical"], -63.23496, 1e-4,
          ("--any", "--set", "lin=" + solver))
# a run in two halves is the run
for model in ("F46_integral_task", "F46_sampled_law"):
    whole = run("sim", model).last["F"]
    shutil.rmtree("half", ignore_errors=True)
    subprocess.run([program, "sim", os.path.join(data, model + ".m"), "--t-final", "0.5", "-o", "half", "--quiet"])
    check("sim", model, sensor("F"), whole, 1e-7, ("--at", "half"))
for n in ("5", "7", "8"):
    check("equil", "F47_rom_chamber", lambda r: r.rest["sensors"]["tip"][1], -0.05683, 6e-6, ("--set", "n=" + n))
check("sim", "F48_fast_drag", sensor("v_x"), 0.19996, 1e-6)
check("sim", "F48_press", lambda r: r.energy, 0.0, 1e-8)
check("sim", "F48_damped_net", lambda r: r.summary["statistics"]["evaluations"] < 3000, True)
check("sim", "F50_loop_strains_rod", lambda r: max(abs(float(r.rows[0][f"strain_{k}"])) for k in range(1, 7)), 0.0, 1e-9)
print(f"{failures} of the numbers above are wrong")
sys.exit(failures > 0)
PYTHON
finish
