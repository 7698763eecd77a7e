"""Identification from Python: closed forms, recordings of the text, mistakes."""

import unittest
from pathlib import Path

import numpy as np

import tendril

MODELS = Path(__file__).resolve().parents[2] / "models"
MASS = """
k = param('k', 80, [1 1000], 'log'); c = param('c', 1, [0 50]); F = input('F', 0);
body(1).m = 2; body(1).I = zeros(3); joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];
joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = c; joint(1).dof(1).input = F;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1); par.rtol = 1e-9;
"""


class Fitting(unittest.TestCase):
    def test_a_spring_is_that_of_least_squares(self):
        robot, rng = tendril.loads(MASS), np.random.default_rng(1)
        F = np.arange(1.0, 9)
        x = F / 50 + rng.normal(0, 1e-3, 8)
        fit = robot.fit("k", [{"sensors": {"x": x}, "inputs": {"F": F}, "name": "bench"}])
        soft = (F @ x) / (F @ F)
        s = np.sqrt(((x - soft * F) ** 2).sum() / 7 / (F @ F))
        np.testing.assert_allclose(fit["k"] * soft, 1, rtol=1e-7)
        np.testing.assert_allclose(fit.deviation[0], s / soft ** 2, rtol=1e-5)
        self.assertEqual((fit.dof, list(fit.rms_by_recording)), (7, ["bench"]))
        self.assertEqual(robot.param("k"), fit["k"])
        self.assertTrue(fit.low[0] < 50 < fit.high[0])
        self.assertIn("rms", fit._repr_html_())

    def test_a_motion_from_rest(self):
        robot = tendril.loads(MASS)
        t = np.linspace(0, 2, 41)
        F = np.where(t > 0.01, 3.0, 0)
        truth = tendril.loads(MASS, k=50, c=4)
        x = truth.simulate(t_final=2, dt_out=0.05, inputs={"t": t, "F": F})["x"]
        x = np.where(np.arange(41) == 5, np.nan, x)
        fit = robot.fit(["k", "c"], [{"sensors": {"x": x}, "inputs": {"F": F}, "t": t}], starts=2)
        np.testing.assert_allclose(fit.value, [50, 4], rtol=1e-5)
        self.assertEqual(fit.unseen, [])

    def test_recordings_of_the_text(self):
        robot = tendril.load(MODELS / "tentacle.m", basis="published")
        fit = robot.fit("E,rho")
        self.assertLess(fit.rms, fit.rms_at_start)
        self.assertEqual(set(fit.rms_by_sensor), {"m1", "m2", "m3", "m4"})

    def test_mistakes_are_named(self):
        robot = tendril.loads(MASS)
        F = np.arange(3.0)
        one = {"sensors": {"x": F / 50}, "inputs": {"F": F}}
        for by, recordings, text in (
                ("q", [one], "no param 'q'"), ("c", [one], "no influence"), ("k", [], "no recording"),
                ("k", [{"sensors": {"y": F}}], "no sensor 'y'"), ("k", [{**one, "loss": "cube"}], "loss of a recording"),
                ("k", [{**one, "t": [0, 2, 1]}], "times must ascend"), ("k", [{**one, "tt": 1}], "no 'tt'"),
                ("k", [{**one, "inputs": {"F": F[:2]}}], "one length")):
            with self.subTest(text), self.assertRaisesRegex(tendril.Error, text):
                robot.fit(by, recordings)


if __name__ == "__main__":
    unittest.main()
