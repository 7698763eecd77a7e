"""Many plants of one model that run at once, on the threads of this machine."""

from __future__ import annotations

import ctypes as c
from typing import Optional

import numpy as np

from ._library import Error, Owned, address, filled, lib, td_batch_options
from .robot import Robot


class Batch:
    """n plants of a robot.

        batch = tendril.Batch(robot, 256, threads=2, solver="fixed", step=0.01)
        batch.param("m", masses)             # one for each plant
        batch.reset()
        for k in range(100):
            batch.step(0.01, inputs)         # n x nu
            print(batch.sensors[:, 0])       # views: batch.t, q, v, sensors are filled by each step

    A plant that fails has a status other than 0 and does not stop the others.
    """

    def __init__(self, robot: Robot, n: int, threads: int = 1, rtol: Optional[float] = None, atol: Optional[float] = None,
                 solver: Optional[str] = None, step: Optional[float] = None, sigma_q: float = 0.0, sigma_v: float = 0.0,
                 seed: int = 0, auto_reset: bool = False) -> None:
        sim = robot._options(rtol=rtol, atol=atol, solver=solver, step=step)
        o = filled(td_batch_options, lib.td_batch_options_fill)
        o.threads, o.sim, o.seed, o.auto_reset = int(threads), c.cast(c.pointer(sim), c.c_void_p), int(seed), bool(auto_reset)
        o.sigma_q, o.sigma_v = float(sigma_q), float(sigma_v)
        p, message = c.c_void_p(), c.create_string_buffer(400)
        status = lib.td_batch_new(robot._model, int(n), c.byref(o), c.byref(p), message, len(message))
        if status:
            raise Error(f"batch: {message.value.decode()}")
        size = robot.sizes
        self.robot, self.n, self._batch = robot, int(n), p
        self._owner = Owned(p, lib.td_batch_free, robot)
        self.t = np.zeros(n)
        self.q, self.v = np.zeros((n, size.nq)), np.zeros((n, size.nv))
        self.z, self.u = np.zeros((n, size.nz)), np.zeros((n, size.nu))
        self.sensors = np.zeros((n, size.nsensor))
        self.status = np.zeros(n, dtype=np.intc)
        self._read()

    def _read(self) -> None:
        lib.td_batch_read(self._batch, address(self.t), address(self.q), address(self.v), address(self.sensors))
        lib.td_batch_read_more(self._batch, address(self.z), address(self.u))
        lib.td_batch_status(self._batch, address(self.status))

    def _array(self, value, shape: tuple[int, ...], what: str, kind=float) -> Optional[np.ndarray]:
        """What the caller gives as an array of this shape, in one piece; one row or number is for all plants."""
        if value is None:
            return None
        a = np.asarray(value, dtype=kind)
        try:
            return np.ascontiguousarray(np.broadcast_to(a, shape))
        except ValueError:
            raise Error(f"{what} must have the shape {shape}, got {a.shape}") from None

    @staticmethod
    def _at(array: Optional[np.ndarray]) -> Optional[int]:
        return None if array is None else address(array)

    def param(self, name: str, values) -> "Batch":
        """Another value of a parameter for each plant, or one for all, from now on; NaN: as it is."""
        names = [lib.td_model_param_name(self.robot._model, i).decode() for i in range(self.robot.sizes.nparam)]
        if name not in names:
            raise Error(f"the model has no parameter '{name}'; it has: {', '.join(names) or 'none'}")
        x = self._array(values, (self.n,), f"values of '{name}'")
        if lib.td_batch_param(self._batch, names.index(name), address(x)):
            raise Error(f"parameter '{name}' was used while loading: it cannot change any more")
        lib.td_batch_status(self._batch, address(self.status))
        refused = (self.status != 0) & ~np.isnan(x)  # NaN: as it is, also of a plant that failed before
        if refused.any():
            bad = int(np.flatnonzero(refused)[0])
            raise Error(f"plant {bad}: {self.message(bad)}")
        return self

    def seeds(self, values) -> "Batch":
        """Seeds of the noise of further resets, one for each plant."""
        lib.td_batch_seed(self._batch, address(self._array(values, (self.n,), "seeds", np.ulonglong)))
        return self

    def reset(self, mask=None, t=None, q=None, v=None, z=None) -> "Batch":
        """Begin anew: at the initial state of the model with noise, or at the states given; mask: which plants."""
        m = self._array(mask, (self.n,), "mask", bool)
        times = self._array(t, (self.n,), "t")
        states = [self._array(x, a.shape, name) for x, a, name in ((q, self.q, "q"), (v, self.v, "v"), (z, self.z, "z"))]
        lib.td_batch_reset_to(self._batch, self._at(m), self._at(times), *map(self._at, states))
        self._read()
        return self

    def step(self, dt: float, inputs=None, mask=None) -> "Batch":
        """Hold the inputs (n x nu; None: as they are) and advance by dt seconds."""
        u, m = self._array(inputs, self.u.shape, "inputs"), self._array(mask, (self.n,), "mask", bool)
        if lib.td_batch_step(self._batch, float(dt), self._at(u), self._at(m)):
            raise Error(f"a step must be positive and finite, got {dt}")
        self._read()
        return self

    def message(self, plant: int) -> str:
        """Why a plant failed; empty when it did not."""
        return (lib.td_batch_message(self._batch, int(plant)) or b"").decode()

    @property
    def bytes(self) -> int:
        """Memory of the works of the plants."""
        return lib.td_batch_bytes(self._batch)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<tendril.Batch of {self.n} plants of '{self.robot.name}'>"
