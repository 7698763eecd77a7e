"""Linear models and what is designed on them."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING

import numpy as np

from ._library import DoubleP, Error, address, lib, matrix, square, status_text, td_linear, td_structure

if TYPE_CHECKING:
    from .robot import Robot, State


class Linear:
    """x' = A x + B u, y = C x + D u about a state; [dq; dv; dz] = basis x, x = inverse [dq; dv; dz]."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray

    def __init__(self, robot: "Robot", about: "State", pointer: c.POINTER(td_linear)) -> None:
        self.robot, self.about = robot, about
        data, parts = pointer.contents, 2 * robot.sizes.nv + robot.sizes.nz
        self.nx, self.nu, self.ny = data.nx, data.nu, data.ny
        self.inputs = list(robot.inputs)
        self._rows = np.array(data.output[:self.ny], dtype=np.intc)
        self.outputs = [robot.sensor_names[i] for i in self._rows]
        self.note = data.note.decode()  # sensors that were left out and why
        self.A = matrix(data.A, self.nx, self.nx).copy()
        self.B = matrix(data.B, self.nx, self.nu).copy()
        self.C = matrix(data.C, self.ny, self.nx).copy()
        self.D = matrix(data.D, self.ny, self.nu).copy()
        self.basis = matrix(data.basis, parts, self.nx).copy()
        self.inverse = matrix(data.inverse, self.nx, parts).copy()
        lib.td_linear_free(pointer)

    @property
    def _pointer(self) -> c.POINTER(td_linear):
        """The arrays as the library takes them; they are ours and live as long as the result."""
        arrays = [np.ascontiguousarray(x, dtype=float) for x in
                  (self.A, self.B, self.C, self.D, self.basis, self.inverse)]
        data = td_linear(self.nx, self.nu, self.ny, *[x.ctypes.data_as(DoubleP) for x in arrays],
                         self._rows.ctypes.data_as(c.POINTER(c.c_int)), b"", self.robot._model)
        pointer = c.pointer(data)
        pointer.arrays = arrays
        return pointer

    def state(self, state: "State") -> np.ndarray:
        """x of a state near the one that was linearised about."""
        x, pointer = np.empty(self.nx), self._pointer
        status = lib.td_linear_state(self.robot._model, pointer, self.about._pointer,
                                     self.robot._own(state)._pointer, address(x))
        self.robot._check(status, "linear state")
        return x

    def poles(self) -> np.ndarray:
        """Eigenvalues of A, largest real part first."""
        p = np.linalg.eigvals(self.A)
        return p[np.argsort(-p.real, kind="stable")]

    def structure(self) -> dict[str, float]:
        """How many states inputs reach and outputs see, and for stable models how weakly."""
        s = td_structure()
        self.robot._check(lib.td_linear_structure_into(self._pointer, c.byref(s), c.sizeof(s)), "structure")
        return {name: getattr(s, name) for name, _ in td_structure._fields_}

    def response(self, frequency) -> np.ndarray:
        """C (2 pi i f - A)^-1 B + D for each frequency f in Hz: shape (..., ny, nu), complex."""
        f = np.asarray(frequency, dtype=float)
        out = np.empty(f.shape + (self.ny, self.nu), dtype=complex)
        G, pointer = np.empty((self.ny, self.nu), dtype=complex), self._pointer
        for index in np.ndindex(f.shape):
            status = lib.td_frequency_response(pointer, float(2 * np.pi * f[index]), address(G))
            self.robot._check(status, "frequency response")
            out[index] = G
        return out

    def lqr(self, Q, R=1.0) -> np.ndarray:
        """Gain K of u = -K x that minimises the integral of x'Qx + u'Ru.  Q, R: a number, a diagonal or a matrix."""
        K = np.empty((self.nu, self.nx))
        self._solve("LQR", lib.td_lqr, self.nu, self.A, self.B, square(Q, self.nx, "Q"), square(R, self.nu, "R"), K)
        return K

    def kalman(self, W, V=1.0) -> np.ndarray:
        """Gain L of the observer x^' = A x^ + B u + L (y - C x^ - D u) for process noise W and sensor noise V."""
        L = np.empty((self.nx, self.ny))
        self._solve("Kalman", lib.td_kalman, self.ny, self.A, self.C, square(W, self.nx, "W"),
                    square(V, self.ny, "V"), L)
        return L

    def _solve(self, what, function, n, A, F, Q, R, gain) -> None:
        F = np.ascontiguousarray(F)
        status = function(self.nx, n, address(A), address(F), address(Q), address(R), address(gain), None, None)
        if status:
            raise Error(f"{what}: there is no such gain: {status_text(status)}")

    def __repr__(self) -> str:
        return f"<tendril.Linear: {self.nx} states, {self.nu} inputs, {self.ny} outputs>"
