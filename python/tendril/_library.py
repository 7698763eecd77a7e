"""The C library through ctypes: structures and functions as in include/tendril.  tests/test_layout.py compares them."""

from __future__ import annotations

import ctypes as c
import ctypes.util
import os
import weakref
from pathlib import Path
from typing import Optional

import numpy as np

DoubleP = c.POINTER(c.c_double)
Progress = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.c_double, c.c_char_p)


class Error(Exception):
    """Something the tool refused or could not do; the text is the tool's own message."""


class td_sizes(c.Structure):
    _fields_ = [(name, c.c_int) for name in
                "nq nv nfree nu nparam nbody njoint nstation nconstraint nforce nsensor nevent nrod ncable "
                "nwet ncontact nmesh nmemory nz"
                .split()]


class td_state(c.Structure):
    _fields_ = [("t", c.c_double), ("q", DoubleP), ("v", DoubleP), ("u", DoubleP), ("memory", DoubleP),
                ("size", c.c_int * 6), ("identity", c.c_ulonglong), ("z", DoubleP),
                ("reserved", DoubleP * 1)]


class td_flags(c.Structure):
    _fields_ = [("constraint_rank", c.c_int), ("lambda_not_unique", c.c_bool)]


class td_energies(c.Structure):
    _fields_ = [("kinetic", c.c_double), ("elastic", c.c_double), ("gravity", c.c_double)]


class td_equil_options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("tol", c.c_double), ("max_iterations", c.c_int), ("progress", Progress), ("user", c.c_void_p),
                ("stable", c.c_bool)]


class td_equil_result(c.Structure):
    _fields_ = [("converged", c.c_bool), ("strategy", c.c_int), ("residual", c.c_double), ("stability", c.c_int),
                ("critical", c.c_double), ("conservative", c.c_bool), ("iterations", c.c_int),
                ("evaluations", c.c_int), ("tangents", c.c_int), ("note", c.c_char * 256)]


class td_modes_result(c.Structure):
    _fields_ = [("n", c.c_int), ("omega", DoubleP), ("zeta", DoubleP), ("shape", DoubleP), ("ncomplex", c.c_int),
                ("re", DoubleP), ("im", DoubleP), ("complex_shape", DoubleP), ("note", c.c_char * 256),
                ("model", c.c_void_p)]


class td_linear(c.Structure):
    _fields_ = [("nx", c.c_int), ("nu", c.c_int), ("ny", c.c_int), ("A", DoubleP), ("B", DoubleP), ("C", DoubleP),
                ("D", DoubleP), ("basis", DoubleP), ("inverse", DoubleP), ("output", c.POINTER(c.c_int)),
                ("note", c.c_char * 256), ("model", c.c_void_p)]


class td_structure(c.Structure):
    _fields_ = [("reachable", c.c_int), ("observable", c.c_int), ("stable", c.c_bool), ("reach_ratio", c.c_double),
                ("sight_ratio", c.c_double)]


class td_sim_options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("t_final", c.c_double), ("dt_out", c.c_double), ("rtol", c.c_double), ("atol", c.c_double),
                ("solver", c.c_int), ("halve", c.c_bool), ("max_steps", c.c_long), ("progress", Progress),
                ("user", c.c_void_p), ("belief", c.c_void_p), ("allow_plugin", c.c_bool), ("code", c.c_void_p),
                ("code_always", c.c_bool), ("step", c.c_double), ("inputs", c.c_void_p),
                ("memory", c.c_double)]


class td_settings(c.Structure):
    _fields_ = [("t_init", c.c_double), ("t_final", c.c_double), ("dt_out", c.c_double), ("rtol", c.c_double), ("atol", c.c_double),
                ("solver", c.c_int), ("equil", c.c_bool), ("modal", c.c_bool), ("dyn", c.c_bool), ("step", c.c_double)]


class td_input_table(c.Structure):
    _fields_ = [("rows", c.c_int), ("n", c.c_int), ("t", c.c_void_p), ("input", c.c_void_p), ("values", c.c_void_p)]


class td_batch_options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("threads", c.c_int), ("sim", c.c_void_p), ("sigma_q", c.c_double), ("sigma_v", c.c_double),
                ("seed", c.c_ulonglong), ("auto_reset", c.c_bool)]


