"""Environments: the interface of Gymnasium's VectorEnv by hand, the same numbers for the same seed, and a demo that learns."""

import importlib.util
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np

import tendril
from tendril import envs

CART = """
F = input('F', 0, [-2 2]);  m = param('random_m', 1, [0.5 2]);  goal = param('random_goal', 0.1, [-0.2 0.2]);
body(1).m = m;  joint(1).second = 1;  joint(1).tr(1).trans = [inf 0 0];  joint(1).dof(1).input = F;
x = dof(joint(1), 1);
sensor(1).name = 'observe';  sensor(1).value = [x ddof(joint(1), 1) goal m];
sensor(2).name = 'reward';   sensor(2).value = -abs(x - goal);
sensor(3).name = 'done';     sensor(3).value = DONE;
par.t_final = 1;  par.dt_out = 0.1;  par.solver = 'fixed';  par.step = 0.1;
"""


def cart(done: str = "x - 0.1", **changes) -> tendril.Robot:
    text = CART.replace("DONE", done)
    for old, new in changes.get("replace", ()):
        text = text.replace(old, new)
    return tendril.loads(text)


class Interface(unittest.TestCase):
    def test_spaces_shapes_and_attributes(self):
        env = envs.VectorEnv(cart(), 3)
        self.assertEqual(env.num_envs, 3)
        self.assertEqual(env.single_observation_space.shape, (4,))
        self.assertEqual(env.observation_space.shape, (3, 4))
        self.assertEqual(env.single_action_space.shape, (1,))
        self.assertTrue(np.array_equal(env.action_space.low, np.full((3, 1), -2.0)))
        self.assertTrue(env.action_space.contains(env.action_space.sample()))
        self.assertFalse(env.action_space.contains(np.full((3, 1), 3.0)))
        seen, info = env.reset(seed=4)
        self.assertEqual((seen.shape, info), ((3, 4), {}))
        out = env.step(np.zeros((3, 1)))
        self.assertEqual([np.shape(x) for x in out[:4]], [(3, 4), (3,), (3,), (3,)])
        self.assertEqual([out[2].dtype, out[3].dtype], [np.dtype(bool)] * 2)
        self.assertIs(env.unwrapped, env)
        env.close()
        self.assertTrue(env.closed)

    def test_motion_reward_and_truncation_are_those_of_the_model(self):
        env = envs.VectorEnv(cart("-1"), 2)
        seen, _ = env.reset(seed=1)
        force, m, goal = np.array([[0.5], [-0.25]]), seen[:, 3], seen[:, 2]
        self.assertTrue((m >= 0.5).all() and (m <= 2).all() and (abs(goal) <= 0.2).all() and m[0] != m[1])
        for k in range(1, 11):
            seen, reward, terminated, truncated, _ = env.step(force)
            x = force[:, 0] / m * (0.1 * k) ** 2 / 2
            np.testing.assert_allclose(seen[:, 0], x, atol=1e-12)
            np.testing.assert_allclose(reward, -abs(x - goal), atol=1e-12)
            self.assertFalse(terminated.any())
            self.assertEqual(truncated.all(), k == 10)

    def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(self):
        found = []
        for threads in (1, 2, 1):
            env = envs.make("follow", 4, threads=threads)
            actions = np.random.default_rng(1).uniform(-0.5, 0.5, (5, 4, 2))
            got = [env.reset(seed=7)[0]] + [env.step(a)[0] for a in actions]
            found.append(np.array(got))
        self.assertTrue(np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2]))
        again = env.reset(seed=7)[0]
        self.assertTrue(np.array_equal(found[0][0], again))
        env.reset(seed=8)
        self.assertFalse(np.array_equal(found[0][1], env.step(actions[0])[0]))
        one = envs.VectorEnv(cart(), 3)
        a, _ = one.reset(seed=[5, 5, 6])
        self.assertTrue(np.array_equal(a[0], a[1]) and not np.array_equal(a[0], a[2]))

    def test_an_episode_that_ended_begins_anew_as_asked(self):
        push = np.array([[2.0], [0.0]])  # plant 0 passes 0.1 m, plant 1 stands
        first = {}
        for mode in envs.AUTORESETS:
            env = envs.VectorEnv(cart(), 2, autoreset=mode)
            self.assertEqual(getattr(env.metadata["autoreset_mode"], "value", env.metadata["autoreset_mode"]).lower().replace("-", "_"), mode)
            start = env.reset(seed=3)[0]
            ended = False
            while not ended:
                seen, reward, terminated, truncated, info = env.step(push)
                ended = terminated[0]
            self.assertFalse(terminated[1] or truncated.any())
            first[mode] = start
            last = info["final_obs"][0] if mode == "same_step" else seen[0]
            self.assertGreater(last[0], 0.1)
            if mode == "next_step":
                before = seen[1, 0]
                seen, reward, terminated, truncated, info = env.step(push)
                self.assertEqual((seen[0, 0], reward[0], terminated[0]), (0, 0, False))
                self.assertNotEqual(seen[0, 2], start[0, 2])  # drawn anew
                self.assertEqual(seen[1, 2], start[1, 2])
                self.assertEqual(before, 0)
                drawn = seen[0, 2:]
            elif mode == "same_step":
                self.assertEqual(list(info["_final_obs"]), [True, False])
                self.assertEqual(seen[0, 0], 0)
                self.assertTrue(np.array_equal(seen[0, 2:], drawn))  # the same draws in both ways
            else:
                with self.assertRaisesRegex(tendril.Error, "plant 0 has ended its episode"):
                    env.step(push)
                seen, _ = env.reset(options={"reset_mask": np.array([True, False])})
                self.assertEqual(seen[0, 0], 0)
                self.assertTrue(np.array_equal(seen[0, 2:], drawn))
                env.step(push)

    def test_a_plant_that_fails_ends_its_episode_alone(self):
        env = envs.VectorEnv(cart("-1", replace=[("-abs(x - goal)", "sqrt(0.02 - x)")]), 2, penalty=-7)
        env.reset(seed=3)
        for _ in range(10):
            seen, reward, terminated, _, info = env.step([[2.0], [0.0]])
            if terminated[0]:
                break
        self.assertTrue(np.isfinite(seen).all())
        self.assertEqual((reward[0], terminated[1], list(info["failed"])), (-7, False, [True, False]))
        seen, reward, terminated, _, _ = env.step([[np.nan], [0.0]])  # its action is not used: it begins anew
        self.assertEqual((seen[0, 0], terminated.any()), (0, False))

    def test_actions_are_moved_to_the_ends_of_their_range(self):
        env = envs.VectorEnv(cart("-1"), 2)
        seen, _ = env.reset(seed=[9, 9])
        seen, *_ = env.step([[50.0], [2.0]])
        self.assertEqual(seen[0, 0], seen[1, 0])

    def test_mistakes_are_named(self):
        def text(old, new):
            return lambda: envs.VectorEnv(cart(replace=[(old, new)]), 1)
        env = envs.VectorEnv(cart(), 2)
        cases = [
            (text("'observe'", "'seen'"), "needs a sensor named 'observe'"),
            (text("'reward'", "'gain'"), "needs a sensor named 'reward' with one number, got none"),
            (text("-abs(x - goal)", "[x goal]"), "with one number, got 2"),
            (text("x - 0.1", "[x x]"), "'done' must have one number"),
            (text("0, [-2 2]", "0"), "input 'F' needs a range"),
            (text("1, [0.5 2]", "1"), "parameter 'random_m' needs a range"),
            (lambda: envs.VectorEnv(tendril.loads("body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
                                                  "sensor(1).name = 'observe'; sensor(1).value = q(1);"
                                                  "sensor(2).name = 'reward'; sensor(2).value = q(1);"), 1), "needs inputs"),
            (lambda: envs.VectorEnv(cart(), 1, autoreset="never"), "autoreset must be one of"),
            (lambda: envs.VectorEnv(cart(), 0), "1 to 10000000 plants"),
            (lambda: envs.make("juggle", 1), "there is no task 'juggle'; there are: follow"),
            (lambda: env.step(np.zeros((2, 1))), "reset.. must come before"),
            (lambda: env.reset(options={"reset_mask": np.array([True, False])}), "the first reset"),
            (lambda: env.reset(options={"mask": 1}), "no option 'mask'"),
            (lambda: env.reset(seed=[1]), "or 2 of them"),
            (lambda: env.reset(seed=-1), "number from 0"),
        ]
        for wrong, message in cases:
            with self.assertRaisesRegex(tendril.Error, message):
                wrong()
        env.reset(seed=1)
        for wrong, message in [(lambda: env.step(np.zeros(2)), "shape"), (lambda: env.step([[np.inf], [0]]), "finite"),
                               (lambda: env.reset(options={"reset_mask": [1, 0]}), "truth values")]:
            with self.assertRaisesRegex(tendril.Error, message):
                wrong()


