"""Derivatives from Python: closed forms, differences of order 8 of what is computed, seams, mistakes."""

import contextlib
import io
import os
import re
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

import numpy as np

import tendril

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
# x = a cos(wt) + b sin(wt)/w + F (1 - cos(wt))/k with w^2 = k/m
SLIDE = """
k = param('k', 80); a = param('a', 0.1); b = param('b', 0.3); F = input('F', 1); body(1).m = 2; joint(1).second = 1;
joint(1).name = 'slide'; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).spring.coeff = k; joint(1).dof(1).spring.init = 0;
joint(1).dof(1).input = F; joint(1).dof(1).init = a; joint(1).dof(1).rate = b;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1); par.rtol = 1e-10; par.atol = 1e-12; par.t_final = 1.3;
"""
ROD = """
E = param('E', 1e6); r = param('r', 0.01); F = param('F', 0.05); L = param('L', 0.3); rod(1).name = 'arm';
rod(1).length = L; rod(1).tr.rot = [2 pi/2]; rod(1).radius = r; rod(1).E = E; rod(1).rho = 1000; rod(1).eta = 500; rod(1).n = 3;
exload(1).exbody = at(rod(1), L); exload(1).ftau = [0 0 -F 0 0 0]; exload(1).refbody = 0;
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L); par.t_final = 0.2; par.dt_out = 0.05;
"""
# a body that turns freely in space
SPIN = """
m = param('m', 2); body(1).m = m; body(1).I = diag([0.1 0.2 0.3])*m; joint(1).name = 'free'; joint(1).second = 1;
joint(1).tr(1).rot = [0 inf inf inf]; joint(1).dof(1).rate = 0.3; joint(1).dof(2).rate = 2; joint(1).dof(3).rate = -0.5;
tau = param('tau', 0.1); exload(1).exbody = 1; exload(1).ftau = [0 0 0 0 tau 0];
sensor(1).name = 'p'; sensor(1).value = pos(body(1), [0.1 0.2 0.3]); par.rtol = 1e-10; par.atol = 1e-12; par.t_final = 0.7;
"""


def slope(f, x, h):
    """Central difference of order 8."""
    w = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(c * (f(x + (i + 1) * h) - f(x - (i + 1) * h)) for i, c in enumerate(w)) / h