class td_sim_stats(c.Structure):
    _fields_ = ([(name, c.c_long) for name in
                 "steps rejected evaluations tangents factorisations projections events stops".split()]
                + [(name, c.c_double) for name in
                   "max_constraint_error max_velocity_error energy_start energy_end work_done energy_error "
                   "time_error".split()]
                + [("solver", c.c_int), ("why", c.c_char * 160), ("partial", c.c_bool), ("t_end", c.c_double),
                   ("code", c.c_char * 240)])


class td_report(c.Structure):
    """Of the viewer, when the library has it."""
    _fields_ = [("size", c.c_size_t), ("spec", c.c_void_p), ("model", c.c_void_p), ("work", c.c_void_p), ("state", c.c_void_p),
                ("rest", c.c_void_p), ("modes", c.c_void_p), ("trajectory", c.c_void_p), ("title", c.c_char_p),
                ("summary", c.c_char_p), ("errors", c.c_void_p), ("frequency_errors", c.c_void_p)]


IntP = c.POINTER(c.c_int)


class td_recording(c.Structure):
    _fields_ = [("size", c.c_size_t), ("name", c.c_char_p), ("motion", c.c_bool), ("rows", c.c_int),
                ("t", c.c_void_p), ("ninput", c.c_int), ("input", c.c_void_p), ("inputs", c.c_void_p),
                ("nsensor", c.c_int), ("sensor", c.c_void_p), ("data", c.c_void_p), ("weight", c.c_void_p),
                ("delay", c.c_double), ("loss", c.c_int), ("start", c.c_int), ("state", c.c_void_p),
                ("nset", c.c_int), ("set", c.c_void_p), ("set_values", c.c_void_p)]


class td_fit_options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("param", c.c_void_p), ("nparam", c.c_int), ("use", c.c_void_p),
                ("starts", c.c_int), ("seed", c.c_uint), ("leave_out", c.c_int), ("tol", c.c_double),
                ("max_iterations", c.c_int), ("level", c.c_double), ("score", c.c_bool), ("progress", Progress),
                ("user", c.c_void_p)]


class td_fit_result(c.Structure):
    _fields_ = [("converged", c.c_bool), ("n", c.c_int), ("param", IntP), ("value", DoubleP), ("first", DoubleP),
                ("low", DoubleP), ("high", DoubleP), ("deviation", DoubleP), ("at_bound", IntP),
                ("correlation", DoubleP), ("covariance", DoubleP), ("residuals", c.c_int), ("dof", c.c_int),
                ("first_rms", c.c_double), ("rms", c.c_double), ("rms_unit", c.c_char_p), ("cost", c.c_double),
                ("aicc", c.c_double), ("bic", c.c_double), ("groups", c.c_int),
                ("group_name", c.POINTER(c.c_char_p)), ("group_rms", DoubleP), ("recordings", c.c_int),
                ("fitted", c.POINTER(c.c_bool)), ("recording_rms", DoubleP), ("left_out_rms", DoubleP),
                ("left_out_value", DoubleP), ("left_out_row_rms", c.c_double), ("unseen", c.c_int),
                ("direction", DoubleP), ("uncertainty", DoubleP), ("held", c.c_int), ("held_param", IntP),
                ("held_value", DoubleP), ("held_deviation", DoubleP), ("held_gain", DoubleP),
                ("res_recording", IntP), ("res_row", IntP), ("res_sensor", IntP), ("res_t", DoubleP),
                ("res_data", DoubleP), ("res_model", DoubleP), ("res_weighted", DoubleP), ("residuals_all", c.c_int),
                ("starts", c.c_int), ("best_starts", c.c_int), ("evaluations", c.c_int), ("notes", c.c_char_p)]


class td_by(c.Structure):
    _fields_ = [("kind", c.c_int), ("index", c.c_int)]


# objective of td_simulate_adjoint: user, trajectory, weights (rows x nsensor)
Weigh = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, DoubleP)

STRUCTURES = (td_sizes, td_state, td_flags, td_energies, td_equil_options, td_equil_result, td_modes_result,
              td_linear, td_structure, td_sim_options, td_settings, td_input_table, td_sim_stats, td_batch_options, td_recording,
              td_fit_options, td_fit_result, td_by)

_P, _I, _D, _S, _Z = c.c_void_p, c.c_int, c.c_double, c.c_char_p, c.c_size_t
_State, _By = c.POINTER(td_state), c.POINTER(td_by)

