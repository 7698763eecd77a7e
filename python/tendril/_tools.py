"""Numbers of the user, and runs that can be interrupted."""

from __future__ import annotations

import signal
import threading
from typing import Callable, Mapping, Optional

import numpy as np

from ._library import Error, Progress


class _Interruptible:
    """A progress callback for the length of a run.  What the user's function raises, and what handlers of signals
    raise meanwhile (Ctrl-C), ends the run and is raised again by `finish`: an exception cannot pass through C."""

    def __init__(self, user: Optional[Callable[[float, str], Optional[bool]]]) -> None:
        self.caught: Optional[BaseException] = None
        self._inside = False
        self._user = user
        self._handlers: dict[int, object] = {}
        self.callback = Progress(self._call)

    def _call(self, _, fraction, what):
        try:
            try:
                self._inside = True
                ok = self._user is None or self._user(fraction, what.decode()) is not False
            finally:
                self._inside = False
        except BaseException as error:
            self.caught = self.caught or error
        return self.caught is None and ok

    def _handle(self, number, frame):
        # Outside the user's function an exception would be raised where nothing can catch it, at the entry of _call.
        try:
            self._handlers[number](number, frame)
        except BaseException as error:
            if self._inside:
                raise
            self.caught = self.caught or error

    def __enter__(self) -> "_Interruptible":
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    signal.signal(number, self._handle)
        return self

    def __exit__(self, *_) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def finish(self) -> None:
        """After the run: raise what was caught."""
        if self.caught is not None:
            raise self.caught


def _finite(value, what: str) -> float:
    x = _number(value, what)
    if not np.isfinite(x):
        raise Error(f"{what} must be a finite number, got {x:g}")
    return x


def _number(value, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{what} must be a number, got {value!r:.60}") from None


def _numbers(value, what: str) -> np.ndarray:
    """An array of numbers; anything else is an Error that names it."""
    try:
        x = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{what} must be numbers, got {value!r:.60}") from None
    return x


def _put(to: np.ndarray, value, what: str, names: list[str]) -> None:
    """Write numbers into a view: as many as it has, one for all of them, or some by name."""
    if isinstance(value, Mapping):
        for name, x in value.items():
            if name not in names:
                raise Error(f"{what} has no '{name}'; it has: {', '.join(names) or 'none'}")
            to[names.index(name)] = _number(x, f"{what} '{name}'")
        return
    x = _numbers(value, what)
    if x.ndim > 0 and x.shape != to.shape:
        raise Error(f"{what} has {len(to)} numbers, got {' x '.join(map(str, x.shape))}")
    to[:] = x