class Statics(unittest.TestCase):
    def test_a_spring_has_closed_forms(self):
        robot = tendril.loads(SLIDE)
        g = robot.gradient("x,energy,frequency1")
        self.assertEqual((g.of, g.by), (["x", "energy", "frequency1"], ["k", "a", "b", "F"]))
        np.testing.assert_allclose(g.value, [1 / 80, 1 / 160, np.sqrt(40) / (2 * np.pi)], rtol=1e-8)
        np.testing.assert_allclose(g["x"], [-1 / 6400, 0, 0, 1 / 80], rtol=1e-9)
        np.testing.assert_allclose(g["energy", "F"], 1 / 80, rtol=1e-9)
        np.testing.assert_allclose(g.relative[2, 0], 0.5, rtol=1e-7)
        self.assertIn("d x / d k", g._repr_html_())
        with self.assertRaisesRegex(KeyError, "no 'y'"):
            g["y"]

    def test_a_rod_against_differences_of_equilibria(self):
        robot = tendril.loads(ROD)
        g = robot.gradient("tip")
        self.assertEqual(g.of, ["tip_x", "tip_y", "tip_z"])

        def tip(name):
            def f(x):
                robot.set_param(name, x)
                return np.array(list(robot.equilibrium().sensors.values()))
            return f

        for name in g.by:
            x = robot.param(name)
            d, finer = (slope(tip(name), x, h * x) for h in (4e-3, 2e-3))
            robot.set_param(name, x)
            np.testing.assert_allclose(d, finer, rtol=1e-6, atol=1e-9 / x)
            np.testing.assert_allclose(g.matrix[:, g.by.index(name)], finer, rtol=1e-6, atol=1e-9 / x)

    def test_products_are_those_of_the_matrix(self):
        robot, w = tendril.loads(ROD), np.array([0.3, 0.2, -1.5])
        g = robot.gradient("tip,energy")
        value, d = robot.vjp(np.append(w, 0.7), "tip,energy")
        np.testing.assert_allclose(value, g.value)
        np.testing.assert_allclose(d, np.append(w, 0.7) @ g.matrix, rtol=1e-9)
        rest = robot.equilibrium()
        for at in (rest, rest.state):
            np.testing.assert_allclose(robot.gradient("tip", at=at).matrix, g.matrix[:3], rtol=1e-9, atol=1e-15)
            np.testing.assert_allclose(robot.vjp(lambda y: 2 * y, "tip", "E", at=at)[1],
                                       [2 * g.value[:3] @ g.matrix[:3, 0]], rtol=1e-9)

    def test_inputs_of_the_state_count(self):
        robot = tendril.loads(SLIDE)
        value, d = robot.vjp([1], "x", "k", state=robot.state(u=4))
        np.testing.assert_allclose((value[0], d[0]), (4 / 80, -4 / 6400), rtol=1e-9)

    def test_places_of_rods_and_bodies(self):
        for text, station in ((ROD, -1), (SPIN, 0)):
            robot = tendril.loads(text)
            s = robot.state()
            s = s.moved(0.1 * np.sin(np.arange(robot.sizes.nv) + 1))
            station %= robot.sizes.nstation
            J, (g, _) = robot.jacobian(station, s), robot.pose(station, s)
            self.assertEqual(J.shape, (6, robot.sizes.nv))
            for k in range(robot.sizes.nv):
                one = np.eye(robot.sizes.nv)[k]
                dg = slope(lambda x: robot.pose(station, s.moved(x * one))[0], 0.0, 1e-2)
                twist = np.linalg.inv(g) @ dg  # hat of the body twist
                np.testing.assert_allclose(J[:3, k], twist[:3, 3], atol=1e-8)
                np.testing.assert_allclose(J[3:, k], [twist[2, 1], twist[0, 2], twist[1, 0]], atol=1e-8)
            # and the rates do not matter
            s.v = 0.3
            np.testing.assert_allclose(robot.jacobian(station, s) @ s.v, robot.pose(station, s)[1], atol=1e-12)


