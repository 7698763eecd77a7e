"""Environments for learning: batches of plants behind the interface of Gymnasium's VectorEnv.

    from tendril import envs

    env = envs.make("follow", 64, threads=2)       # a task of this package, or envs.VectorEnv("my_model.m", 64)
    observations, info = env.reset(seed=1)
    for k in range(200):
        actions = env.action_space.sample()
        observations, rewards, terminated, truncated, info = env.step(actions)

What is observed, rewarded and ends an episode stands in the model text, as sensors of these names:

    sensor(1).name = 'observe';  sensor(1).value = [tip goal];       % any numbers
    sensor(2).name = 'reward';   sensor(2).value = -gap;             % one number, after each step
    sensor(3).name = 'done';     sensor(3).value = 0.005 - gap;      % optional: the episode ends when it is above 0

Actions are the inputs, each of which needs a range: input('T', 0, [0 20]).  Parameters whose names begin with `random_` are
drawn from their range at each reset of a plant.  par.dt_out is the time between two actions, par.t_final - par.t_init the
longest episode, par.solver, par.step, par.rtol and par.atol tell how motion is integrated.

Gymnasium is not needed.  Where it can be imported, the spaces are its own and VectorEnv is one of its VectorEnv.
"""

from __future__ import annotations

import ctypes as c
import os
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from ._library import Error, filled, lib, td_settings
from .batch import Batch
from .robot import Robot, load

try:
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv as _Base
except ImportError:
    AutoresetMode, _Base = None, object

    class Box:
        """Arrays of one shape between two bounds: as much of gymnasium.spaces.Box as is used here."""

        def __init__(self, low, high, shape: Optional[tuple[int, ...]] = None, dtype=np.float64, seed: Optional[int] = None) -> None:
            self.shape = tuple(np.shape(low) if shape is None else shape)
            self.dtype = np.dtype(dtype)
            self.low = np.array(np.broadcast_to(low, self.shape), self.dtype)
            self.high = np.array(np.broadcast_to(high, self.shape), self.dtype)
            self.seed(seed)

        def seed(self, seed: Optional[int] = None) -> None:
            self._random = np.random.default_rng(seed)

        def sample(self) -> np.ndarray:
            """A point drawn uniformly, or from a normal distribution where there are no bounds."""
            bounded = np.isfinite(self.low) & np.isfinite(self.high)
            low, high = np.where(bounded, self.low, 0), np.where(bounded, self.high, 0)
            free = self._random.standard_normal(self.shape)
            return np.where(bounded, self._random.uniform(low, high), free).astype(self.dtype)

        def contains(self, x) -> bool:
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all((self.low <= x) & (x <= self.high)))

        __contains__ = contains

        def __eq__(self, other) -> bool:
            return (isinstance(other, Box) and self.shape == other.shape and self.dtype == other.dtype
                    and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high))

        def __repr__(self) -> str:
            return f"Box(shape={self.shape}, dtype={self.dtype})"


AUTORESETS = ("next_step", "same_step", "disabled")
FOLDER = Path(__file__).resolve().parent / "tasks"
TASKS = ("follow", "pose", "reach_2d", "reach_3d")


def make(task: str, num_envs: int, **options: Any) -> "VectorEnv":
    """One of the tasks of this package: follow (a moving target with the tip), pose (inverse kinematics with the tip's
    direction), reach_2d and reach_3d (around obstacles).  options: those of VectorEnv."""
    if task not in TASKS:
        raise Error(f"there is no task '{task}'; there are: {', '.join(TASKS)}")
    return VectorEnv(FOLDER / f"{task}.m", num_envs, **options)


def _columns(robot: Robot, name: str) -> list[int]:
    """Columns of a sensor in those of the robot: itself, or its components name_x ..., name_1 ..."""
    alone = [i for i, s in enumerate(robot.sensor_names) if s == name]
    ends = [{f"{name}_{k}" for k in "xyz"}, {f"{name}_{k + 1}" for k in range(robot.sizes.nsensor)}]
    return alone or [i for i, s in enumerate(robot.sensor_names) if any(s in e for e in ends)]