# name: result, arguments; "status" results raise
FUNCTIONS = {
    "td_version": (_S, []),
    "td_solver_name": (_S, [_I]),
    "td_status_text": (_S, [_I]),
    "td_strategy_text": (_S, [_I]),
    "td_stability_text": (_S, [_I]),
    "td_spec_new": (_P, []),
    "td_spec_free": (None, [_P]),
    "td_spec_override": (_I, [_P, _S, _S]),
    "td_spec_load_file": (_I, [_P, _S]),
    "td_spec_load_string": (_I, [_P, _S, _S]),
    "td_spec_messages": (_S, [_P]),
    "td_model_compile": (_I, [_P, c.POINTER(_P)]),
    "td_model_free": (None, [_P]),
    "td_model_sizes_into": (None, [_P, c.POINTER(td_sizes), _Z]),
    "td_model_settings_into": (None, [_P, c.POINTER(td_settings), _Z]),
    "td_model_q_name": (_S, [_P, _I]),
    "td_model_v_name": (_S, [_P, _I]),
    "td_model_input_name": (_S, [_P, _I]),
    "td_model_param_name": (_S, [_P, _I]),
    "td_model_internal_name": (_S, [_P, _I]),
    "td_model_internal_unit": (_S, [_P, _I]),
    "td_model_param_range": (c.c_bool, [_P, _I, _P, _P]),
    "td_model_input_range": (c.c_bool, [_P, _I, _P]),
    "td_model_input_is_set": (c.c_bool, [_P, _I]),
    "td_spec_beyond_ranges": (_I, [_P]),
    "td_model_sensor_name": (_S, [_P, _I]),
    "td_model_station_name": (_S, [_P, _I]),
    "td_work_new": (_P, [_P]),
    "td_work_free": (None, [_P]),
    "td_work_set_param": (_I, [_P, _P, _I, _D]),
    "td_work_param": (_D, [_P, _P, _I]),
    "td_work_failure": (_S, [_P]),
    "td_state_new": (_State, [_P]),
    "td_state_free": (None, [_State]),
    "td_state_copy": (_I, [_P, _State, _State]),
    "td_state_initial": (_I, [_P, _P, _State]),
    "td_taut_choose": (_I, [_P, _State, _P]),
    "td_forward_dynamics": (_I, [_P, _State, _P]),
    "td_work_vdot": (DoubleP, [_P]),
    "td_work_lambda": (DoubleP, [_P]),
    "td_mass_matrix": (_I, [_P, _State, _P, _P]),
    "td_bias": (_I, [_P, _State, _P, _P, _P]),
    "td_tangent": (_I, [_P, _State, _P, _P, _P, _P, _P]),
    "td_input_map": (_I, [_P, _State, _P, _P]),
    "td_internal_rates": (_I, [_P, _State, _P, _P]),
    "td_constraints": (_I, [_P, _State, _P, _P, _P, _P]),
    "td_energy": (td_energies, [_P, _State, _P]),
    "td_sensors": (_I, [_P, _State, _P, _P]),
    "td_station": (_I, [_P, _State, _P, _I, _P, _P]),
    "td_displace": (_I, [_P, _P, _P, _P]),
    "td_equil_options_fill": (None, [c.POINTER(td_equil_options), _Z]),
    "td_equilibrium_into": (_I, [_P, _P, _State, c.POINTER(td_equil_options), c.POINTER(td_equil_result), _Z]),
    "td_bars_new": (_I, [_P, _P, c.POINTER(_P)]),
    "td_bars_free": (None, [_P]),
    "td_bars_equilibrium": (_I, [_P, _P, _State, c.POINTER(td_equil_result), c.POINTER(c.c_double)]),
    "td_bars_modes": (_I, [_P, _P, _State, c.POINTER(td_modes_result), _P]),
    "td_bars_simulate": (_I, [_P, _P, _P, _State, _I, c.POINTER(td_sim_options), c.POINTER(_P), c.POINTER(_P), _P]),
    "td_bars_drop": (None, [_P]),
    "td_files_open": (_I, [_S, c.POINTER(_P), _P, _Z]),
    "td_files_commit": (_I, [_P]),
    "td_files_close": (None, [_P]),
    "td_trajectory_write_errors": (_I, [_P, _P, _S, c.c_bool, _P, _P]),
    "td_bars_trust": (_I, [_P, c.POINTER(_S)]),
    "td_modes": (_I, [_P, _State, _P, c.POINTER(c.POINTER(td_modes_result))]),
    "td_modes_free": (None, [c.POINTER(td_modes_result)]),
    "td_linearize": (_I, [_P, _State, _P, c.POINTER(c.POINTER(td_linear))]),
    "td_modal_reduction": (_I, [_P, _State, _P, _I, c.POINTER(c.POINTER(td_linear))]),
    "td_linear_free": (None, [c.POINTER(td_linear)]),
    "td_linear_structure_into": (_I, [c.POINTER(td_linear), c.POINTER(td_structure), _Z]),
    "td_static_reduction": (_I, [_P, _State, _P, _I, c.POINTER(c.POINTER(td_linear))]),
    "td_response_new": (_I, [_P, _State, _P, c.POINTER(_P)]),
    "td_response_free": (None, [_P]),
    "td_response_count": (_I, [_P]),
    "td_response_output": (_I, [_P, _I]),
    "td_response_at": (_I, [_P, _D, _P]),
    "td_frequency_response": (_I, [c.POINTER(td_linear), _D, _P]),
    "td_linear_state": (_I, [_P, c.POINTER(td_linear), _State, _State, _P]),
    "td_lqr": (_I, [_I, _I, _P, _P, _P, _P, _P, _P, _P]),
    "td_kalman": (_I, [_I, _I, _P, _P, _P, _P, _P, _P, _P]),
    "td_sim_options_fill": (None, [c.POINTER(td_sim_options), _Z]),
    "td_simulate": (_I, [_P, _P, _State, c.POINTER(td_sim_options), c.POINTER(_P)]),
    "td_trajectory_free": (None, [_P]),
    "td_trajectory_save": (_I, [_P, c.c_char_p, c.c_char_p, c.c_char_p, c.c_size_t]),
    "td_trajectory_rows": (_I, [_P]),
    "td_trajectory_time": (_D, [_P, _I]),
    "td_trajectory_q": (DoubleP, [_P, _I]),
    "td_trajectory_v": (DoubleP, [_P, _I]),
    "td_trajectory_z": (DoubleP, [_P, _I]),
    "td_trajectory_sensors": (DoubleP, [_P, _I]),
    "td_trajectory_energy": (DoubleP, [_P, _I]),
    "td_trajectory_inputs": (DoubleP, [_P, _I]),
    "td_trajectory_stats": (c.POINTER(td_sim_stats), [_P]),
    "td_trajectory_diagnosis": (_S, [_P]),
    "td_trajectory_trust": (_I, [_P, c.POINTER(_S)]),
    "td_trajectory_event_count": (_I, [_P]),
    "td_trajectory_event": (_I, [_P, _I, DoubleP, c.POINTER(_I)]),
    "td_plant_new": (_I, [_P, _P, _State, c.POINTER(td_sim_options), c.POINTER(_P)]),
    "td_plant_free": (None, [_P]),
    "td_plant_state": (_State, [_P]),
    "td_plant_drive": (_I, [_P, _D, _P, _P]),
    "td_plant_pause": (c.c_bool, [_P, _D, _S]),
    "td_plant_reset": (_I, [_P, _State]),
    "td_plant_stats_into": (None, [_P, c.POINTER(td_sim_stats), _Z]),
    "td_plant_trust": (_I, [_P, c.POINTER(_S)]),
    "td_batch_options_fill": (None, [c.POINTER(td_batch_options), _Z]),
    "td_batch_new": (_I, [_P, _I, c.POINTER(td_batch_options), c.POINTER(_P), c.c_char_p, _Z]),
    "td_batch_free": (None, [_P]),
    "td_batch_bytes": (_Z, [_P]),
    "td_batch_param": (_I, [_P, _I, _P]),
    "td_batch_seed": (_I, [_P, _P]),
    "td_batch_reset": (_I, [_P, _P]),
    "td_batch_reset_to": (_I, [_P, _P, _P, _P, _P, _P]),
    "td_batch_step": (_I, [_P, _D, _P, _P]),
    "td_batch_read": (_I, [_P, _P, _P, _P, _P]),
    "td_batch_read_more": (_I, [_P, _P, _P]),
    "td_batch_status": (_I, [_P, _P]),
    "td_batch_message": (_S, [_P, _I]),
    "td_recording_fill": (None, [c.POINTER(td_recording), _Z]),
    "td_recordings_new": (_I, [_P, c.POINTER(_P)]),
    "td_recordings_free": (None, [_P]),
    "td_recordings_add": (_I, [_P, c.POINTER(td_recording), _P, _Z]),
    "td_recordings_read": (_I, [_P, _P, c.POINTER(_P), _P, _Z]),
    "td_recordings_count": (_I, [_P]),
    "td_recordings_name": (_S, [_P, _I]),
    "td_fit_options_fill": (None, [c.POINTER(td_fit_options), _Z]),
    "td_fit_params": (_I, [_P, _P, _P, c.POINTER(td_fit_options), c.POINTER(c.POINTER(td_fit_result))]),
    "td_fit_free": (None, [c.POINTER(td_fit_result)]),
    "td_by_allowed": (c.c_bool, [_P, td_by]),
    "td_equilibrium_gradient": (_I, [_P, _State, _P, _By, _I, _P, _P, _P, _P, _P]),
    "td_equilibrium_adjoint": (_I, [_P, _State, _P, _P, _P, _D, _By, _I, _P]),
    "td_work_gradient_note": (_S, [_P]),
    "td_modes_gradient": (_I, [_P, _State, _P, c.POINTER(td_modes_result), _By, _I, _P, _P, _P, _P, _P]),
    "td_simulate_gradient": (_I, [_P, _P, _State, c.POINTER(td_sim_options), _I, _By, _I, c.POINTER(_P), c.POINTER(_P)]),
    "td_sensitivity_sensors": (DoubleP, [_P, _I]),
    "td_sensitivity_note": (_S, [_P]),
    "td_sensitivity_free": (None, [_P]),
    "td_simulate_adjoint": (_I, [_P, _P, _State, c.POINTER(td_sim_options), _I, Weigh, _P, _By, _I, c.POINTER(_P), _P]),
}