class Motions(unittest.TestCase):
    def test_an_oscillation_has_closed_forms(self):
        robot, w = tendril.loads(SLIDE), np.sqrt(40)
        c, s = np.cos(1.3 * w), np.sin(1.3 * w)
        by = ["a", "b", "F", "q:slide.dof(1)", "v:slide.dof(1)"]
        g = robot.gradient("x", by, at="end")
        np.testing.assert_allclose(g.matrix[0], [c, s / w, (1 - c) / 80, c, s / w], rtol=1e-6)
        np.testing.assert_allclose(g.point, [0.1, 0.3, 1, 0.1, 0.3])
        self.assertEqual(g.t, 1.3)
        self.assertIn("Radau", g.note)
        rows = robot.gradient("x", by, at="rows", dt_out=0.1)
        self.assertEqual(rows.matrix.shape, (14, 1, 5))
        np.testing.assert_allclose(rows["x", "a"], np.cos(w * rows.t), atol=1e-7)
        np.testing.assert_allclose(rows.matrix[-1], g.matrix, atol=1e-7)
        self.assertIn("rows", rows._repr_html_())
        # held where it starts, the written value has no influence; at rest it moves along
        self.assertEqual(robot.gradient("x", "a", at="end", state=robot.state())["x", "a"], 0)
        for rest in ({"state": robot.equilibrium()}, {"start": "equil"}):
            d = robot.gradient("x", "k,F", at="end", **rest)
            np.testing.assert_allclose(d.matrix[0], [-1 / 6400, 1 / 80], rtol=1e-6)

    def test_samples_of_inputs_forward_and_back(self):
        robot, t = tendril.loads(SLIDE), np.linspace(0, 1.3, 6)
        F = np.sin(3 * t)
        fixed = {"solver": "fixed", "step": 0.01, "dt_out": 0.1}
        g = robot.gradient("x", "k,F,F[:]", at="rows", inputs={"t": t, "F": F}, **fixed)
        self.assertEqual(g.by, ["k", "F"] + [f"F[{i}]" for i in range(6)])
        self.assertTrue(np.isnan(g.point[1:]).all())
        np.testing.assert_allclose(g.matrix[..., 1], g.matrix[..., 2:].sum(-1), atol=1e-13)
        W = np.cos(np.arange(14.0))[:, None]
        value, d = robot.vjp(W, "x", "k,F,F[:]", at="rows", inputs={"t": t, "F": F}, **fixed)
        np.testing.assert_allclose(value, g.value, atol=1e-13)
        np.testing.assert_allclose(d, np.einsum("ri,rik->k", W, g.matrix), rtol=1e-9, atol=1e-13)

        # the computed function is linear in F: one difference is exact
        def cost(x):
            run = robot.simulate(inputs={"t": t, "F": np.where(np.arange(6) == 3, x, F)}, **fixed)
            return (W[:, 0] * run["x"]).sum()
        np.testing.assert_allclose(d[5], cost(1.0) - cost(0.0), rtol=1e-8)

    def test_a_rod_that_swings_is_that_of_the_computed_function(self):
        robot = tendril.loads(ROD)
        fixed = {"solver": "fixed", "step": 0.01}

        def tip(name):
            def f(x):
                robot.set_param(name, x)
                return robot.simulate(**fixed)["tip"][-1]
            return f

        for name in ("E", "L", "F"):
            x = robot.param(name)
            d, finer = (slope(tip(name), x, h * x) for h in (4e-3, 2e-3))
            robot.set_param(name, x)
            np.testing.assert_allclose(d * x, finer * x, rtol=1e-6, atol=1e-8)
            forward = robot.gradient("tip", name, at="end", **fixed).matrix[:, 0]
            np.testing.assert_allclose(forward * x, finer * x, rtol=1e-6, atol=1e-8)
            for i, part in enumerate(("tip_x", "tip_y", "tip_z")):
                back = robot.vjp([1], part, name, at="end", **fixed)[1]
                np.testing.assert_allclose(back[0] * x, forward[i] * x, rtol=1e-8, atol=1e-12)

    def test_a_body_that_turns_in_space(self):
        robot = tendril.loads(SPIN)
        turn = f"q:{robot.v_names[1]}"
        g = robot.gradient("p", ["m", "tau", turn], at="end")
        self.assertTrue(np.isnan(g.point[2]))  # a quaternion has no coordinate of that name

        def end(name):
            def f(x):
                if name in robot.params:
                    robot.set_param(name, x)
                    return robot.simulate()["p"][-1]
                moved = robot.state().moved([x if v == name[2:] else 0 for v in robot.v_names])
                return robot.simulate(moved)["p"][-1]
            return f

        for k, (name, x) in enumerate((("m", 2.0), ("tau", 0.1), (turn, 0.0))):
            d = slope(end(name), x, 2e-2)
            if name in robot.params:
                robot.set_param(name, x)
            np.testing.assert_allclose(g.matrix[:, k], d, rtol=1e-5, atol=2e-7)


