"""What analyses give."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    errors: dict[str, float] = field(default_factory=dict)  # half-widths of error bars, where asked for
    trust: "Trust | None" = None  # of them

    @property
    def error(self) -> dict[str, float]:
        """Half-widths of the error bars by sensor, as a run has them."""
        return self.errors

    def _repr_html_(self) -> str:
        rows = [("stability", self.stability), ("found by", self.strategy), ("residual", f"{self.residual:.2g}")]
        bar = {name: f" ± {x:.2g}" for name, x in self.errors.items() if x == x}
        return table("Equilibrium", rows + [(name, f"{x:.6g}{bar.get(name, '')}") for name, x in self.sensors.items()])


@dataclass
class Modes:
    """Natural modes, ascending; eigenvalues of the damped system."""

    frequency: np.ndarray  # [Hz]; negative: unstable
    damping: np.ndarray
    shape: np.ndarray  # n x nv, mass-normalised
    eigenvalues: np.ndarray
    eigenvectors: np.ndarray  # one per row, the velocity part
    note: str
    error: "np.ndarray | None" = None  # half-widths of error bars of the frequencies [Hz], where asked for
    trust: "Trust | None" = None  # of them

    def _repr_html_(self) -> str:
        bars = [""] * len(self.frequency) if self.error is None else [f" ± {x:.2g}" if x == x else "" for x in self.error]
        rows = zip(self.frequency[:10], bars, self.damping)
        return table("Modes", [(f"{f:.6g}{bar} Hz", f"damping {z:.3g}") for f, bar, z in rows])


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
    error: dict[str, np.ndarray] = field(default_factory=dict)  # half-widths of error bars by sensor, where asked for

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


@dataclass
class Gradient:
    """How results change: gradient["tip_z", "E"] is a derivative, gradient["tip_z"] those by all numbers.  With
    at="rows" values and matrix have one row for each time, and so have these."""

    of: list[str]  # names of results
    by: list[str]  # names of what is changed
    value: np.ndarray  # of results
    matrix: np.ndarray  # results x numbers
    point: np.ndarray  # values of the numbers; NaN: none, or several over time
    t: "float | np.ndarray"
    method: str
    note: str  # what is one-sided there, how a motion was computed

    def __getitem__(self, names) -> np.ndarray:
        of, by = names if isinstance(names, tuple) else (names, None)
        for name, known in ((of, self.of), (by, self.by)):
            if name is not None and name not in known:
                raise KeyError(f"no '{name}'; there are: {', '.join(known)}")
        row = self.matrix[..., self.of.index(of), :]
        return row if by is None else row[..., self.by.index(by)]

    @property
    def relative(self) -> np.ndarray:
        """(p/y) dy/dp: change in parts of the result for a change in parts of the number; NaN where one of them is 0."""
        y, p = self.value[..., None], self.point
        ok = (y != 0) & (p != 0)
        return np.where(ok, self.matrix * p / np.where(y != 0, y, 1), np.nan)

    def _repr_html_(self) -> str:
        if self.matrix.ndim > 2:
            return table("Gradient", [("rows", len(self.matrix)), ("of", ", ".join(self.of)), ("by", ", ".join(self.by))])
        rows = [(f"d {y} / d {p}", f"{self.matrix[i, k]:.6g}") for i, y in enumerate(self.of) for k, p in enumerate(self.by)]
        return table("Gradient", rows + ([("note", self.note)] if self.note else []))


@dataclass
class Fit:
    """Parameters that recordings tell, with what they know about them; fit["E"] is a value."""

    names: list[str]
    value: np.ndarray
    low: np.ndarray  # 95 % interval
    high: np.ndarray
    deviation: np.ndarray
    correlation: np.ndarray
    rms: float
    rms_at_start: float
    rms_by_sensor: dict[str, float]
    rms_by_recording: dict[str, float]
    left_out: dict[str, float]  # errors of recordings that a fit without them predicts
    dof: int
    bic: float
    unseen: list[dict[str, float]]  # combinations that the recordings cannot see
    further: list[tuple[str, float, float]]  # held params: name, change of BIC if freed, value they would take
    converged: bool
    notes: list[str]

    def __getitem__(self, name: str) -> float:
        return float(self.value[self.names.index(name)])

    def _repr_html_(self) -> str:
        rows = [(n, f"{x:.6g} ({a:.4g} … {b:.4g})") for n, x, a, b in zip(self.names, self.value, self.low, self.high)]
        return table("Fit", rows + [("rms", f"{self.rms:.4g}")] + [("note", n) for n in self.notes])
