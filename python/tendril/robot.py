"""Loading a model, and everything that can be done with it."""

from __future__ import annotations

import contextlib
import copy
import ctypes as c
import html
import itertools
import os
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Callable, Mapping, Optional, Union

import numpy as np

from ._library import (Error, Owned, Progress, address, filled, lib, matrix, status_text, td_equil_options,
                       td_equil_result, td_fit_options, td_fit_result, td_input_table, td_linear, td_modes_result, td_recording, td_report, td_sim_options, td_sim_stats, td_sizes)
from ._tools import _Interruptible, _finite, _number, _numbers, _put
from .gradient import Differentiable
from .linear import Linear
from .results import Equations, Equilibrium, Fit, Modes, Trajectory, Trust, table

_USAGE = "the function was called with arguments it cannot use"
_STOPPED = 7  # TD_E_STOPPED
_INFINITE = 9  # TD_E_INFINITE
# the solvers of the library at hand, by their words; the numbers are those of td_solver
SOLVERS = {lib.td_solver_name(i).decode(): i for i in itertools.takewhile(lib.td_solver_name, itertools.count())}


def load(path: Union[str, os.PathLike], force_range: bool = False, **params: object) -> "Robot":
    """Load a model file; keywords give its params other values than their defaults.  With `force_range` params and
    inputs may leave the ranges that the model gives them."""
    return Robot(os.fsdecode(path), None, params, force_range)


def loads(text: str, name: str = "model.m", force_range: bool = False, **params: object) -> "Robot":
    """Load a model from its text."""
    return Robot(name, text, params, force_range)


class State:
    """Time t, positions q, velocities v, internal states z and inputs u of a robot.  They are views: write into
    them."""

    def __init__(self, robot: "Robot", pointer=None, owner: Optional[Owned] = None) -> None:
        shown = owner is not None  # the state of a plant, which goes its own way: to be read
        if owner is None:
            pointer = lib.td_state_new(robot._model)
            if not pointer:
                raise MemoryError("td_state_new")
            owner = Owned(pointer, lib.td_state_free)
        n, data = robot.sizes, pointer.contents
        self.robot, self._pointer, self._data, self._owner = robot, pointer, data, owner
        self._q = matrix(data.q, n.nq, owner=owner)
        self._v = matrix(data.v, n.nv, owner=owner)
        self._u = matrix(data.u, n.nu, owner=owner)
        self._memory = matrix(data.memory, n.nmemory, owner=owner)
        self._z = matrix(data.z, n.nz, owner=owner)
        for x in (self._q, self._v, self._u, self._memory, self._z):
            x.flags.writeable = not shown
        self._shown = shown

    @property
    def t(self) -> float:
        return self._data.t

    @t.setter
    def t(self, value: float) -> None:
        if self._shown:
            raise Error("the state of a plant is to be read: plant.reset(state) puts it elsewhere")
        self._data.t = _number(value, "t")

    @property
    def q(self) -> np.ndarray:
        return self._q

    @q.setter
    def q(self, value) -> None:
        _put(self._q, value, "q", self.robot.q_names)

    @property
    def v(self) -> np.ndarray:
        return self._v

    @v.setter
    def v(self, value) -> None:
        _put(self._v, value, "v", self.robot.v_names)

    @property
    def u(self) -> np.ndarray:
        return self._u

    @u.setter
    def u(self, value) -> None:
        _put(self._u, value, "u", self.robot.inputs)

    @property
    def z(self) -> np.ndarray:
        """Internal states, in the order of robot.internals."""
        return self._z

    @z.setter
    def z(self, value) -> None:
        _put(self._z, value, "z", self.robot.internals)

    @property
    def memory(self) -> np.ndarray:
        """What tasks and controllers remember: integrals, samples, inputs on their way; zero: they start anew."""
        return self._memory

    def copy(self) -> "State":
        other = State(self.robot)
        lib.td_state_copy(self.robot._model, self._pointer, other._pointer)
        return other

    def moved(self, dv) -> "State":
        """A copy displaced by dv along the tangent directions of q."""
        other = self.copy()
        d = np.ascontiguousarray(np.broadcast_to(np.asarray(dv, dtype=float), (self.robot.sizes.nv,)))
        status = lib.td_displace(self.robot._model, address(self._q), address(d), address(other._q))
        if status:
            raise Error("positions and displacements must be finite")
        return other

    def __copy__(self) -> "State":
        return self.copy()

    def __deepcopy__(self, memo) -> "State":
        """A copy for the same robot, or for that robot's copy when both are copied together, in either order."""
        if id(self.robot) in memo:
            return _restore_state(memo[id(self.robot)], *self._numbers())
        other = self.copy()
        memo.setdefault(("states of", id(self.robot)), []).append(other)  # they follow when the robot is copied
        return other

    def _follow(self, robot: "Robot") -> None:
        """Become a state of a copy of the robot."""
        numbers = self._numbers()
        self.__init__(robot)
        _fill(self, *numbers)

    def __reduce__(self):
        return _restore_state, (self.robot, *self._numbers())

    def _numbers(self) -> tuple:
        return self.t, self._q.copy(), self._v.copy(), self._u.copy(), self._memory.copy(), self._z.copy()

    def __repr__(self) -> str:
        z = f" z={self.z}" if len(self.z) else ""
        return f"<tendril.State t={self.t:g} q={self.q} v={self.v}{z} u={self.u}>"


