"""The package on small models: closed forms, agreement of its parts, errors, memory."""

import copy
import gc
import multiprocessing
import os
import pickle
import resource
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import tendril

MODELS = Path(__file__).resolve().parents[2] / "models"
CART = """
world.g = [0 0 -9.81]; F = input('F', 0); T = input('T', 0); m = param('m', 0.4);
body(1).m = 1.5; body(1).I = zeros(3);
body(2).m = m; body(2).I = zeros(3); body(2).l_com = [0 0 0.7];
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;
joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).rot = [2 inf]; joint(2).dof(1).input = T;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
sensor(2).name = 'tip'; sensor(2).value = pos(body(2), [0 0 0.7]);
"""


class Evaluating(unittest.TestCase):
    def test_equations_balance_and_tangents_are_those_of_differences(self):
        robot = tendril.loads(CART)
        s = robot.state(q=[0.1, 0.7], v=[0.3, -1.1], u=[2, 0.5])
        e = robot.evaluate(s)
        np.testing.assert_allclose(e.M @ e.vdot + e.h, e.tau, atol=1e-12)
        h = 1e-6
        for k in range(2):
            d = np.eye(2)[k] * h
            a, b = robot.evaluate(s.moved(d)), robot.evaluate(s.moved(-d))
            slope = ((a.M @ e.vdot + a.h - a.tau) - (b.M @ e.vdot + b.h - b.tau)) / (2 * h)
            np.testing.assert_allclose(e.dFdq[:, k], slope, atol=1e-8)

    def test_pose_and_sensors_agree(self):
        robot = tendril.loads(CART)
        s = robot.state(q=[0.1, 0.7])
        g, twist = robot.pose("body(2)", s) if "body(2)" in robot.stations else robot.pose(1, s)
        tip = g @ [0, 0, 0.7, 1]
        y = robot.sensors(s)
        np.testing.assert_allclose(tip[:3], [y["tip_x"], y["tip_y"], y["tip_z"]], atol=1e-15)
        np.testing.assert_allclose(y["tip_x"], 0.1 + 0.7 * np.sin(0.7))

    def test_parameters(self):
        robot = tendril.loads(CART, m=1)
        self.assertEqual(robot.param("m"), 1)
        robot.set_param("m", 2)
        np.testing.assert_allclose(robot.evaluate().M[0, 0], 3.5)


