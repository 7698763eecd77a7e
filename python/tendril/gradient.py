"""Exact derivatives of equilibria, modes and motions (include/tendril/gradient.h, docs/gradients.md)."""

from __future__ import annotations

import ctypes as c
import re
from typing import TYPE_CHECKING, Callable, Mapping, Optional, Union

import numpy as np

from ._library import Error, Weigh, address, lib, matrix, status_text, td_by, td_modes_result
from ._tools import _Interruptible, _numbers
from .results import Equilibrium, Gradient

if TYPE_CHECKING:
    from .robot import State

_STOPPED = 7  # TD_E_STOPPED
_WRONG = 2  # TD_TRUST_WRONG
_PARAM, _INPUT, _POSITION, _VELOCITY, _INTERNAL, _SAMPLE = range(6)  # td_by_kind
_STARTS = ("given", "initial", "equil")  # td_start

Names = Union[None, str, list[str]]


def _list(names: Names) -> list[str]:
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names or ())


class _Motion:
    """A motion as td_simulate_gradient and td_simulate_adjoint take it: where it starts, how the start follows what is
    changed, the options and inputs over time."""

    def __init__(self, robot, state, start: Optional[str], options: Mapping[str, object]) -> None:
        known = ("t_final", "dt_out", "rtol", "atol", "solver", "step", "inputs", "progress")
        for key in options:
            if key not in known:
                raise Error(f"a motion has no option '{key}'; it may have: {', '.join(known)}")
        if start is not None and start not in _STARTS:
            raise Error(f"start must be one of {', '.join(_STARTS)}, got {start!r:.60}")
        at_rest = isinstance(state, Equilibrium)
        if state is None and start == "equil":
            state, at_rest = robot.equilibrium(), True
        self.start = _STARTS.index(start or ("equil" if at_rest else "initial" if state is None else "given"))
        self.state = robot._own(state.state if at_rest else state).copy()
        if state is not None and _STARTS[self.start] == "initial":
            own = robot.state()
            for name in "qvz":
                if not np.array_equal(getattr(own, name), getattr(self.state, name)):
                    raise Error(f"start='initial': {name} of the state are not as the file writes them; take 'given'")
        self.progress = options.get("progress")
        self.inputs = options.get("inputs")
        self.options = robot._options(**{k: x for k, x in options.items() if k not in ("inputs", "progress")})
        self.table = None if self.inputs is None else robot._input_table(self.inputs)
        if self.table is not None:
            self.options.inputs = c.cast(c.pointer(self.table[0]), c.c_void_p)

    def sampled(self) -> list[str]:
        """Names of the inputs over time, column by column."""
        return [] if self.inputs is None else [name for name in self.inputs if name != "t"]