def _fill(s: State, t: float, q, v, u, memory, z=()) -> State:
    s._data.t = t
    s._q[:], s._v[:], s._u[:], s._memory[:] = q, v, u, memory
    s._z[:len(z)] = z
    return s


def _restore_state(robot: "Robot", t: float, q, v, u, memory, z=()) -> State:
    return _fill(State(robot), t, q, v, u, memory, z)


def _restore_robot(name: str, text: str, params: Mapping[str, object], values: Mapping[str, float],
                   force_range: bool = False) -> "Robot":
    robot = Robot(name, text, params, force_range)
    for key, value in values.items():
        robot.set_param(key, value)
    return robot


def _bytes(text: Union[str, bytes]) -> bytes:
    """Text for the library, which takes a NUL for its end."""
    out = text.encode() if isinstance(text, str) else text
    if b"\0" in out:
        raise Error(f"text with a NUL character, after {out[:out.index(0)][-40:]!r}")
    return out


class Robot(Differentiable):
    """A compiled model with the memory to evaluate it.  Not for use by two threads at once.

    Copies (copy, deepcopy, pickle, workers of multiprocessing) are loaded anew from the text as it was read, with
    the params as they are now; files that the text includes are read again.  They share nothing with the original.
    """

    def __init__(self, name: str, text: Union[str, bytes, None], params: Mapping[str, object],
                 force_range: bool = False) -> None:
        self.name, self._force = name, bool(force_range)
        self._spec = lib.td_spec_new()
        if not self._spec:
            raise MemoryError("td_spec_new")
        weakref.finalize(self, lib.td_spec_free, self._spec)
        self._given, self._set = dict(params), {}
        if self._force:
            lib.td_spec_beyond_ranges(self._spec)
        self._refused = ""  # why a parameter was refused last: no cause of later errors
        for key, value in params.items():
            given = value if isinstance(value, str) else repr(_finite(value, f"param '{key}'"))
            self._spec_check(lib.td_spec_override(self._spec, _bytes(key), _bytes(given)))
        if text is None:
            self._spec_check(lib.td_spec_load_file(self._spec, _bytes(os.fsencode(name))))
            text = Path(name).read_bytes()
            name = os.path.abspath(name)  # copies may be made in another working directory
        else:
            text = _bytes(text)
            self._spec_check(lib.td_spec_load_string(self._spec, _bytes(os.fsencode(name)), text))
        self._source, self._text = name, text
        model = c.c_void_p()
        self._spec_check(lib.td_model_compile(self._spec, c.byref(model)))
        self._model = model.value
        weakref.finalize(self, lib.td_model_free, self._model)
        self._work = lib.td_work_new(self._model)
        if not self._work:
            raise MemoryError("td_work_new")
        weakref.finalize(self, lib.td_work_free, self._work)
        self.sizes: td_sizes = filled(td_sizes, lib.td_model_sizes_into, self._model)
        n = self.sizes
        self.q_names = self._names(lib.td_model_q_name, n.nq)
        self.v_names = self._names(lib.td_model_v_name, n.nv)
        self.inputs = self._names(lib.td_model_input_name, n.nu)
        self.params = self._names(lib.td_model_param_name, n.nparam)
        self.internals = self._names(lib.td_model_internal_name, n.nz)  # internal states
        self.internal_units = self._names(lib.td_model_internal_unit, n.nz)
        self.sensor_names = self._names(lib.td_model_sensor_name, n.nsensor)
        self.stations = self._names(lib.td_model_station_name, n.nstation)
        self._input_index = {name: i for i, name in enumerate(self.inputs)}
        # what inputs may be, but for those that controllers set
        pair, self._low, self._high = (c.c_double * 2)(), np.full(n.nu, -np.inf), np.full(n.nu, np.inf)
        for i in range(n.nu):
            if not self._force and not lib.td_model_input_is_set(self._model, i) and \
                    lib.td_model_input_range(self._model, i, pair):
                self._low[i], self._high[i] = pair[0], pair[1]

    def __reduce__(self):
        return _restore_robot, (self._source, self._text, self._given, self._set, self._force)

    def __deepcopy__(self, memo) -> "Robot":
        other = _restore_robot(self._source, self._text, copy.deepcopy(self._given, memo), self._set,
                               self._force)
        memo[id(self)] = other
        for state in memo.pop(("states of", id(self)), ()):  # copied before, in the same call
            state._follow(other)
        return other

    # ---- helpers --------------------------------------------------------------------------------

    def _names(self, function: Callable, n: int) -> list[str]:
        return [function(self._model, i).decode() for i in range(n)]

    def _spec_check(self, status: int) -> None:
        if status:
            text = lib.td_spec_messages(self._spec).decode()
            raise Error(text.rstrip() or f"{self.name}: {status_text(status)}")

    def _check(self, status: int, what: str) -> None:
        if status == 0:
            return
        why = lib.td_work_failure(self._work).decode()
        raise Error(f"{what}: {status_text(status)}" + (f": {why}" if why and why != self._refused else ""))

    def _own(self, state: Optional[State]) -> State:
        """The state given, which must be one of this robot; None: the initial one."""
        if state is None:
            return self.state()
        if not isinstance(state, State):
            raise Error(f"a tendril.State is wanted, got {type(state).__name__}: make one with robot.state(q=..., v=...)")
        if state.robot is not self:
            raise Error("the state belongs to another robot: make one of this with robot.state(q=..., v=...)")
        for name, x in (("t", state.t), ("q", state._q), ("v", state._v), ("u", state._u), ("z", state._z)):
            if not np.isfinite(x).all():
                raise Error(f"{name} of the state must be finite, got {x}")
        outside = (state._u < self._low) | (state._u > self._high)
        if outside.any():
            i = int(np.argmax(outside))
            raise Error(f"input '{self.inputs[i]}' has the range [{self._low[i]:g} {self._high[i]:g}], got "
                        f"{state._u[i]:g}; load(..., force_range=True) goes beyond it")
        return state

    def _options(self, **given):
        o = filled(td_sim_options, lib.td_sim_options_fill)
        for key, value in given.items():
            if value is None:
                continue
            if key == "solver":
                if value not in SOLVERS:
                    raise Error(f"solver must be one of {', '.join(SOLVERS)}, got '{value}'")
                value = SOLVERS[value]
            else:
                value = _finite(value, key)
            setattr(o, key, value)
        return o

    # ---- states and parameters ------------------------------------------------------------------

    def state(self, t: Optional[float] = None, q=None, v=None, u=None, z=None) -> State:
        """The initial state of the file, with what is given put in."""
        s = State(self)
        self._check(lib.td_state_initial(self._model, self._work, s._pointer), "initial state")
        for name, value in (("t", t), ("q", q), ("v", v), ("u", u), ("z", z)):
            if value is not None:
                setattr(s, name, value)
        return self._own(s)

    def param(self, name: str) -> float:
        """Present value of a parameter."""
        return lib.td_work_param(self._model, self._work, self._param(name))

    def set_param(self, name: str, value: float) -> None:
        """Give a parameter another value from now on."""
        value = _finite(value, f"param '{name}'")
        status = lib.td_work_set_param(self._model, self._work, self._param(name), value)
        if status and status_text(status) == _USAGE:
            raise Error(f"param '{name}' was used while loading: load the model again with {name}={value:g}")
        if status:
            self._refused = lib.td_work_failure(self._work).decode()
            raise Error(self._refused)
        self._set[name] = value

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Ranges of the params and inputs that are written with one."""
        out, pair = {}, (c.c_double * 2)()
        for i, name in enumerate(self.params):
            if lib.td_model_param_range(self._model, i, pair, None):
                out[name] = (pair[0], pair[1])
        for i, name in enumerate(self.inputs):
            if lib.td_model_input_range(self._model, i, pair):
                out[name] = (pair[0], pair[1])
        return out

    def _param(self, name: str) -> int:
        if name not in self.params:
            raise Error(f"the model has no param '{name}'; it has: {', '.join(self.params) or 'none'}")
        return self.params.index(name)

    # ---- equations ------------------------------------------------------------------------------

    def evaluate(self, state: Optional[State] = None) -> Equations:
        """The equations of motion at a state (default: the initial one), with exact tangents."""
        s = self._own(state)
        nv, nc, nu = self.sizes.nv, self.sizes.nconstraint, self.sizes.nu
        model, work, p = self._model, self._work, s._pointer
        self._check(lib.td_forward_dynamics(model, p, work), "accelerations")
        vdot = matrix(lib.td_work_vdot(work), nv).copy()
        multipliers = matrix(lib.td_work_lambda(work), nc).copy()
        M, dFdq, dFdv = np.empty((nv, nv)), np.empty((nv, nv)), np.empty((nv, nv))
        h, tau, Jc, B = np.empty(nv), np.empty(nv), np.empty((nc, nv)), np.empty((nv, nu))
        self._check(lib.td_mass_matrix(model, p, work, address(M)), "M")
        self._check(lib.td_bias(model, p, work, address(h), address(tau)), "forces")
        self._check(lib.td_constraints(model, p, work, address(Jc), None, None), "constraints")
        self._check(lib.td_tangent(model, p, work, address(vdot), address(multipliers), address(dFdq), address(dFdv)),
                    "tangents")
        self._check(lib.td_input_map(model, p, work, address(B)), "B")
        e = lib.td_energy(model, p, work)
        if not np.isfinite([e.kinetic, e.elastic, e.gravity]).all():
            raise Error(f"the energy is not finite: kinetic {e.kinetic:g} J, elastic {e.elastic:g} J, gravity "
                        f"{e.gravity:g} J")
        energy = {"kinetic": e.kinetic, "elastic": e.elastic, "gravity": e.gravity}
        zdot = np.empty(self.sizes.nz)
        self._check(lib.td_internal_rates(model, p, work, address(zdot)), "rates of internal states")
        return Equations(M, h, tau, vdot, Jc, multipliers, dFdq, dFdv, B, energy, zdot)

    def sensors(self, state: Optional[State] = None) -> dict[str, float]:
        """Values of all sensors by name."""
        s = self._own(state)
        return dict(zip(self.sensor_names, self._sensors(s).tolist()))

    def _sensors(self, state: State, finite: bool = True) -> np.ndarray:
        y = np.empty(self.sizes.nsensor)
        status = lib.td_sensors(self._model, state._pointer, self._work, address(y))
        if finite or status != _INFINITE:
            self._check(status, "sensors")
        return y

    def pose(self, station: Union[int, str], state: Optional[State] = None) -> tuple[np.ndarray, np.ndarray]:
        """4 x 4 pose of a station in the world and its body twist [v, omega]."""
        if isinstance(station, str):
            if station not in self.stations:
                raise Error(f"no station '{station}'; there are: {', '.join(self.stations)}")
            station = self.stations.index(station)
        if not 0 <= station < self.sizes.nstation:
            raise Error(f"stations are numbered 0 to {self.sizes.nstation - 1}, got {station}")
        g, twist = np.empty((4, 4)), np.empty(6)
        s = self._own(state)
        self._check(lib.td_station(self._model, s._pointer, self._work, station, address(g), address(twist)), "pose")
        return g, twist

    # ---- analyses -------------------------------------------------------------------------------

    def equilibrium(self, state: Optional[State] = None, progress=None, stable: bool = False,
                    errors: bool = False) -> Equilibrium:
        """Static equilibrium near a state (default: the initial one); with `stable` downhill of it where the nearest
        is unstable; with `errors` the half-widths of the error bars of the sensors, by name (docs/accuracy.md)."""
        s = self._own(state).copy()
        o, r = filled(td_equil_options, lib.td_equil_options_fill), td_equil_result()
        o.stable = stable
        with _Interruptible(progress) as run:
            o.progress = run.callback
            status = lib.td_equilibrium_into(self._model, self._work, s._pointer, c.byref(o), c.byref(r), c.sizeof(r))
        run.finish()
        if status and r.note:
            raise Error(f"equilibrium: {status_text(status)}: {r.note.decode()}")
        self._check(status, "equilibrium")
        stability = lib.td_stability_text(r.stability).decode()
        bar, trust = {}, None
        if errors:  # NaN where there is none
            with self._bars() as bars:
                error = (c.c_double * (len(self.sensor_names) + 1))()
                self._check(lib.td_bars_equilibrium(bars, self._work, s._pointer, c.byref(r), error), "error bars")
                bar, trust = dict(zip(self.sensor_names, error)), self._bars_trust(bars)
        return Equilibrium(s, r.stability == 0, stability, lib.td_strategy_text(r.strategy).decode(), r.residual,
                           r.critical, r.iterations, dict(zip(self.sensor_names, self._sensors(s, False).tolist())),
                           bar, trust)

    @contextlib.contextmanager
    def _bars(self):
        """Error bars of this model (tendril/accuracy.h)."""
        bars = c.c_void_p()
        self._check(lib.td_bars_new(self._spec, self._model, c.byref(bars)), "error bars")
        try:
            yield bars
        finally:
            lib.td_bars_free(bars)

    def _bars_trust(self, bars: c.c_void_p) -> Trust:
        """The verdict on the error bars that were computed last."""
        reasons = c.c_char_p()
        verdict = ("ok", "look", "wrong")[lib.td_bars_trust(bars, c.byref(reasons))]
        return Trust(verdict, (reasons.value or b"").decode().splitlines())

    def _apart(self, what: str, kind: type, call: Callable, free: Callable):
        """The result p of `call(work, p)`, which cannot be asked to stop: it runs in a thread with a work of its own,
        so that Ctrl-C is raised at once, and then ends there alone.  Python waits for it before it exits."""
        work, p = lib.td_work_new(self._model), c.POINTER(kind)()
        if not work:
            raise MemoryError("td_work_new")
        for name, value in self._set.items():
            lib.td_work_set_param(self._model, work, self._param(name), value)
        lock, ended, left, status, why = threading.Lock(), threading.Event(), [], [], []

        def run(robot=self) -> None:  # the robot lives as long as the thread
            status.append(call(work, c.byref(p)))
            why.append(lib.td_work_failure(work).decode())
            lib.td_work_free(work)
            with lock:
                ended.set()
                if left and not status[0]:
                    free(p)

        threading.Thread(target=run).start()
        try:
            ended.wait()
        except BaseException:
            with lock:
                left.append(True)
                if ended.is_set() and not status[0]:
                    free(p)
            raise
        if status[0]:
            raise Error(f"{what}: {status_text(status[0])}" + (f": {why[0]}" if why[0] else ""))
        return p

    def modes(self, state: Optional[State] = None, errors: bool = False) -> Modes:
        """Natural and complex modes about an equilibrium (default: the one near the initial state); with `errors` the
        half-widths of the error bars of the frequencies (docs/accuracy.md)."""
        s = (self.equilibrium().state if state is None else self._own(state)).copy()
        p = self._apart("modes", td_modes_result, lambda work, to: lib.td_modes(self._model, s._pointer, work, to),
                        lib.td_modes_free)
        r, nv = p.contents, self.sizes.nv
        pairs = matrix(r.complex_shape, r.ncomplex, nv, 2)
        result = Modes(matrix(r.omega, r.n) / (2 * np.pi), matrix(r.zeta, r.n).copy(),
                       matrix(r.shape, r.n, nv).copy(),
                       matrix(r.re, r.ncomplex) + 1j * matrix(r.im, r.ncomplex),
                       pairs[..., 0] + 1j * pairs[..., 1], r.note.decode())
        try:
            if errors:
                with self._bars() as bars:
                    error = np.empty(r.n)
                    self._check(lib.td_bars_modes(bars, self._work, s._pointer, p, address(error)), "error bars")
                    result.error, result.trust = error / (2 * np.pi), self._bars_trust(bars)
        finally:
            lib.td_modes_free(p)
        return result

    def linearize(self, state: Optional[State] = None, modes: Optional[int] = None, correct: bool = False) -> Linear:
        """The linear model about a state (default: the equilibrium), or its first natural modes; `correct`
        adds one shape for each input, for the right static response."""
        s = (self.equilibrium().state if state is None else self._own(state)).copy()
        reduce = lib.td_static_reduction if correct else lib.td_modal_reduction

        def call(work, to) -> int:
            if modes is None:
                return lib.td_linearize(self._model, s._pointer, work, to)
            return reduce(self._model, s._pointer, work, modes, to)

        return Linear(self, s, self._apart("linearize", td_linear, call, lib.td_linear_free))

    def response(self, frequency, state: Optional[State] = None) -> np.ndarray:
        """Frequency response of the whole model, of any size, about a state (default: the equilibrium) at each
        frequency in Hz: shape (..., ny, nu), complex.  Rows are sensors; those that are left out are NaN."""
        s = self.equilibrium().state if state is None else self._own(state)
        f = np.asarray(frequency, dtype=float)
        if not np.isfinite(f).all():
            raise Error("frequencies must be finite")
        p = c.c_void_p()
        self._check(lib.td_response_new(self._model, s._pointer, self._work, c.byref(p)), "response")
        try:
            rows = [lib.td_response_output(p, i) for i in range(lib.td_response_count(p))]
            out = np.full(f.shape + (self.sizes.nsensor, self.sizes.nu), np.nan + 0j)
            G = np.empty((len(rows), self.sizes.nu), dtype=complex)
            for index in np.ndindex(f.shape):
                self._check(lib.td_response_at(p, float(2 * np.pi * f[index]), address(G)), "response")
                out[index][rows] = G
            return out
        finally:
            lib.td_response_free(p)

    def simulate(self, state: Optional[State] = None, t_final: Optional[float] = None,
                 dt_out: Optional[float] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
                 solver: Optional[str] = None, progress=None, step: Optional[float] = None,
                 inputs: Optional[Mapping[str, object]] = None, save: Optional[str] = None,
                 errors: bool = False) -> Trajectory:
        """Integrate from a state (default: the initial one).  What is not given is as the file says.  `inputs` are
        inputs over time: {"t": times, "F": values, ...}, straight lines between the times.  `step` is that of the solver
        'fixed'.  `save` names a directory for trajectory.csv and trajectory.h5, as `tendril sim` writes them.  `errors`:
        run.error["tip_x"] are the half-widths of error bars up to each time, by two more simulations (docs/accuracy.md)."""
        s = self._own(state).copy()
        o = self._options(t_final=t_final, dt_out=dt_out, rtol=rtol, atol=atol, solver=solver, step=step)
        held = None if inputs is None else self._input_table(inputs)
        if held is not None:
            o.inputs = c.cast(c.pointer(held[0]), c.c_void_p)
        p, widths, stack, reached = c.c_void_p(), c.c_void_p(), contextlib.ExitStack(), np.empty(4)
        try:
            with _Interruptible(progress) as run:
                o.progress = run.callback
                if errors:
                    bars = stack.enter_context(self._bars())
                    start = 1 if state is None else 0  # TD_START_INITIAL, TD_START_GIVEN
                    status = lib.td_bars_simulate(bars, self._spec, self._work, s._pointer, start, c.byref(o), c.byref(p),
                                                  c.byref(widths), address(reached))
                else:
                    status = lib.td_simulate(self._model, self._work, s._pointer, c.byref(o), c.byref(p))
            run.finish()
            why = lib.td_trajectory_diagnosis(p).decode() if p else ""
            if status and why:
                raise Error(f"simulation: {status_text(status)}: {why}")
            self._check(status, "simulation")
            if save is not None and widths:
                self._save_errors(p, widths, save)
            elif save is not None:
                message = c.create_string_buffer(1000)
                if lib.td_trajectory_save(p, self.name.encode(), os.fsencode(save), message, len(message)):
                    raise Error(f"simulation: {message.value.decode(errors='replace')}")
            result = self._trajectory(p, s)
            if widths:
                trust = self._bars_trust(bars)
                bar = matrix(c.cast(widths, c.POINTER(c.c_double)), len(result.t), self.sizes.nsensor).copy()
                result.error = {name: bar[:, i] for i, name in enumerate(self.sensor_names)}
                if result.trust.verdict == "ok":
                    result.trust.verdict = trust.verdict
                result.trust.reasons += trust.reasons
            return result
        finally:
            stack.close()
            lib.td_bars_drop(widths)
            lib.td_trajectory_free(p)

    def _save_errors(self, p: c.c_void_p, widths: c.c_void_p, place: str) -> None:
        """The files of a run with its error bars."""
        files, message = c.c_void_p(), c.create_string_buffer(1000)
        if lib.td_files_open(os.fsencode(place), c.byref(files), message, len(message)):
            raise Error(f"simulation: {message.value.decode(errors='replace')}")
        try:
            status = (lib.td_trajectory_write_errors(p, None, self.name.encode(), False, widths, files)
                      or lib.td_files_commit(files))
            self._check(status, "files of the simulation")
        finally:
            lib.td_files_close(files)

    def _input_table(self, inputs: Mapping[str, object]) -> tuple:
        """The table as the library takes it, and the arrays it refers to."""
        if not isinstance(inputs, Mapping):
            raise Error(f"inputs over time are a dictionary {{'t': times, 'name': values}}, got {type(inputs).__name__}")
        if "t" not in inputs:
            raise Error("inputs over time need the times, 't'")
        names = [name for name in inputs if name != "t"]
        for name in names:
            if name not in self._input_index:
                raise Error(f"the model has no input '{name}'; it has: {', '.join(self.inputs) or 'none'}")
        t = _numbers(inputs["t"], "times 't' of inputs").ravel()
        columns = [_numbers(inputs[name], f"input '{name}'").ravel() for name in names]
        for name, x in zip(names, columns):
            if len(x) != len(t):
                raise Error(f"input '{name}' has {len(x)} values for {len(t)} times")
        values = np.ascontiguousarray(np.column_stack(columns) if columns else np.empty((len(t), 0)))
        which = np.array([self._input_index[name] for name in names], dtype=np.intc)
        table = td_input_table(len(t), len(names), address(t), address(which), address(values))
        return table, t, which, values

    def _trajectory(self, p: c.c_void_p, final: State) -> Trajectory:
        n, rows = self.sizes, lib.td_trajectory_rows(p)
        # rows lie side by side: t, q, v, sensors, four energies, inputs, memory of controllers, internal states
        wanted = stride = 1 + n.nq + n.nv + n.nsensor + 4 + n.nu
        if rows > 1:
            row = [c.addressof(lib.td_trajectory_q(p, i).contents) for i in range(2)]
            stride = (row[1] - row[0]) // c.sizeof(c.c_double)
        first = c.addressof(lib.td_trajectory_q(p, 0).contents) - c.sizeof(c.c_double)
        block = matrix(c.cast(first, c.POINTER(c.c_double)), rows, stride)[:, :wanted].copy()
        t, q, v, y, e, u = np.split(block, np.cumsum([1, n.nq, n.nv, n.nsensor, 4]), axis=1)
        z = np.array([matrix(lib.td_trajectory_z(p, i), n.nz) for i in range(rows)]).reshape(rows, n.nz)
        events, at, which = [], c.c_double(), c.c_int()
        for i in range(lib.td_trajectory_event_count(p)):
            lib.td_trajectory_event(p, i, c.byref(at), c.byref(which))
            events.append((at.value, which.value))
        reasons = c.c_char_p()
        verdict = ("ok", "look", "wrong")[lib.td_trajectory_trust(p, c.byref(reasons))]
        trust = Trust(verdict, (reasons.value or b"").decode().splitlines())
        return Trajectory(t[:, 0], q, v, u, y, e, self.sensor_names, events,
                          _statistics(lib.td_trajectory_stats(p).contents), final, trust, z, self.internals)

    def plant(self, state: Optional[State] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
              solver: Optional[str] = None, step: Optional[float] = None) -> "Plant":
        """A simulation that runs step by step with inputs from here.  One at a time."""
        return Plant(self, self._own(state), {"rtol": rtol, "atol": atol, "solver": solver, "step": step})

    # ---- identification -------------------------------------------------------------------------

    def fit(self, by: Union[str, list[str]], recordings: Optional[list[Mapping[str, object]]] = None, starts: int = 1,
            seed: int = 1, on: Optional[list[int]] = None, leave_out: str = "none", score: bool = True,
            progress: Optional[Callable[[float, str], Optional[bool]]] = None) -> Fit:
        """Find params from recordings: those of the text (fit(k)), or dictionaries

            {"sensors": {"tip_x": column, ...}, "inputs": {"u": column, ...}, "t": times of a motion, "weight": 1/deviation
             (one, or one for each sensor), "delay": s, "loss": "square" or "huber", "start": "equil" or "initial",
             "name": text}

        NaN is not measured.  `on`: numbers (from 0) of the recordings that are fitted, the others are predicted;
        leave_out: "none", "recording" or "row".  The robot then has the params found."""
        names = by.split(",") if isinstance(by, str) else list(by)
        which = np.array([self._param(name) for name in names], dtype=np.intc)
        if leave_out not in ("none", "recording", "row"):
            raise Error(f"leave_out must be 'none', 'recording' or 'row', got '{leave_out}'")
        set_, message, p = c.c_void_p(), c.create_string_buffer(4000), c.POINTER(td_fit_result)()
        try:
            if recordings is None:
                status = lib.td_recordings_read(self._spec, self._model, c.byref(set_), message, len(message))
                if status:
                    raise Error(message.value.decode(errors="replace").rstrip() or f"fit: {status_text(status)}")
            else:
                self._check(lib.td_recordings_new(self._model, c.byref(set_)), "fit")
                for one in recordings:
                    self._record(set_, one, message)
            o = filled(td_fit_options, lib.td_fit_options_fill)
            o.param, o.nparam, o.starts, o.seed = address(which), len(names), starts, seed
            o.leave_out, o.score = ("none", "recording", "row").index(leave_out), score
            count = lib.td_recordings_count(set_)
            use = (c.c_bool * max(count, 1))(*[on is None or k in on for k in range(count)])
            o.use = c.cast(use, c.c_void_p)
            with _Interruptible(progress) as run:
                o.progress = run.callback
                status = lib.td_fit_params(self._model, self._work, set_, c.byref(o), c.byref(p))
            run.finish()
            self._check(status, "fit")
            result = self._fit(p.contents, names, [lib.td_recordings_name(set_, k).decode() for k in range(count)])
        finally:
            if p:
                lib.td_fit_free(p)
            lib.td_recordings_free(set_)
        for name, value in zip(names, result.value):
            self.set_param(name, float(value))
        return result

    def _record(self, set_: c.c_void_p, one: Mapping[str, object], message) -> None:
        """Add one recording of `fit`."""
        known = {"sensors", "inputs", "t", "weight", "delay", "loss", "start", "name"}
        for key in one:
            if key not in known:
                raise Error(f"a recording has no '{key}'; it may have: {', '.join(sorted(known))}")
        sensors, inputs = dict(one.get("sensors", {})), dict(one.get("inputs", {}))
        for name in sensors:
            if name not in self.sensor_names:
                raise Error(f"the model has no sensor '{name}'; it has: {', '.join(self.sensor_names) or 'none'}")
        drives = [self._input_index[n] if n in self._input_index else -1 - self._param(n) for n in inputs]
        columns = [np.asarray(x, dtype=float).ravel() for x in list(sensors.values()) + list(inputs.values())]
        if not sensors or len({len(x) for x in columns}) != 1:
            raise Error("a recording needs sensors, and all of its columns must be of one length")
        data = np.ascontiguousarray(np.column_stack(columns[:len(sensors)]))
        driven = np.ascontiguousarray(np.column_stack(columns[len(sensors):]) if inputs else np.empty((len(data), 0)))
        sensor = np.array([self.sensor_names.index(n) for n in sensors], dtype=np.intc)
        drive = np.array(drives, dtype=np.intc)
        r = filled(td_recording, lib.td_recording_fill)
        r.rows, r.ninput, r.nsensor = len(data), len(inputs), len(sensors)
        r.input, r.inputs, r.sensor, r.data = address(drive), address(driven), address(sensor), address(data)
        t = None
        if one.get("t") is not None:
            t = _numbers(one["t"], "times 't' of a recording").ravel()
            if len(t) != len(data):
                raise Error(f"a recording has {len(t)} times for {len(data)} rows")
            r.motion, r.t = True, address(t)
        if one.get("weight") is not None:
            weight = np.ascontiguousarray(np.broadcast_to(np.asarray(one["weight"], dtype=float), (len(sensors),)))
            r.weight = address(weight)
        words = {"loss": ("square", "huber"), "start": ("equil", "initial")}
        for key, choice in words.items():
            word = one.get(key, choice[0])
            if word not in choice:
                raise Error(f"{key} of a recording must be one of {', '.join(choice)}, got '{word}'")
            setattr(r, key, choice.index(word))
        r.delay = float(one.get("delay", 0))
        r.name = _bytes(str(one["name"])) if "name" in one else None
        status = lib.td_recordings_add(set_, c.byref(r), message, len(message))
        if status:
            raise Error(f"fit: {message.value.decode(errors='replace') or status_text(status)}")

    def _fit(self, r: td_fit_result, names: list[str], recordings: list[str]) -> Fit:
        n = r.n
        unseen = [{name: float(x) for name, x in zip(names, matrix(r.direction, r.unseen, n)[i]) if abs(x) >= 0.05}
                  for i in range(r.unseen)]
        left = {name: r.left_out_rms[k] for k, name in enumerate(recordings) if r.left_out_rms[k] == r.left_out_rms[k]}
        further = [(self.params[r.held_param[i]], r.held_gain[i], r.held_value[i]) for i in range(r.held)]
        return Fit(names, *[matrix(x, n).copy() for x in (r.value, r.low, r.high, r.deviation)],
                   matrix(r.correlation, n, n).copy(), r.rms, r.first_rms,
                   {r.group_name[i].decode(): r.group_rms[i] for i in range(r.groups)},
                   {name: r.recording_rms[k] for k, name in enumerate(recordings)}, left, r.dof, r.bic, unseen, further,
                   r.converged, r.notes.decode().splitlines())

    # ---- showing --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        n = self.sizes
        return (f"<tendril.Robot '{self.name}': {n.nv} DOF, {n.nbody} bodies, {n.nrod} rods, "
                f"{n.nconstraint} constraint rows, {n.nu} inputs, {n.nsensor} sensors>")

    def report(self, state: Optional[State] = None) -> Optional[str]:
        """The page of the viewer as HTML; None when the library was built without it."""
        if not hasattr(lib, "td_report_write"):
            return None
        s = self._own(state)
        with tempfile.TemporaryDirectory() as place:
            files, message = c.c_void_p(), c.create_string_buffer(600)
            if lib.td_files_open(_bytes(place), c.byref(files), message, len(message)):
                raise Error(message.value.decode())
            r = filled(td_report, lib.td_report_fill)
            r.spec, r.model, r.work, r.state = self._spec, self._model, self._work, c.cast(s._pointer, c.c_void_p)
            r.title, r.summary = self.name.encode(), b"{}"
            status = lib.td_report_write(files, b"report.html", c.byref(r)) or lib.td_files_commit(files)
            lib.td_files_close(files)
            self._check(status, "report")
            return (Path(place) / "report.html").read_text()

    def _repr_html_(self) -> str:
        page = self.report()
        if page is not None:
            return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="480" style="border:0"></iframe>'
        n = self.sizes
        rows = [(name, getattr(n, name)) for name, _ in td_sizes._fields_ if getattr(n, name)]
        return table(html.escape(self.name), rows)


class Plant:
    """A simulation driven from outside.  plant.q, plant.v are views of where it is."""

    def __init__(self, robot: Robot, state: State, options: Mapping[str, object]) -> None:
        p, o = c.c_void_p(), robot._options(**options)
        o.progress = c.cast(lib.td_plant_pause, Progress)  # long steps come back, so that handlers of signals run
        status = lib.td_plant_new(robot._model, robot._work, state._pointer, c.byref(o), c.byref(p))
        robot._check(status, "plant")
        self.robot, self._plant, self._given = robot, p, options
        self.state = State(robot, lib.td_plant_state(p), Owned(p, lib.td_plant_free, robot))
        self.q, self.v, self.u, self.z = self.state.q, self.state.v, self.state.u, self.state.z
        self._held = self.u.copy()
        self._address = address(self._held)
        self._values = np.empty(robot.sizes.nsensor)
        self._values_address = address(self._values)
        self._drive = lib.td_plant_drive
        self._fresh = False

    def __reduce__(self):
        """A copy goes on from the same state with a robot of its own; its integrator starts anew."""
        return Plant, (self.robot, self.state, self._given)

    @property
    def t(self) -> float:
        return self.state.t

    def step(self, t: float, u=None, **inputs: float) -> "Plant":
        """Hold the inputs (all as `u`, or some by name) and go to time t."""
        try:
            if u is not None:
                _put(self._held, u, "u", self.robot.inputs)
            for name, value in inputs.items():
                if name not in self.robot._input_index:
                    raise Error(f"the model has no input '{name}'; it has: {', '.join(self.robot.inputs) or 'none'}")
                self._held[self.robot._input_index[name]] = _number(value, f"input '{name}'")
        except Error:
            self._held[:] = self.u
            raise
        t = _finite(t, "the time of a step")
        if not np.isfinite(self._held).all():
            bad = [f"{n} = {x:g}" for n, x in zip(self.robot.inputs, self._held) if not np.isfinite(x)]
            self._held[:] = self.u
            raise Error(f"inputs must be finite, got {', '.join(bad)}")
        self._fresh = False
        status = self._drive(self._plant, t, self._address, None)
        while status == _STOPPED:
            status = self._drive(self._plant, t, self._address, None)
        if status:
            self._held[:] = self.u
            self.robot._check(status, f"step from t = {self.t:g} s to {t:g} s")
        return self

    def sensors(self) -> np.ndarray:
        """All sensors where it is, in the order of robot.sensor_names; valid until the next step."""
        if not self._fresh:
            status = lib.td_sensors(self.robot._model, self.state._pointer, self.robot._work,
                                    self._values_address)
            self.robot._check(status, "sensors")
            self._fresh = True
        return self._values

    def __getitem__(self, name: str) -> float:
        """A sensor by name."""
        names = self.robot.sensor_names
        if name not in names:
            raise KeyError(f"no sensor '{name}'; there are: {', '.join(names) or 'none'}")
        return float(self.sensors()[names.index(name)])

    def reset(self, state: Optional[State] = None) -> "Plant":
        """Go on from another state (default: the initial one)."""
        s = self.robot._own(state)
        self.robot._check(lib.td_plant_reset(self._plant, s._pointer), "reset")
        self._held[:] = self.u
        self._fresh = False
        return self

    def statistics(self) -> dict[str, object]:
        """Steps, evaluations ... since the start."""
        return _statistics(filled(td_sim_stats, lib.td_plant_stats_into, self._plant))

    @property
    def trust(self) -> Trust:
        """Can the numbers since the start or the last reset be trusted?"""
        reasons = c.c_char_p()
        verdict = ("ok", "look", "wrong")[lib.td_plant_trust(self._plant, c.byref(reasons))]
        return Trust(verdict, (reasons.value or b"").decode().splitlines())


def _statistics(s: td_sim_stats) -> dict[str, object]:
    out = {name: getattr(s, name) for name, _ in td_sim_stats._fields_}
    out["solver"] = list(SOLVERS)[s.solver]
    out["why"] = s.why.decode()
    return out