# only with the viewer
VIEW_FUNCTIONS = {
    "td_report_fill": (None, [c.POINTER(td_report), _Z]),
    "td_report_write": (_I, [_P, _S, c.POINTER(td_report)]),
}


def _candidates() -> list[str]:
    """Where libtendril.so may be: $TENDRIL_LIBRARY, beside this file, the build of a checkout, the system."""
    here = Path(__file__).resolve().parent
    places = [here / "libtendril.so", here.parents[1] / "build" / "libtendril.so"]
    given = os.environ.get("TENDRIL_LIBRARY")
    if given:
        return [given]
    found = [str(p) for p in places if p.exists()]
    system = ctypes.util.find_library("tendril")
    return found + ([system] if system else [])


def _load() -> c.CDLL:
    names = _candidates()
    if not names:
        raise ImportError("libtendril.so is not found: run 'make build' in the checkout, or set TENDRIL_LIBRARY")
    library = c.CDLL(names[0])
    tables = [FUNCTIONS]
    if hasattr(library, "td_report_write"):
        tables.append(VIEW_FUNCTIONS)
    for table in tables:
        for name, (result, arguments) in table.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
    return library


lib = _load()


def filled(structure, function, *arguments):
    """A structure that a function of the library fills in, up to the length that is known here: options with their
    defaults, or an answer.  The library may have a longer one."""
    s = structure()
    function(*arguments, c.byref(s), c.sizeof(s))
    return s