class Tasks(unittest.TestCase):
    def test_goals_of_every_task_can_be_reached(self):
        # inputs that bring the tip to the goal of the seed; those of `follow` never end an episode
        for task, action in (("pose", (0.342, -0.468, -0.027, 0.079)), ("reach_2d", (0.373, 0.898, 0.458)), ("reach_3d", (-0.218, -0.84, 0.642, 0.048))):
            env = envs.make(task, 1)
            env.reset(seed=5)
            ended = False
            for _ in range(env.steps):
                seen, reward, ended, _, info = env.step([action])
                if ended:
                    break
            self.assertTrue(ended and "failed" not in info, f"{task}: {reward}")

    def test_random_actions_do_no_harm(self):
        for task in envs.TASKS:
            env = envs.make(task, 3)
            env.reset(seed=2)
            env.action_space.seed(1)
            for _ in range(8):
                seen, reward, _, _, info = env.step(env.action_space.sample())
                self.assertTrue(np.isfinite(seen).all() and np.isfinite(reward).all() and "failed" not in info, task)


class Demo(unittest.TestCase):
    def test_the_arm_learns_and_the_same_seed_gives_the_same_curve(self):
        path = Path(__file__).resolve().parents[2] / "examples" / "learn_follow.py"
        spec = importlib.util.spec_from_file_location("learn_follow", path)
        demo = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(demo)
        demo.POLICIES, demo.EPISODES, demo.TESTS = 10, 2, 4
        test = demo.Follow(1, demo.TESTS, 1)
        # the curve is the same on every processor to rounding; with few and small generations this seed learns fast
        curve = demo.learn(3, 14, 1, test, every=7, say=lambda text: None)
        again = demo.learn(1, 2, 2, test, every=1, say=lambda text: None)
        self.assertEqual(again, demo.learn(1, 2, 1, test, every=1, say=lambda text: None))
        self.assertLess(curve[-1][1], 0.6 * curve[0][1])
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "x.svg")
            demo.draw(picture, {1: curve}, 2e-3)
            self.assertIn("<polyline", Path(picture).read_text())
