"""Batches: the plants of a batch are plants, whatever the number of threads."""

import unittest

import numpy as np

import tendril

PENDULUM = """
m = param('m', 2, [0.1 10]); F = input('F', 0, [-50 50]); world.g = [0 0 -9.81];
body(1).m = m; body(1).I = 0.1*eye(3); body(1).l_com = [0 0 -0.5];
joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4;
joint(1).dof(1).input = F; sensor(1).name = 'angle'; sensor(1).value = dof(joint(1), 1);
par.step = 0.01;
"""


class Batches(unittest.TestCase):
    def test_threads_give_the_same_numbers_as_a_plant(self):
        robot = tendril.loads(PENDULUM)
        found = []
        for threads in (1, 2):
            batch = tendril.Batch(robot, 5, threads=threads, solver="fixed")
            batch.param("m", 2.0).reset()
            for k in range(20):
                batch.step(0.05, np.arange(5.0)[:, None] - 2)
            found.append(batch.q.copy())
            self.assertTrue(np.array_equal(batch.sensors[:, 0], batch.q[:, 0]))
            self.assertTrue(np.allclose(batch.t, 1.0))
        self.assertTrue(np.array_equal(*found))
        plant = robot.plant(solver="fixed")
        for k in range(1, 21):
            plant.step(plant.t + 0.05, F=1.0)
        self.assertEqual(plant.q[0], found[0][3, 0])

    def test_noise_masks_and_states(self):
        robot = tendril.loads(PENDULUM)
        batch = tendril.Batch(robot, 4, sigma_q=1e-2, seed=3)
        batch.seeds([1, 1, 2, 3]).reset()
        self.assertEqual(batch.q[0, 0], batch.q[1, 0])
        self.assertNotEqual(batch.q[0, 0], batch.q[2, 0])
        batch.reset(q=[[0.1], [0.2], [0.3], [0.4]], v=[0.0])
        self.assertEqual(batch.q[2, 0], 0.3)
        batch.step(0.1, mask=[True, False, True, False])
        self.assertTrue(np.allclose(batch.t, [0.1, 0, 0.1, 0]))

    def test_failures_stay_with_their_plant_and_mistakes_are_named(self):
        robot = tendril.loads(PENDULUM)
        batch = tendril.Batch(robot, 3)
        batch.step(0.1, [[0], [999], [0]])
        self.assertEqual(list(batch.status != 0), [False, True, False])
        self.assertIn("input 'F' has the range", batch.message(1))
        for wrong in (lambda: batch.param("k", 1), lambda: batch.param("m", [1, 2]), lambda: batch.param("m", -1),
                      lambda: batch.step(0), lambda: batch.step(0.1, [1, 2]), lambda: tendril.Batch(robot, 0)):
            with self.assertRaises(tendril.Error):
                wrong()
