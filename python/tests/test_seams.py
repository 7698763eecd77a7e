"""The models of tests/seams: what Python gives is what a simulation of the library gives."""

import pickle
import unittest
from pathlib import Path

import numpy as np

import tendril

SEAMS = Path(__file__).resolve().parents[2] / "tests" / "seams"
NAMES = sorted(path.stem for path in SEAMS.glob("*.m"))
APART = {"folded", "event_stop", "no_number"}  # that do not run to their end, or have no numbers
EXACT = {"rtol": 1e-9, "atol": 1e-11}


class Seams(unittest.TestCase):
    def test_plants_and_copies_run_as_simulations(self):
        for name in NAMES:
            if name in APART:
                continue
            with self.subTest(name):
                robot = tendril.load(SEAMS / f"{name}.m")
                want = robot.simulate(**EXACT)
                t_end, y = want.t[-1], want.sensors[-1]
                plant = robot.plant(**EXACT)
                for k in range(1, 4):
                    plant.step(t_end * k / 7)
                other = pickle.loads(pickle.dumps(plant))
                for k in range(4, 8):
                    plant.step(t_end * k / 7)
                    other.step(t_end * k / 7)
                # tolerances of 1e-9 add up, and collisions pass them on to speeds
                most = 1e-6 * max(np.max(np.abs(y)), 1e-3)
                np.testing.assert_allclose(plant.sensors(), y, rtol=0, atol=most)
                np.testing.assert_allclose(other.sensors(), y, rtol=0, atol=most)

    def test_parameters_are_those_of_the_text(self):
        for name, param, value in [("radius_param", "r", 0.06), ("radius_param", "mu", 0.1),
                                   ("stops", "k", 6e3), ("screw_loop", "h", -0.02),
                                   ("mesh_rods", "k", 0.5)]:
            with self.subTest(f"{name}: {param}"):
                robot = tendril.load(SEAMS / f"{name}.m")
                before = robot.simulate().sensors[-1]
                robot.set_param(param, value)
                y = robot.simulate(**EXACT).sensors[-1]
                want = tendril.load(SEAMS / f"{name}.m", **{param: value}).simulate(**EXACT).sensors[-1]
                np.testing.assert_allclose(y, want, rtol=0, atol=1e-9 * np.max(np.abs(want)))
                self.assertGreater(np.max(np.abs(before - want)), 1e-3 * np.max(np.abs(want)))

    def test_folded_segments_and_buckled_rods_are_named(self):
        robot = tendril.load(SEAMS / "folded.m")
        with self.assertRaisesRegex(tendril.Error, "segment 4 of whip is folded"):
            robot.plant().step(0.1)
        with self.assertRaisesRegex(tendril.Error, "segment 4 of whip is folded"):
            robot.simulate()
        plant = tendril.load(SEAMS / "buckled.m").plant()
        self.assertEqual(plant.trust.verdict, "ok")
        trust = plant.step(0.1).trust
        self.assertEqual(trust.verdict, "look")
        self.assertIn("buckle", trust.reasons[0])


if __name__ == "__main__":
    unittest.main()