class VectorEnv(_Base):
    """num_envs plants of a model as one environment.

    autoreset tells what happens to a plant whose episode has ended, with Gymnasium's words:
      "next_step"  the next step() resets it instead: its action is not used, its reward is 0
      "same_step"  step() resets it at once: the observation is the first of the next episode, the last one is in
                   info["final_obs"] where info["_final_obs"]
      "disabled"   step() refuses to go on until reset(options={"reset_mask": mask}) has begun it anew

    A plant that fails (the solver does not converge, a number is not finite) ends its episode as terminated with the
    reward `penalty` and its last observation; info["failed"] marks it and info["messages"] says why.
    Actions beyond the range of an input are moved to its end; one that is not a number is refused.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None
    spec = None
    closed = False

    def __init__(self, model: Union[Robot, str, os.PathLike], num_envs: int, threads: int = 1, autoreset: str = "next_step",
                 penalty: float = 0.0, sigma_q: float = 0.0, sigma_v: float = 0.0) -> None:
        robot = model if isinstance(model, Robot) else load(model)
        if autoreset not in AUTORESETS:
            raise Error(f"autoreset must be one of {', '.join(AUTORESETS)}, got '{autoreset}'")
        if not np.isfinite(penalty):
            raise Error(f"penalty must be a finite number, got {penalty}")
        self.robot, self.num_envs, self.autoreset, self.penalty = robot, int(num_envs), autoreset, float(penalty)

        # what the text says: sensors, inputs, parameters to draw, times
        ranges = robot.ranges
        self._observe, reward, done = (_columns(robot, name) for name in ("observe", "reward", "done"))
        if not self._observe:
            raise Error(f"{robot.name}: an environment needs a sensor named 'observe', whose numbers are the observation")
        if len(reward) != 1:
            raise Error(f"{robot.name}: an environment needs a sensor named 'reward' with one number, got {len(reward) or 'none'}")
        if len(done) > 1:
            raise Error(f"{robot.name}: the sensor 'done' must have one number, got {len(done)}")
        self._reward, self._done = reward[0], done[0] if done else None
        for i, name in enumerate(robot.inputs):
            if lib.td_model_input_is_set(robot._model, i):
                raise Error(f"{robot.name}: input '{name}' is set by a controller or task of the model: it cannot be an action")
            if name not in ranges:
                raise Error(f"{robot.name}: input '{name}' needs a range to be an action: input('{name}', 0, [-1 1])")
        if not robot.inputs:
            raise Error(f"{robot.name}: an environment needs inputs, which are its actions")
        self._drawn = [name for name in robot.params if name.startswith("random_")]
        for name in self._drawn:
            if name not in ranges:
                raise Error(f"{robot.name}: parameter '{name}' needs a range to be drawn from: param('{name}', 0, [-1 1])")
        self._ranges = ranges
        self._by_factors = [bool(self._is_log(robot, name)) for name in self._drawn]
        s = filled(td_settings, lib.td_model_settings_into, robot._model)
        self.dt, self.steps = s.dt_out, max(1, round((s.t_final - s.t_init) / s.dt_out))

        # spaces
        box = np.array([ranges[name] for name in robot.inputs])
        n = self.num_envs
        self.batch = Batch(robot, n, threads=threads, sigma_q=sigma_q, sigma_v=sigma_v)
        self.single_action_space = Box(low=box[:, 0], high=box[:, 1], dtype=np.float64)
        self.action_space = Box(low=np.tile(box[:, 0], (n, 1)), high=np.tile(box[:, 1], (n, 1)), dtype=np.float64)
        width = len(self._observe)
        self.single_observation_space = Box(low=-np.inf, high=np.inf, shape=(width,), dtype=np.float64)
        self.observation_space = Box(low=-np.inf, high=np.inf, shape=(n, width), dtype=np.float64)
        mode = AutoresetMode[autoreset.upper()] if AutoresetMode else autoreset
        self.metadata = {**VectorEnv.metadata, "autoreset_mode": mode}

        self._random = np.random.default_rng()
        self._draws = np.array([np.random.default_rng(k) for k in range(n)], dtype=object)
        self._count = np.zeros(n, dtype=int)        # steps of the episode
        self._ended = np.ones(n, dtype=bool)        # episode over, or not begun
        self._observations = np.zeros((n, width))
        self._begun = False

    @staticmethod
    def _is_log(robot: Robot, name: str) -> bool:
        pair, logarithmic = (c.c_double * 2)(), c.c_bool(False)
        lib.td_model_param_range(robot._model, robot.params.index(name), pair, c.byref(logarithmic))
        return logarithmic.value

    def _begin(self, mask: np.ndarray) -> None:
        """Draw the parameters of these plants, each from its own numbers, and let them begin anew."""
        chosen = np.flatnonzero(mask)
        for name, by_factors in zip(self._drawn, self._by_factors):
            low, high = self._ranges[name]
            values = np.full(self.num_envs, np.nan)  # NaN: as it is
            for i in chosen:
                x = self._draws[i].random()
                values[i] = low * (high / low) ** x if by_factors else low + (high - low) * x
            self.batch.param(name, values)
        self.batch.reset(mask=mask)
        bad = mask & ((self.batch.status != 0) | ~np.isfinite(self.batch.sensors[:, self._observe]).all(axis=1))
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            raise Error(f"plant {i} cannot begin: {self.batch.message(i) or 'an observation is not finite'}")
        self._count[mask], self._ended[mask] = 0, False
        self._observations[mask] = self.batch.sensors[mask][:, self._observe]

    def reset(self, *, seed: Union[int, list, None] = None, options: Optional[dict] = None) -> tuple[np.ndarray, dict]:
        """Begin episodes.  seed: of the draws and the noise, one number (plant k has seed + k) or one for each plant;
        without one, plants go on with their own.  options {"reset_mask": mask}: only these plants."""
        n, mask = self.num_envs, np.ones(self.num_envs, dtype=bool)
        for key, value in (options or {}).items():
            if key != "reset_mask":
                raise Error(f"reset has no option '{key}'; it has: reset_mask")
            mask = np.asarray(value)
            if mask.shape != (n,) or mask.dtype != bool or not mask.any():
                raise Error(f"reset_mask must have {n} truth values, one of them true")
        if seed is not None or not self._begun:
            if not self._begun and not mask.all():
                raise Error("the first reset must be that of all plants")
            if seed is None:
                seed = int(self._random.integers(2**31))
            seeds = [int(seed) + k for k in range(n)] if np.ndim(seed) == 0 else [int(s) for s in seed]
            if len(seeds) != n or min(seeds) < 0:
                raise Error(f"seed must be a number from 0, or {n} of them")
            if not mask.all():
                raise Error("seed and reset_mask cannot be given together: seeds are those of all plants")
            self._draws = np.array([np.random.default_rng(s) for s in seeds], dtype=object)
            self.batch.seeds(seeds)
        self._begun = True
        self._begin(mask)
        return self._observations.copy(), {}

    def step(self, actions) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """Hold the actions for par.dt_out: observations, rewards, terminated, truncated, info."""
        n = self.num_envs
        if not self._begun:
            raise Error("reset() must come before step()")
        a = np.asarray(actions, dtype=float)
        if a.shape != self.action_space.shape:
            raise Error(f"actions must have the shape {self.action_space.shape}, got {a.shape}")
        waiting = self._ended.copy()
        if self.autoreset == "disabled" and waiting.any():
            raise Error(f"plant {int(np.flatnonzero(waiting)[0])} has ended its episode: reset it first (reset_mask)")
        if not np.isfinite(a[~waiting]).all():
            raise Error("actions must be finite numbers")
        a = np.where(waiting[:, None], self.action_space.low, np.clip(a, self.action_space.low, self.action_space.high))

        # plants in an episode go on, those that ended it before begin the next one
        going = ~waiting
        if going.any():
            self.batch.step(self.dt, a, mask=going)
        seen = self.batch.sensors[:, self._observe]
        reward = self.batch.sensors[:, self._reward].copy()
        done = self.batch.sensors[:, self._done] if self._done is not None else np.full(n, -1.0)
        failed = going & ((self.batch.status != 0) | ~np.isfinite(seen).all(axis=1) | ~np.isfinite(reward) | np.isnan(done))
        self._count[going] += 1
        fine = going & ~failed
        self._observations[fine] = seen[fine]
        reward = np.where(failed, self.penalty, np.where(going, reward, 0.0))
        terminated = failed | (fine & (done > 0))
        truncated = going & ~terminated & (self._count >= self.steps)
        self._ended = terminated | truncated
        info: dict[str, Any] = {}
        if failed.any():
            info = {"failed": failed, "_failed": failed.copy(),
                    "messages": [self.batch.message(i) if failed[i] else "" for i in range(n)]}
        if waiting.any():
            self._begin(waiting)
        if self.autoreset == "same_step" and self._ended.any():
            over = self._ended.copy()
            info["final_obs"], info["_final_obs"] = self._observations.copy(), over
            self._begin(over)
        return self._observations.copy(), reward, terminated, truncated, info

    def render(self) -> None:
        """Nothing is drawn: `tendril view MODEL` shows the model."""
        return None

    def close(self, **_: Any) -> None:
        self.closed = True

    @property
    def unwrapped(self) -> "VectorEnv":
        return self

    @property
    def np_random(self) -> np.random.Generator:
        return self._random

    def __repr__(self) -> str:
        return f"<tendril.envs.VectorEnv of {self.num_envs} plants of '{self.robot.name}'>"