def version() -> str:
    """Version of the C library."""
    return lib.td_version().decode()


def status_text(status: int) -> str:
    return lib.td_status_text(status).decode()


class Owned:
    """Something of the library that is freed when nobody looks at it any more."""

    def __init__(self, pointer, free, needs: object = None) -> None:
        self.pointer, self.needs = pointer, needs
        weakref.finalize(self, free, pointer)


def matrix(pointer: c.POINTER(c.c_double), *shape: int, owner: Optional[Owned] = None) -> np.ndarray:
    """A view of memory of the library, which lives as long as the view."""
    if 0 in shape:
        return np.zeros(shape)
    block = (c.c_double * int(np.prod(shape))).from_address(c.addressof(pointer.contents))
    block._owner = owner
    return np.frombuffer(block).reshape(shape)


def address(array: np.ndarray) -> int:
    return array.ctypes.data


def square(value, n: int, what: str) -> np.ndarray:
    """A number, a diagonal or a full matrix as an n x n matrix."""
    a = np.asarray(value, dtype=float)
    if a.ndim == 0:
        a = float(a) * np.eye(n)
    elif a.ndim == 1:
        a = np.diag(a)
    if a.shape != (n, n):
        raise Error(f"{what} must be a number, {n} numbers or a {n} x {n} matrix, got the shape {a.shape}")
    if not np.isfinite(a).all():
        raise Error(f"{what} must be finite")
    return np.ascontiguousarray(a)