class Differentiable:
    """The part of a robot that knows how results change."""

    # ---- names ----------------------------------------------------------------------------------

    def _results(self, of: Names) -> list[str]:
        """Names of results: sensors by name or stem, energy, frequencyN, dampingN."""
        out = []
        for name in _list(of) if of is not None else self.sensor_names:
            parts = [full for full in self.sensor_names if full.startswith(name + "_")]
            if name in self.sensor_names:
                out.append(name)
            elif parts:
                out += parts
            elif name == "energy" or re.fullmatch(r"(frequency|damping)[1-9]\d*", name):
                out.append(name)
            else:
                raise Error(f"of: '{name}' is no sensor, nor energy, frequencyN or dampingN; sensors are: "
                            f"{', '.join(self.sensor_names) or 'none'}")
        if not out:
            raise Error("of: the model has no sensors: say energy, frequency1, damping1 ...")
        return out

    def _causes(self, by: Names, motion: Optional[_Motion]) -> tuple[list[str], c.Array]:
        """Names of what is changed, and what they are for the library."""
        names, kinds = [], []

        def add(name: str, kind: int, index: int) -> None:
            names.append(name)
            kinds.append(td_by(kind, index))

        if by is None:
            by = [name for i, name in enumerate(self.params) if lib.td_by_allowed(self._model, td_by(_PARAM, i))]
            by += self.inputs
        sampled = [] if motion is None else motion.sampled()
        for name in _list(by):
            start = re.fullmatch(r"([qv]):(.*)", name)
            sample = re.fullmatch(r"(.*)\[(\d+|:)\]", name)
            if name in self.params:
                add(name, _PARAM, self.params.index(name))
            elif name in self._input_index:
                add(name, _INPUT, self._input_index[name])
            elif name in self.internals:
                add(name, _INTERNAL, self.internals.index(name))
            elif motion is not None and start and start[2] in self.v_names:
                add(name, _POSITION if start[1] == "q" else _VELOCITY, self.v_names.index(start[2]))
            elif sample and sample[1] in sampled:
                rows, column = motion.table[0].rows, sampled.index(sample[1])
                for row in range(rows) if sample[2] == ":" else [int(sample[2])]:
                    if row >= rows:
                        raise Error(f"by: input '{sample[1]}' has the samples 0 to {rows - 1}, got {name}")
                    add(f"{sample[1]}[{row}]", _SAMPLE, row * len(sampled) + column)
            else:
                more = ("; of motions also q:NAME and v:NAME of robot.v_names where they start, and F[3] or F[:] of "
                        "inputs over time")
                raise Error(f"by: '{name}' is no param, input or internal state of the model" + more)
        if not names:
            raise Error("by: the model has no param that may change and no input: there is nothing to differentiate by")
        return names, (td_by * len(kinds))(*kinds)

    def _values_of(self, causes, state: "State", held: list[str]) -> np.ndarray:
        """Values of what is changed; NaN: it is no single number."""
        def value(by: td_by) -> float:
            i = by.index
            if by.kind == _PARAM:
                return lib.td_work_param(self._model, self._work, i)
            if by.kind == _INPUT:
                return np.nan if self.inputs[i] in held else state.u[i]
            if by.kind == _POSITION:
                name = self.v_names[i]
                return state.q[self.q_names.index(name)] if name in self.q_names else np.nan
            return state.v[i] if by.kind == _VELOCITY else state.z[i] if by.kind == _INTERNAL else np.nan

        return np.array([value(by) for by in causes])

    def _rest(self, at, state: Optional["State"]) -> "State":
        """The equilibrium to differentiate, with the cables that are taut there."""
        if isinstance(at, str):
            if at != "equil":
                raise Error(f"at must be 'equil', 'end', 'rows', a State or an Equilibrium, got '{at}'")
            return self.equilibrium(state).state
        if state is not None:
            raise Error("`state` is where a motion starts or an equilibrium is looked for: not with a state in `at`")
        s = self._own(at.state if isinstance(at, Equilibrium) else at)
        self._check(lib.td_taut_choose(self._model, s._pointer, self._work), "gradient")
        return s

    # ---- derivatives ----------------------------------------------------------------------------

    def gradient(self, of: Names = None, by: Names = None, at: Union[str, "State", Equilibrium] = "equil",
                 state: Union[None, "State", Equilibrium] = None, start: Optional[str] = None,
                 **options: object) -> Gradient:
        """Exact derivatives of results `of` by numbers `by`, lists of names or text like "tip_z,energy".

        of: sensors (a stem is all of its components), at rest also energy (potential), frequencyN [Hz] and dampingN;
            default: all sensors.
        by: params, inputs, internal states; of motions also where they start, "q:NAME" and "v:NAME" with NAME of
            robot.v_names, and samples of inputs over time, "F[3]" or all of them, "F[:]"; default: all params that may
            change and all inputs.
        at: "equil", the equilibrium near `state` (default: near the initial state); a State or Equilibrium that is one;
            "end" of a motion, or its "rows".
        A motion takes the options of `simulate` and starts at `state`.  `start` tells how that follows what is changed:
        "given" (not at all), "initial" (as the file writes it) or "equil" (it is an equilibrium); default: "initial"
        without a state, "equil" of an Equilibrium, "given" of a State."""
        names = self._results(of)
        if isinstance(at, str) and at in ("end", "rows"):
            return self._gradient_of_motion(names, by, at == "rows", _Motion(self, state, start, options))
        if options or start is not None:
            raise Error(f"'{next(iter(options), 'start')}' belongs to a motion: at='end' or 'rows'")
        s = self._rest(at, state)
        causes, which = self._causes(by, None)
        n, ny = len(causes), self.sizes.nsensor
        value, d = np.full(len(names), np.nan), np.full((len(names), n), np.nan)

        # sensors and energy
        modes = [re.fullmatch(r"(frequency|damping)(\d+)", name) if name not in self.sensor_names else None
                 for name in names]
        dy, de, note = np.empty((n, ny)), np.empty(n), ""
        if not all(modes):
            status = lib.td_equilibrium_gradient(self._model, s._pointer, self._work, which, n, None, None, None,
                                                 address(dy), address(de) if "energy" in names else None)
            self._check(status, "gradient")
            note = lib.td_work_gradient_note(self._work).decode()
        if any(modes):
            note = self._gradient_of_modes(s, which, modes, value, d) or note
        e, y = lib.td_energy(self._model, s._pointer, self._work), self._sensors(s, False)
        for i, name in enumerate(names):
            if name in self.sensor_names:
                k = self.sensor_names.index(name)
                value[i], d[i] = y[k], dy[:, k]
            elif name == "energy":
                value[i], d[i] = e.elastic + e.gravity, de
        return Gradient(names, causes, value, d, self._values_of(which, s, []), s.t, "forward", note)

    def _gradient_of_modes(self, s: "State", which, modes, value: np.ndarray, d: np.ndarray) -> str:
        """Frequencies [Hz] and damping ratios, where `modes` has a match; returns the note."""
        p, n = c.POINTER(td_modes_result)(), len(which)
        self._check(lib.td_modes(self._model, s._pointer, self._work, c.byref(p)), "modes")
        try:
            r = p.contents
            for match in filter(None, modes):
                if int(match[2]) > r.n:
                    raise Error(f"of: {match[0]}: {r.n} modes were found")
            dw, dz = np.empty((n, r.n)), np.empty((n, r.n))
            ratios = address(dz) if any(match and match[1] == "damping" for match in modes) else None
            status = lib.td_modes_gradient(self._model, s._pointer, self._work, p, which, n, address(dw), ratios, None,
                                           None, None)
            self._check(status, "gradient")
            for i, match in enumerate(modes):
                if match:
                    k, slow = int(match[2]) - 1, match[1] == "frequency"
                    value[i] = r.omega[k] / (2 * np.pi) if slow else r.zeta[k]
                    d[i] = dw[:, k] / (2 * np.pi) if slow else dz[:, k]
            return lib.td_work_gradient_note(self._work).decode()
        finally:
            lib.td_modes_free(p)

    def _sensor_rows(self, names: list[str]) -> list[int]:
        """Numbers of sensors, which alone a motion has derivatives of."""
        for name in names:
            if name not in self.sensor_names:
                raise Error(f"of: {name}: motions have derivatives of sensors alone" +
                            ("; add one, sensor(k).value = energy()" if name == "energy" else ""))
        return [self.sensor_names.index(name) for name in names]

    def _gradient_of_motion(self, names: list[str], by: Names, rows: bool, motion: _Motion) -> Gradient:
        columns = self._sensor_rows(names)
        causes, which = self._causes(by, motion)
        point = self._values_of(which, motion.state, motion.sampled())
        p, changes = c.c_void_p(), c.c_void_p()
        try:
            with _Interruptible(motion.progress) as run:
                motion.options.progress = run.callback
                status = lib.td_simulate_gradient(self._model, self._work, motion.state._pointer,
                                                  c.byref(motion.options), motion.start, which, len(which),
                                                  c.byref(p), c.byref(changes))
            run.finish()
            doubts = self._check_motion(status, p, "gradient")
            count, ny, n = lib.td_trajectory_rows(p), self.sizes.nsensor, len(which)
            wanted = range(count) if rows else [count - 1]
            t = np.array([lib.td_trajectory_time(p, i) for i in wanted])
            value = np.array([matrix(lib.td_trajectory_sensors(p, i), ny)[columns] for i in wanted])
            d = np.array([matrix(lib.td_sensitivity_sensors(changes, i), n, ny)[:, columns].T for i in wanted])
            note = "; ".join([lib.td_sensitivity_note(changes).decode()] + doubts)
        finally:
            lib.td_sensitivity_free(changes)
            lib.td_trajectory_free(p)
        if not rows:
            return Gradient(names, causes, value[0], d[0], point, float(t[0]), "forward", note)
        return Gradient(names, causes, value, d, point, t, "forward", note)

    def _check_motion(self, status: int, p: c.c_void_p, what: str) -> list[str]:
        """Raise where there was no motion, or one that is wrong; the doubts about another."""
        why = lib.td_trajectory_diagnosis(p).decode() if p else ""
        if status and why:
            raise Error(f"{what}: {status_text(status)}: {why}")
        self._check(status, what)
        reasons = c.c_char_p()
        verdict = lib.td_trajectory_trust(p, c.byref(reasons))
        lines = (reasons.value or b"").decode().splitlines()
        if verdict == _WRONG:
            raise Error(f"{what}: the motion is wrong: {'; '.join(lines)}")
        return lines if verdict else []

    def vjp(self, weights, of: Names = None, by: Names = None, at: Union[str, "State", Equilibrium] = "equil",
            state: Union[None, "State", Equilibrium] = None, start: Optional[str] = None,
            **options: object) -> tuple[np.ndarray, np.ndarray]:
        """Vector-Jacobian product: the values of the results `of` (sensors, at rest also energy), and the gradient of
        (weights * values).sum() by all of `by`, in one sweep backwards whatever their number.

        Arguments are those of `gradient`.  `weights` has the shape of the values: one for each name, or with at="rows"
        one row for each row of the motion.  It may be a function of the values that returns the weights, for an
        objective of its own; it must leave the robot alone.  Motions are those of equal steps (solver "fixed", the
        default here; `step`): the gradient of the computed function to rounding."""
        names = self._results(of)
        if isinstance(at, str) and at in ("end", "rows"):
            motion = _Motion(self, state, start, {"solver": "fixed", **options})
            return self._sweep_of_motion(weights, names, by, at == "rows", motion)
        if options or start is not None:
            raise Error(f"'{next(iter(options), 'start')}' belongs to a motion: at='end' or 'rows'")
        for name in names:
            if name not in self.sensor_names and name != "energy":
                raise Error(f"of: {name}: products go back from sensors and energy; take `gradient`")
        s = self._rest(at, state)
        causes, which = self._causes(by, None)

        # one solve and one sweep for the weighted sum
        gradient, sensor_weights, energy = np.empty(len(causes)), np.zeros(self.sizes.nsensor), 0.0
        value = self._values_at_rest(names, s)
        w = _weights(weights, value)
        for x, name in zip(w, names):
            if name in self.sensor_names:
                sensor_weights[self.sensor_names.index(name)] += x
            else:
                energy += float(x)
        status = lib.td_equilibrium_adjoint(self._model, s._pointer, self._work, address(sensor_weights), None, energy,
                                            which, len(causes), address(gradient))
        self._check(status, "vjp")
        return value, gradient

    def _values_at_rest(self, names: list[str], s: "State") -> np.ndarray:
        y, e = self._sensors(s, False), lib.td_energy(self._model, s._pointer, self._work)
        return np.array([y[self.sensor_names.index(name)] if name in self.sensor_names else e.elastic + e.gravity
                         for name in names])

    def _sweep_of_motion(self, weights, names: list[str], by: Names, rows: bool, motion: _Motion) -> tuple:
        columns = self._sensor_rows(names)
        causes, which = self._causes(by, motion)
        gradient, values, caught, p = np.empty(len(causes)), [], [], c.c_void_p()

        def weigh(_, trajectory, to) -> int:  # an exception cannot pass through C
            try:
                count, ny = lib.td_trajectory_rows(trajectory), self.sizes.nsensor
                y = np.array([matrix(lib.td_trajectory_sensors(trajectory, i), ny)[columns]
                              for i in range(0 if rows else count - 1, count)])
                values.append(y if rows else y[0])
                w = np.atleast_2d(_weights(weights, values[0]))
                all_rows = matrix(to, count, ny)
                for k, column in enumerate(columns):  # a name may stand twice
                    all_rows[-len(w):, column] += w[:, k]
                return 0
            except BaseException as error:
                caught.append(error)
                return _STOPPED

        try:
            with _Interruptible(motion.progress) as run:
                motion.options.progress = run.callback
                callback = Weigh(weigh)
                status = lib.td_simulate_adjoint(self._model, self._work, motion.state._pointer,
                                                 c.byref(motion.options), motion.start, callback, None, which,
                                                 len(which), c.byref(p), address(gradient))
            run.finish()
            if caught:
                raise caught[0]
            self._check_motion(status, p, "vjp")
        finally:
            lib.td_trajectory_free(p)
        return values[0], gradient

    def jacobian(self, station: Union[int, str], state: Optional["State"] = None) -> np.ndarray:
        """Geometric Jacobian of a station at a state (default: the initial one), 6 x nv: its body twist [v, omega] is
        J v, prescribed motion aside.  `pose` gives where it is; R J[:3] is the change of its place along the tangent
        directions of q."""
        s = self._own(state).copy()
        s.v[:] = 0
        at_rest, J = self.pose(station, s)[1], np.empty((6, self.sizes.nv))
        for k in range(self.sizes.nv):  # the twist is linear in the velocities
            s.v[k] = 1
            J[:, k] = self.pose(station, s)[1] - at_rest
            s.v[k] = 0
        return J


def _weights(weights: Union[Callable, np.ndarray, list], value: np.ndarray) -> np.ndarray:
    """Weights in the shape of the values, given or computed from them."""
    w = _numbers(weights(value.copy()) if callable(weights) else weights, "weights")
    if w.shape != value.shape:
        raise Error(f"weights have the shape of the values, {value.shape}, got {w.shape}")
    if not np.isfinite(w).all():
        raise Error("weights must be finite")
    return w
