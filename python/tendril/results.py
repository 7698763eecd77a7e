"""What analyses give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .robot import State


def table(title: str, rows: list[tuple[str, object]]) -> str:
    """A small HTML table of names and values."""
    body = "".join(f"<tr><td>{name}</td><td style='text-align:right'>{value}</td></tr>" for name, value in rows)
    return f"<table><caption>{title}</caption>{body}</table>"


@dataclass
class Equations:
    """The equations at one state: M v' + h = tau + Jc' lambda, F = M v' + h - tau - Jc' lambda."""

    M: np.ndarray
    h: np.ndarray
    tau: np.ndarray
    vdot: np.ndarray
    Jc: np.ndarray
    lambda_: np.ndarray
    dFdq: np.ndarray
    dFdv: np.ndarray
    B: np.ndarray  # d(tau - h)/du
    energy: dict[str, float]  # kinetic, elastic, gravity
    zdot: np.ndarray  # rates of the internal states


@dataclass
class Equilibrium:
    """A static equilibrium."""

    state: "State"
    stable: bool
    stability: str
    strategy: str
    residual: float
    critical: float
    iterations: int
    sensors: dict[str, float]

    def _repr_html_(self) -> str:
        rows = [("stability", self.stability), ("found by", self.strategy), ("residual", f"{self.residual:.2g}")]
        return table("Equilibrium", rows + [(name, f"{x:.6g}") for name, x in self.sensors.items()])


@dataclass
class Modes:
    """Natural modes, ascending; eigenvalues of the damped system."""

    frequency: np.ndarray  # [Hz]; negative: unstable
    damping: np.ndarray
    shape: np.ndarray  # n x nv, mass-normalised
    eigenvalues: np.ndarray
    eigenvectors: np.ndarray  # one per row, the velocity part
    note: str

    def _repr_html_(self) -> str:
        pairs = zip(self.frequency[:10], self.damping)
        return table("Modes", [(f"{f:.6g} Hz", f"damping {z:.3g}") for f, z in pairs])


@dataclass
class Trust:
    """The verdict on a simulation: "ok", "look" or "wrong", and why."""

    verdict: str
    reasons: list[str]

    def __str__(self) -> str:
        return ": ".join([self.verdict, "; ".join(self.reasons)] if self.reasons else [self.verdict])


@dataclass
class Trajectory:
    """A simulation: one row per output time; run["tip_x"] is a sensor or an internal state."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    u: np.ndarray
    sensors: np.ndarray
    energy: np.ndarray  # kinetic, elastic, gravity, work
    names: list[str]  # of the sensors
    events: list[tuple[float, int]]
    statistics: dict[str, object]
    final: "State"
    trust: Trust  # can the numbers be trusted?
    z: np.ndarray  # internal states
    internals: list[str]  # their names

    def __getitem__(self, name: str) -> np.ndarray:
        """A sensor by name; of a vector sensor "tip", the columns tip_x, tip_y, tip_z together."""
        if name in self.names:
            return self.sensors[:, self.names.index(name)]
        if name in self.internals:
            return self.z[:, self.internals.index(name)]
        parts = [i for i, full in enumerate(self.names) if full.rsplit("_", 1)[0] == name]
        if not parts:
            raise KeyError(f"no sensor '{name}'; there are: {', '.join(self.names) or 'none'}")
        return self.sensors[:, parts]

    def __len__(self) -> int:
        return len(self.t)

    def _repr_html_(self) -> str:
        s = self.statistics
        return table("Simulation", [("time", f"{self.t[0]:g} … {self.t[-1]:g} s"), ("rows", len(self.t)),
                                    ("steps", s["steps"]), ("solver", s["why"]),
                                    ("energy error", f"{s['energy_error']:.2g} J"), ("trust", str(self.trust))])