class Seams(unittest.TestCase):
    def test_a_loop_against_differences_of_motions(self):
        robot = tendril.load(MODELS / "four_bar.m")
        options = {"solver": "fixed", "step": 0.005, "t_final": 0.05}
        g, k = robot.gradient(None, "k", at="end", **options), robot.param("k")

        def end(x):
            robot.set_param("k", x)
            return robot.simulate(**options).sensors[-1]

        d, finer = (slope(end, k, h * k) for h in (2e-2, 1e-2))
        robot.set_param("k", k)
        np.testing.assert_allclose(d, finer, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(g.matrix[:, 0], finer, rtol=1e-6, atol=1e-10)
        w = np.cos(np.arange(len(g.of)))
        np.testing.assert_allclose(robot.vjp(w, by="k", at="end", **options)[1], w @ g.matrix, rtol=1e-9)

    def test_what_is_not_differentiated_is_refused(self):
        for name, text in (("cable_tracking.m", "controllers and tasks"), ("fabric_sleeve.m", "sparse")):
            robot = tendril.load(MODELS / name)
            for call in (robot.gradient, lambda **k: robot.vjp(lambda y: y, **k, step=0.01)):
                with self.subTest(name), self.assertRaisesRegex(tendril.Error, text):
                    call(by="E", at="end", t_final=0.02)


def minimise(cost, x, jac, method):
    """As scipy.optimize.minimize: the method of Broyden, Fletcher, Goldfarb and Shanno with steps that are halved."""
    x, H = np.array(x, dtype=float), np.eye(len(x)) * 0.01
    f, g = cost(x)
    for _ in range(200):
        step = -H @ g
        while cost(x + step)[0] > f + 1e-4 * g @ step and np.abs(step).max() > 1e-14:
            step = step / 2
        f, new = cost(x + step)
        x, y, g = x + step, new - g, new
        if y @ step <= 0 or np.abs(g).max() < 1e-10:
            break
        A = np.eye(len(x)) - np.outer(step, y) / (y @ step)
        H = A @ H @ A.T + np.outer(step, step) / (y @ step)
    return types.SimpleNamespace(x=x, fun=f)


class Tensor(np.ndarray):
    """What the page uses of a tensor."""
    device = None
    detach = cpu = lambda self: self
    numpy = lambda self: np.asarray(self)


def stand_ins() -> dict:
    """Modules with the names that the page uses: enough to run its code, no more."""
    torch, jax, scipy, optimize = (types.ModuleType(n) for n in ("torch", "jax", "scipy", "scipy.optimize"))
    torch.autograd = types.SimpleNamespace(Function=object)
    torch.as_tensor = lambda x, dtype=None, device=None: np.asarray(x, dtype=dtype).view(Tensor)
    jax.ShapeDtypeStruct = lambda shape, dtype: (tuple(shape), dtype)

    def pure_callback(function, shape, *arguments):
        y = function(*arguments)
        assert (y.shape, y.dtype) == shape, (y.shape, y.dtype, shape)
        return y

    class custom_vjp:
        def __init__(self, function):
            self.function = function

        def __call__(self, x):
            return self.function(x)

        def defvjp(self, forward, backward):
            self.forward, self.backward = forward, backward

    jax.pure_callback, jax.custom_vjp, optimize.minimize, scipy.optimize = pure_callback, custom_vjp, minimise, optimize
    return {"torch": torch, "jax": jax, "scipy": scipy, "scipy.optimize": optimize}


class Page(unittest.TestCase):
    def test_the_python_of_the_page_runs(self):
        page = (ROOT / "docs" / "gradients.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", page, re.S)
        self.assertEqual(len(blocks), 5)
        here, names = os.getcwd(), {}
        with tempfile.TemporaryDirectory() as place, unittest.mock.patch.dict(sys.modules, stand_ins()):
            (Path(place) / "cantilever.m").write_text(re.search(r"```matlab\n(.*?)```", page, re.S)[1])
            os.chdir(place)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    for block in blocks:
                        exec(block, names)
            finally:
                os.chdir(here)

        # the same products by all three, those of differences; and a minimum
        x, w = np.array([0.1, -0.1]), np.array([0.3, 0.1, -1])
        ctx = types.SimpleNamespace()
        y = names["Sensors"].forward(ctx, x.view(Tensor))
        back = names["Sensors"].backward(ctx, w.view(Tensor))
        jax_y, kept = names["sensors"].forward(x)
        jax_back, = names["sensors"].backward(kept, w)
        np.testing.assert_array_equal(jax_y, y)
        np.testing.assert_allclose(jax_back, back, rtol=1e-12)
        for k in range(2):
            d = slope(lambda z: w @ names["measure"](np.where(np.arange(2) == k, z, x)), x[k], 2e-3)
            np.testing.assert_allclose(back[k], d, rtol=1e-6)
        cost, best = names["cost"], names["best"]
        self.assertLess(np.abs(cost(best.x)[1]).max(), 1e-6)
        self.assertLess(best.fun, cost(np.zeros(2))[0])


class Use(unittest.TestCase):
    def test_a_minimum_is_found_with_products(self):
        """Descent with the values and gradients of vjp finds the spring and damping that made a record."""
        text = SLIDE.replace("a = param('a'", "c = param('c', 1); joint(1).dof(1).damp.visc = c; a = param('a'")
        robot, options = tendril.loads(text), {"at": "rows", "step": 0.02, "dt_out": 0.1}
        data = tendril.loads(text, k=100, c=3).simulate(solver="fixed", step=0.02, dt_out=0.1)["x"][:, None]
        first = np.array([80.0, 1.0])

        def cost(p):
            for name, x in zip(("k", "c"), p * first):
                robot.set_param(name, x)
            y, d = robot.vjp(lambda y: 1e3 * (y - data), "x", "k,c", **options)
            return 1e3 * ((y - data) ** 2).sum() / 2, d * first

        p = minimise(cost, np.ones(2), True, "BFGS").x
        np.testing.assert_allclose(p * first, [100, 3], rtol=1e-5)

    def test_mistakes_are_named(self):
        robot = tendril.loads(SLIDE)
        other = tendril.loads(SLIDE)
        inputs = {"t": [0, 2], "F": [0, 1]}
        for call, text in (
                (lambda: robot.gradient("y"), "'y' is no sensor"),
                (lambda: robot.gradient("x", "kk"), "'kk' is no param"),
                (lambda: robot.gradient("x", "q:slide.dof(1)"), "of motions also"),
                (lambda: robot.gradient("x", "F[0]", at="end"), "is no param"),
                (lambda: robot.gradient("x", "F[7]", at="end", inputs=inputs), "samples 0 to 1"),
                (lambda: robot.gradient("x", at="middle"), "at must be"),
                (lambda: robot.gradient("x", at=robot.state(q=0.4)), "no equilibrium"),
                (lambda: robot.gradient("x", at=other.state()), "another robot"),
                (lambda: robot.gradient("x", t_final=2), "belongs to a motion"),
                (lambda: robot.gradient("x", at="end", t_end=2), "no option 't_end'"),
                (lambda: robot.gradient("x", at="end", start="rest"), "start must be"),
                (lambda: robot.gradient("x", at="end", start="initial", state=robot.state(q=1)), "take 'given'"),
                (lambda: robot.gradient("x", at="end", start="equil", state=robot.state(q=1)), "it moves|no equilibrium"),
                (lambda: robot.gradient("energy", at="end"), r"energy\(\)"),
                (lambda: robot.gradient("frequency1", at="end"), "sensors alone"),
                (lambda: robot.gradient("frequency9"), "modes were found"),
                (lambda: robot.vjp([1], "frequency1"), "take `gradient`"),
                (lambda: robot.vjp([1, 2], "x"), "shape of the values"),
                (lambda: robot.vjp([np.nan], "x"), "must be finite"),
                (lambda: robot.vjp([1, 2], "x", at="end", step=0.01), "shape of the values"),
                (lambda: robot.vjp([1], "x", at="end", solver="stiff"), "equal steps"),
                (lambda: tendril.loads("n = param('n', 1); for k = 1:n, body(k).m = 1; joint(k).second = k; "
                                       "joint(k).tr.trans = [0 0 inf]; end; sensor(1).name = 'z'; "
                                       "sensor(1).value = pos(body(1))(3);").gradient("z", "n", at="end"), "'n'")):
            with self.subTest(text), self.assertRaisesRegex(tendril.Error, text):
                call()

    def test_what_a_function_of_weights_raises_is_raised(self):
        robot = tendril.loads(SLIDE)
        for at, options in (("equil", {}), ("end", {"step": 0.01})):
            with self.assertRaises(ZeroDivisionError):
                robot.vjp(lambda y: 1 / 0, "x", "k", at=at, **options)
        np.testing.assert_allclose(robot.vjp([1], "x", "k")[1], -1 / 6400, rtol=1e-9)


if __name__ == "__main__":
    unittest.main()