class Analysing(unittest.TestCase):
    def test_pendulum_modes_and_simulation(self):
        robot = tendril.load(MODELS / "pendulum.m")
        rest = robot.equilibrium()
        self.assertTrue(rest.stable)
        np.testing.assert_allclose(robot.modes(rest.state).frequency, np.sqrt(1.5 * 9.81) / (2 * np.pi), rtol=1e-10)
        run = robot.simulate(t_final=1, dt_out=0.1)
        self.assertEqual(len(run), 11)
        self.assertEqual(run["tip"].shape, (11, 3))
        np.testing.assert_allclose(np.linalg.norm(run["tip"], axis=1), 1, atol=1e-12)
        np.testing.assert_allclose(run.energy[:, :3].sum(axis=1) - run.energy[:, 3], run.energy[0, :3].sum(), atol=1e-6)
        self.assertIn("tip_x", rest._repr_html_())
        self.assertRegex(robot._repr_html_(), "<iframe srcdoc=|<table")
        self.assertIn("steps", run._repr_html_())
        self.assertEqual((run.trust.verdict, run.trust.reasons), ("ok", []))

    def test_magnet_slot_and_centre_of_mass(self):
        # small oscillations: a needle of inertia I in a field, w² = m B / I, and a bead in a parabola z = c x²/2, w² = g c
        robot = tendril.loads("""
world.g = [0 0 -9.81]; B = input('B', 0.08);
body(1).m = 1; body(1).I = 0.01*eye(3); body(2).m = 3; body(2).I = 0.001*eye(3);
joint(1).second = 1; joint(1).type = 'revolute';
magnet(1).on = 1; magnet(1).moment = [0.5 0 0]; magnet(1).field = [B 0 0];
x = dof(joint(2), 1); joint(2).second = 2; joint(2).curve = [x 0 1.5*x^2];
sensor(1).name = 'centre'; sensor(1).value = com();
""")
        np.testing.assert_allclose(np.sort(robot.modes().frequency), np.sqrt([4, 9.81 * 3]) / (2 * np.pi), rtol=1e-9)
        linear = robot.linearize()
        w2 = np.sort(np.linalg.eigvals(linear.A).imag ** 2)
        np.testing.assert_allclose(w2, [4, 4, 9.81 * 3, 9.81 * 3], rtol=1e-9)
        np.testing.assert_allclose(linear.B, 0, atol=1e-12)  # the needle points along the field
        np.testing.assert_allclose(linear.C[0, :2], [0, 0.75], atol=1e-12)
        y = robot.sensors(robot.state(q=[0.3, 0.2]))
        centre = [y["centre_x"], y["centre_y"], y["centre_z"]]
        np.testing.assert_allclose(centre, [0.15, 0, 0.75 * 1.5 * 0.04], atol=1e-12)

    def test_error_bars(self):
        text = ("world.g = [0 0 -9.81]; rod(1).length = 0.3; rod(1).radius = 0.012; rod(1).E = 6e5;"
                "rod(1).rho = 1080; rod(1).tr.rot = [1 1.2]; rod(1).eta = 300;"
                "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));")
        robot = tendril.loads(text)
        rest = robot.equilibrium(errors=True)
        self.assertEqual(list(rest.errors), list(rest.sensors))
        self.assertTrue(0 < rest.errors["tip_x"] < 1e-3)
        self.assertEqual((robot.equilibrium().errors, rest.error, rest.trust.verdict), ({}, rest.errors, "ok"))

        # frequencies and motion: a finer rod lies within
        modes, fine = robot.modes(errors=True), tendril.loads(text + "rod(1).n = 8;")
        self.assertIsNone(robot.modes().error)
        self.assertTrue(np.all(abs(fine.modes().frequency[:3] - modes.frequency[:3]) < modes.error[:3]))
        with tempfile.TemporaryDirectory() as place:
            run = robot.simulate(t_final=0.1, dt_out=0.02, errors=True, save=place)
            head = (Path(place) / "trajectory_error.csv").read_text().splitlines()[0]
            self.assertEqual(head, (Path(place) / "trajectory.csv").read_text().splitlines()[0])
        self.assertEqual((list(run.error), run.trust.verdict), (robot.sensor_names, "ok"))
        self.assertTrue(np.all(np.diff(run.error["tip_x"]) >= 0) and 0 < run.error["tip_x"][-1] < 1e-2)
        exact = fine.simulate(t_final=0.1, dt_out=0.02, rtol=1e-9, atol=1e-11)
        self.assertTrue(np.all(np.linalg.norm(run["tip"] - exact["tip"], axis=1) <= run.error["tip_x"] + 1e-12))
        self.assertEqual(robot.simulate(t_final=0.1).error, {})

    def test_files_of_a_run_are_those_of_the_program(self):
        robot = tendril.load(MODELS / "pendulum.m")
        with tempfile.TemporaryDirectory() as place:
            run = robot.simulate(t_final=0.5, dt_out=0.1, save=os.path.join(place, "run"))
            path = Path(place) / "run" / "trajectory.csv"
            table = np.genfromtxt(path, delimiter=",", names=True)
            np.testing.assert_array_equal(table["t"], run.t)
            np.testing.assert_array_equal(table["tip_x"], run["tip"][:, 0])
            np.testing.assert_array_equal(table["q1"], run.q[:, 0])
            self.assertTrue(path.with_suffix(".h5").stat().st_size > 0)
            with self.assertRaisesRegex(tendril.Error, "trajectory.csv"):
                robot.simulate(t_final=0.1, save=path)  # a file is no directory

    def test_trust_names_what_is_wrong(self):
        robot = tendril.loads("body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
                              "joint(1).dof.rate = 1e9; par.t_final = 2; par.dt_out = 2;")
        trust = robot.simulate().trust
        self.assertEqual(trust.verdict, "wrong")
        self.assertIn("faster than light", trust.reasons[0])
        self.assertEqual(str(trust), "wrong: " + "; ".join(trust.reasons))

    def test_linear_model_and_gains(self):
        robot = tendril.loads(CART)
        linear = robot.linearize()
        self.assertEqual(linear.structure()["reachable"], 4)
        K = linear.lqr([10, 10, 1, 1], 0.1)
        self.assertTrue((np.linalg.eigvals(linear.A - linear.B @ K).real < 0).all())
        L = linear.kalman(1, 1e-3)
        self.assertTrue((np.linalg.eigvals(linear.A - L @ linear.C).real < 0).all())
        G = linear.response([0.5, 1.0])
        w = 2 * np.pi * 1.0
        np.testing.assert_allclose(G[1], linear.C @ np.linalg.solve(1j * w * np.eye(4) - linear.A, linear.B) + linear.D)
        np.testing.assert_allclose(robot.response([0.5, 1.0]), G)
        with self.assertRaises(tendril.Error):
            linear.lqr(np.zeros((3, 3)))

    def test_a_large_net_is_reduced(self):
        robot = tendril.load(MODELS / "hanging_net.m", n=19)
        few = robot.linearize(modes=20, correct=True)
        self.assertEqual(few.A.shape, (42, 42))
        hz = [0.3, 0.9]
        z = robot.sensor_names.index("middle_z")
        np.testing.assert_allclose(few.response(hz)[:, z], robot.response(hz, few.about)[:, z], rtol=0.01)

    def test_plant_balances_the_cart(self):
        robot = tendril.loads(CART)
        linear = robot.linearize()
        K = linear.lqr([10, 10, 1, 1], [0.1, 1e6])
        plant = robot.plant(robot.state(q=[0, 0.3]))
        for k in range(1, 801):
            plant.step(0.01 * k, -K @ linear.state(plant.state))
        self.assertLess(np.abs(plant.q).max() + np.abs(plant.v).max(), 1e-3)

    def test_rows_of_models_whose_controllers_remember(self):
        r = tendril.loads("""
            F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
            joint(1).dof(1).init = 0.2; joint(1).dof(1).input = F; control(1).inputs = 'F';
            control(1).law = -50*dof(joint(1), 1); par.control.rate = 10;
            """)
        run = r.simulate(t_final=0.2, dt_out=0.05)
        np.testing.assert_allclose(run.t, 0.05 * np.arange(5), atol=1e-12)
        # -10 N for the first period of 0.1 s
        np.testing.assert_allclose(run.q[:3, 0], 0.2 - 5 * run.t[:3] ** 2, atol=1e-9)
        self.assertEqual(r.plant().trust.verdict, "ok")

    def test_plant_repeats_itself_and_agrees_with_simulate(self):
        robot = tendril.loads(CART)
        ends = []
        plant = robot.plant(robot.state(q=[0, 0.5]), rtol=1e-9, atol=1e-11)
        for _ in range(2):
            for k in range(1, 51):
                plant.step(0.02 * k, F=1.0)
            ends.append(np.r_[plant.q, plant.v].copy())
            self.assertEqual(plant["x"], plant.q[0])
            plant.reset(robot.state(q=[0, 0.5]))
        np.testing.assert_array_equal(ends[0], ends[1])
        run = robot.simulate(robot.state(q=[0, 0.5], u=[1, 0]), t_final=1, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(np.r_[run.q[-1], run.v[-1]], ends[0], atol=1e-7)


class Errors(unittest.TestCase):
    def test_messages_are_those_of_the_tool(self):
        with self.assertRaisesRegex(tendril.Error, "model.m:1:9: error: unknown field 'mm' of body"):
            tendril.loads("body(1).mm = 2;")
        with self.assertRaisesRegex(tendril.Error, "no_such_file"):
            tendril.load("no_such_file.m")
        robot = tendril.loads(CART)
        with self.assertRaisesRegex(tendril.Error, "no input 'G'; it has: F, T"):
            robot.plant().step(0.1, G=1)
        with self.assertRaisesRegex(tendril.Error, "no param 'mass'"):
            robot.set_param("mass", 1)
        with self.assertRaisesRegex(tendril.Error, "must not be negative, got -1 kg"):
            robot.set_param("m", -1)
        with self.assertRaisesRegex(tendril.Error, "solver must be"):
            robot.simulate(solver="euler")
        with self.assertRaisesRegex(tendril.Error, "arguments it cannot use"):
            robot.plant().step(-1)
        with self.assertRaises(KeyError):
            robot.simulate(t_final=0.01)["nothing"]

    def test_a_progress_function_can_stop_a_run(self):
        robot = tendril.load(MODELS / "pendulum.m")
        with self.assertRaisesRegex(tendril.Error, "stopped on request"):
            robot.simulate(t_final=1e4, progress=lambda fraction, what: False)


def tip_after(robot, state):
    """What a worker computes: where the cart is after a tenth of a second."""
    return robot.simulate(state, t_final=state.t + 0.1).q[-1]


class Copies(unittest.TestCase):
    def test_copies_share_nothing_and_keep_params_and_states(self):
        robot = tendril.loads(CART, m=1)
        robot.set_param("m", 2)
        for other in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
            self.assertEqual(other.param("m"), 2)
            other.set_param("m", 3)
            self.assertEqual(robot.param("m"), 2)
            np.testing.assert_allclose(other.evaluate().M[0, 0], 4.5)
        s = robot.state(t=0.5, q=[0.1, 0.7], v=[1, 2], u=[3, 4])
        for other in (copy.copy(s), copy.deepcopy(s)):
            self.assertIs(other.robot, robot)
            other.q[0] = 9
            self.assertEqual(s.q[0], 0.1)
        both = copy.deepcopy([robot, s])
        self.assertIs(both[1].robot, both[0])
        first, second, between, last = copy.deepcopy((s, s.copy(), robot, s))  # in any order
        self.assertTrue(first.robot is second.robot is between is not robot)
        self.assertIs(last, first)
        np.testing.assert_array_equal(tip_after(between, first), tip_after(robot, s))
        self.assertIs(s.robot, robot)
        for robot_again, again in (both, pickle.loads(pickle.dumps((robot, s)))):
            self.assertIs(again.robot, robot_again)
            self.assertEqual((again.t, *again.q, *again.v, *again.u), (0.5, 0.1, 0.7, 1, 2, 3, 4))
            np.testing.assert_array_equal(tip_after(robot_again, again), tip_after(robot, s))

    def test_results_are_copied(self):
        robot = tendril.loads(CART)
        run = robot.simulate(t_final=0.1)
        linear = robot.linearize()
        plant = robot.plant()
        plant.step(0.05, F=1.0)
        again, line, going = pickle.loads(pickle.dumps((run, linear, plant)))
        np.testing.assert_array_equal(again["tip"], run["tip"])
        np.testing.assert_allclose(line.response(1.0), linear.response(1.0))
        self.assertEqual(line.structure()["reachable"], linear.structure()["reachable"])
        np.testing.assert_array_equal(line.state(line.robot.state(q=[0.1, 0])), linear.state(robot.state(q=[0.1, 0])))
        line.A[:] = 0  # its own
        self.assertGreater(np.abs(linear.A).max(), 0)
        for p in (plant, going):
            p.step(0.1)
        np.testing.assert_allclose(going.q, plant.q, atol=1e-6)  # the integrator of the copy started anew
        self.assertIsNot(going.robot, robot)

    def test_models_of_files_are_copied_from_other_folders(self):
        with tempfile.TemporaryDirectory() as place:
            for name, text in (("part.m", "m = param('m', 0.5);"), ("whole.m", "include('part.m');\n" + CART.replace(
                    "m = param('m', 0.4);", ""))):
                (Path(place) / name).write_text(text)
            here = os.getcwd()
            try:
                os.chdir(place)
                robot = tendril.load("whole.m")
                os.chdir(here)
                (Path(place) / "whole.m").write_text("body(1).m = -1;")  # the text as it was read counts
                self.assertEqual(copy.deepcopy(robot).param("m"), 0.5)
            finally:
                os.chdir(here)

    def test_spawned_workers(self):
        robot = tendril.loads(CART)
        robot.set_param("m", 2)
        s = robot.state(q=[0, 0.3])
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            there = pool.apply(tip_after, (robot, s))
        np.testing.assert_array_equal(there, tip_after(robot, s))


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_run_and_reaches_the_caller(self):
        robot = tendril.load(MODELS / "pendulum.m")
        before = signal.getsignal(signal.SIGINT)
        for k in range(5):
            timer = threading.Timer(0.1 + 0.03 * k, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                robot.simulate(t_final=1e6, dt_out=1e3)
            timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertEqual(len(robot.simulate(t_final=0.1, dt_out=0.1)), 2)  # and the robot can go on

    def test_what_would_be_ignored_is_refused(self):
        robot = tendril.loads(CART)
        with self.assertRaisesRegex(tendril.Error, "must not be negative"):
            robot.set_param("m", -1)
        plant = robot.plant()
        with self.assertRaises(tendril.Error) as later:
            plant.step(-1)
        self.assertNotIn("negative", str(later.exception))  # no cause of this one
        for x in (plant.q, plant.v, plant.u, plant.state.q):
            with self.assertRaises(ValueError):
                x[0] = 1
        with self.assertRaisesRegex(tendril.Error, "plant.reset"):
            plant.state.t = 1
        going = plant.state.copy()
        going.q[0] = 0.25
        self.assertEqual(plant.reset(going).q[0], 0.25)
        for load in (lambda: tendril.loads(CART + "\0nonsense"), lambda: tendril.loads(CART, m="1\0+")):
            with self.assertRaisesRegex(tendril.Error, "NUL"):
                load()
        with self.assertRaisesRegex(tendril.Error, "finite"):
            robot.state().moved(float("nan"))

    def test_ctrl_c_ends_a_step_of_a_plant(self):
        robot = tendril.load(MODELS / "pendulum.m")
        plant = robot.plant()
        for k in range(3):
            timer = threading.Timer(0.1 + 0.03 * k, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            before = plant.t
            with self.assertRaises(KeyboardInterrupt):
                plant.step(1e9)
            timer.join()
            self.assertTrue(before < plant.t < 1e9)
        target = plant.t + 0.1
        self.assertEqual(plant.step(target).t, target)  # it goes on

    def test_exceptions_of_other_handlers_too(self):
        class Late(Exception):
            pass

        def late(*_):
            raise Late

        before = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            with self.assertRaises(Late):
                tendril.load(MODELS / "pendulum.m").simulate(t_final=1e6, dt_out=1e3)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_exceptions_of_progress_functions_reach_the_caller(self):
        def broken(fraction, what):
            raise ZeroDivisionError("of the user")
        robot = tendril.load(MODELS / "pendulum.m")
        with self.assertRaisesRegex(ZeroDivisionError, "of the user"):
            robot.simulate(t_final=1e6, dt_out=1e3, progress=broken)

    def test_runs_outside_the_main_thread(self):
        robot, rows = tendril.load(MODELS / "pendulum.m"), []
        thread = threading.Thread(target=lambda: rows.append(len(robot.simulate(t_final=0.1, dt_out=0.1))))
        thread.start()
        thread.join()
        self.assertEqual(rows, [2])


class Belonging(unittest.TestCase):
    def test_states_of_another_robot_are_refused_everywhere(self):
        robot, other = tendril.loads(CART), tendril.load(MODELS / "pendulum.m")
        s, linear, plant = other.state(), robot.linearize(), robot.plant()
        for use in (robot.evaluate, robot.sensors, lambda x: robot.pose(0, x), robot.equilibrium, robot.modes,
                    robot.linearize, lambda x: robot.response([1.0], x), robot.simulate, robot.plant, robot.report,
                    linear.state, plant.reset):
            with self.assertRaisesRegex(tendril.Error, "belongs to another robot"):
                use(s)
            with self.assertRaisesRegex(tendril.Error, "a tendril.State is wanted, got list"):
                use([0, 0])

    def test_numbers_that_are_not_finite_are_refused(self):
        robot, nan = tendril.loads(CART), float("nan")
        for name in ("t_final", "dt_out", "rtol", "atol"):
            for value in (nan, float("inf")):
                with self.assertRaisesRegex(tendril.Error, f"{name} must be a finite number, got"):
                    robot.simulate(**{name: value})
        with self.assertRaisesRegex(tendril.Error, "rtol must be a finite number"):
            robot.plant(rtol=nan)
        with self.assertRaisesRegex(tendril.Error, "param 'm' must be a finite number"):
            robot.set_param("m", nan)
        with self.assertRaisesRegex(tendril.Error, "param 'm' must be a finite number"):
            tendril.loads(CART, m=nan)
        with self.assertRaisesRegex(tendril.Error, "q of the state must be finite"):
            robot.state(q=[nan, 0])
        s = robot.state()
        s.v[1] = nan
        for use in (robot.evaluate, robot.sensors, robot.simulate, robot.equilibrium, robot.plant):
            with self.assertRaisesRegex(tendril.Error, "v of the state must be finite"):
                use(s)
        plant = robot.plant()
        with self.assertRaisesRegex(tendril.Error, "inputs must be finite, got F = nan"):
            plant.step(0.1, F=nan)
        with self.assertRaisesRegex(tendril.Error, "the time of a step must be a finite number"):
            plant.step(nan)
        self.assertEqual(plant.step(0.1, F=1.0).t, 0.1)
        with self.assertRaisesRegex(tendril.Error, "Q must be finite"):
            robot.linearize().lqr(nan)
        with self.assertRaisesRegex(tendril.Error, "frequencies must be finite"):
            robot.response([nan])


class Memory(unittest.TestCase):
    def test_views_outlive_what_they_came_from(self):
        plant = tendril.loads(CART).plant()
        plant.step(0.1, F=1.0)
        q, want = plant.q, plant.q.copy()
        del plant
        gc.collect()
        [tendril.loads(CART) for _ in range(3)]
        np.testing.assert_array_equal(q, want)

    def test_memory_does_not_grow(self):
        def turn():
            robot = tendril.loads(CART)
            robot.linearize().lqr(1)
            robot.modes()
            robot.simulate(t_final=0.05)
            robot.plant().step(0.01)
        for _ in range(20):
            turn()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(200):
            turn()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 4000, "kilobytes in 200 turns")


FILTER = """
u = input('u', 1, [0 2]); tau = param('tau', 0.3, [0.1 1]);
body(1).m = 2; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];
f = internal('f', 0); dynamics(1).of = 'f'; dynamics(1).rate = (u - f)/tau; dynamics(1).unit = 'm';
joint(1).dof(1).spring.coeff = 50; joint(1).dof(1).spring.init = f; joint(1).dof(1).damp.visc = 1;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
"""


class InternalStates(unittest.TestCase):
    def test_they_are_states(self):
        robot = tendril.loads(FILTER)
        self.assertEqual((robot.internals, robot.internal_units), (["f"], ["m"]))
        s = robot.state(z=[0.4])
        np.testing.assert_allclose(robot.evaluate(s).zdot, [2])
        run = robot.simulate(t_final=1, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(run["f"], 1 - np.exp(-run.t / 0.3), atol=1e-9)
        np.testing.assert_allclose(run.final.z, run.z[-1])
        plant = robot.plant(rtol=1e-9, atol=1e-11)
        plant.step(0.5).step(1)
        np.testing.assert_allclose(plant.z, run.z[-1], atol=1e-9)
        np.testing.assert_allclose(robot.equilibrium().state.z, [1], atol=1e-12)
        linear = robot.linearize()
        self.assertEqual((linear.A.shape, linear.basis.shape), ((3, 3), (3, 3)))
        np.testing.assert_allclose(linear.A[2], [0, 0, -1 / 0.3])
        self.assertEqual(len(robot.modes().eigenvalues), 3)
        for other in (s.copy(), copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
            self.assertEqual(other.z[0], 0.4)

    def test_what_is_not_finite_and_wrong_numbers_are_named(self):
        text = ("body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];"
                "a = internal('a', 1); dynamics(1).of = 'a'; dynamics(1).rate = 1 - a^2; u = input('u', 1, [0 2]);"
                "k = param('k', 10, [1 20]); joint(1).dof(1).spring.coeff = k; joint(1).dof(1).input = a^2 + u;"
                "sensor(1).name = 's'; sensor(1).value = a^3;")
        robot = tendril.loads(text)
        far = robot.state(z=1e308)
        for call, what in ((robot.evaluate, "the acceleration of joint.1..dof.1. is inf"),
                           (robot.linearize, "the rate of the internal state a is -inf"),
                           (robot.modes, "the rate of the internal state a is -inf"),
                           (robot.sensors, "the sensor s is inf")):
            with self.assertRaisesRegex(tendril.Error, what):
                call(far)
        for given, what in (({"z": [1, 2]}, "z has 1 numbers, got 2"), ({"z": "x"}, "z must be numbers"),
                            ({"z": {"b": 1}}, "z has no 'b'; it has: a"), ({"u": {"u": "x"}}, "u 'u' must be a number"),
                            ({"u": 3}, r"input 'u' has the range \[0 2\], got 3"), ({"t": "x"}, "t must be a number")):
            with self.assertRaisesRegex(tendril.Error, what):
                robot.state(**given)
        self.assertEqual(robot.state(z={"a": 2}, u={"u": 0.5}).z[0], 2)
        with self.assertRaisesRegex(tendril.Error, r"parameter 'k' has the range \[1 20\], it was to be set to 30"):
            robot.set_param("k", 30)
        for inputs, what in (([1, 2], "a dictionary"), ({"t": [0, 1], "u": ["a", "b"]}, "input 'u' must be numbers"),
                             ({"t": [0, 1], "u": [0, 3]}, r"input 'u' has the range \[0 2\]")):
            with self.assertRaisesRegex(tendril.Error, what):
                robot.simulate(t_final=1, inputs=inputs)
        with self.assertRaisesRegex(tendril.Error, "only the solver 'fixed' takes equal steps"):
            robot.simulate(t_final=1, step=0.01)
        plant = robot.plant()
        for given, what in (({"u": 3}, r"input 'u' has the range \[0 2\]"), ({"u": "x"}, "u must be numbers"),
                            ({"u": [1, 2]}, "u has 1 numbers, got 2")):
            with self.assertRaisesRegex(tendril.Error, what):
                plant.step(0.1, **given)
        plant.step(0.1, u=0.5)
        beyond = tendril.loads(text, force_range=True)
        beyond.set_param("k", 30)
        copied = copy.deepcopy(beyond)
        self.assertEqual(copied.param("k"), 30)
        copied.plant(copied.state(u=3)).step(0.1, u=4)
        copied.simulate(t_final=1, inputs={"t": [0, 1], "u": [0, 3]})

    def test_modes_and_linear_models_are_left_at_once(self):
        """As they are run, with a call that takes two seconds in the place of LAPACK's."""
        from tendril import robot as module
        robot, freed, go_on = tendril.loads(CART), [], threading.Event()
        modes, free = module.lib.td_modes, module.lib.td_modes_free

        def slow(*arguments):
            go_on.wait(2)
            return modes(*arguments)

        module.lib.td_modes, module.lib.td_modes_free = slow, lambda p: (freed.append(1), free(p))
        try:
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            started = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                robot.modes(robot.state())
            self.assertLess(time.monotonic() - started, 1.5)
            self.assertEqual(len(robot.linearize(robot.state()).A), 4)  # meanwhile the robot is as it was
            go_on.set()
            for thread in threading.enumerate():
                if thread is not threading.current_thread():
                    thread.join()
            self.assertEqual(freed, [1])
        finally:
            module.lib.td_modes, module.lib.td_modes_free = modes, free

    def test_ranges_and_inputs_over_time(self):
        robot = tendril.loads(FILTER)
        self.assertEqual(robot.ranges, {"u": (0, 2), "tau": (0.1, 1)})
        with self.assertRaisesRegex(tendril.Error, "range"):
            tendril.loads(FILTER, tau=5)
        t = np.linspace(0, 1, 5)
        run = robot.simulate(t_final=1, inputs={"t": t, "u": [0, 2, 1, 1, 0]})
        np.testing.assert_allclose(run.u[:, 0], np.interp(run.t, t, [0, 2, 1, 1, 0]), atol=1e-12)
        with self.assertRaisesRegex(tendril.Error, "no input 'w'"):
            robot.simulate(inputs={"t": t, "w": t})
        with self.assertRaisesRegex(tendril.Error, "must ascend"):
            robot.simulate(t_final=1, inputs={"t": [0, 1, 1], "u": [0, 0, 0]})


if __name__ == "__main__":
    unittest.main()
