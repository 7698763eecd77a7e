"""The structures and functions of _library.py are those of the C headers, field by field."""

import ctypes as c
import re
import unittest
from pathlib import Path

import tendril
from tendril import _library

INCLUDE = Path(__file__).resolve().parents[2] / "include" / "tendril"


def header(name: str) -> str:
    return re.sub(r"//[^\n]*|\bTD_ADDED\b", "", (INCLUDE / name).read_text())


def fields(text: str, name: str) -> list[tuple[str, str]]:
    """(kind, name) of each field of a typedef struct."""
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), text, re.S).group(1)
    out = []
    for line in body.split(";"):
        match = re.match(r"\s*(?:const )?(unsigned long long|\w+)\s*(.*)", line, re.S)
        if not match or not line.strip():
            continue
        for item in match.group(2).split(","):
            item = item.strip()
            kind = "pointer" if "*" in item or re.search(r"\w\*", line) else match.group(1)
            out.append((kind, re.sub(r"[*\s]", "", item)))
    return out


KINDS = {"int": c.c_int, "double": c.c_double, "bool": c.c_bool, "long": c.c_long, "size_t": c.c_size_t,
         "unsigned long long": c.c_ulonglong, "td_strategy": c.c_int,
         "td_stability": c.c_int, "td_solver": c.c_int, "td_by_kind": c.c_int}
UNITS = {**KINDS, "char": c.c_char, "pointer": c.c_void_p}


class Layout(unittest.TestCase):
    def test_structures_are_those_of_the_headers(self):
        text = header("tendril.h") + header("tools.h") + header("control.h") + header("batch.h") + header("view.h") + header("estimate.h") + header("gradient.h")
        for structure in _library.STRUCTURES + (_library.td_report,):
            with self.subTest(structure.__name__):
                want = fields(text, structure.__name__)
                have = [(kind, name) for name, kind in structure._fields_]
                self.assertEqual([re.sub(r"\[.*", "", name) for _, name in want], [name for _, name in have])
                for (text_kind, name), (kind, _) in zip(want, have):
                    if text_kind in KINDS and "[" not in name:
                        self.assertIs(kind, KINDS[text_kind], name)
                    elif "[" in name:
                        unit = c.sizeof(UNITS[text_kind])
                        self.assertEqual(c.sizeof(kind), unit * int(re.search(r"\d+", name).group()))

    def test_functions_have_as_many_arguments_as_declared(self):
        text = header("tendril.h") + header("accuracy.h") + header("control.h") + header("tools.h") + header("batch.h") + header("view.h") + header("estimate.h") + header("gradient.h")
        for name, (_, arguments) in {**_library.FUNCTIONS, **_library.VIEW_FUNCTIONS}.items():
            with self.subTest(name):
                declared = re.search(r"\b%s\s*\(([^)]*)\)" % name, text).group(1).strip()
                count = 0 if declared == "void" else declared.count(",") + 1
                self.assertEqual(len(arguments), count)

    def test_a_newer_library_may_have_longer_structures(self):
        """Structures as an older package would have them: options without their last members, a shorter answer."""
        class Options(c.Structure):
            _fields_ = _library.td_sim_options._fields_[:5]

        class Sizes(c.Structure):
            _fields_ = _library.td_sizes._fields_[:3]

        robot = tendril.loads("body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];")
        lib, state, run = _library.lib, robot.state(), c.c_void_p()
        fill, simulate = lib.td_sim_options_fill, lib.td_simulate
        o, n = Options(), Sizes()
        fill(c.cast(c.byref(o), c.POINTER(_library.td_sim_options)), c.sizeof(o))
        self.assertEqual(o.size, c.sizeof(Options))
        o.t_final, o.dt_out = 0.1, 0.05
        status = simulate(robot._model, robot._work, state._pointer,
                          c.cast(c.byref(o), c.POINTER(_library.td_sim_options)), c.byref(run))
        self.assertEqual((status, lib.td_trajectory_rows(run)), (0, 3))
        lib.td_trajectory_free(run)
        lib.td_model_sizes_into(robot._model, c.cast(c.byref(n), c.POINTER(_library.td_sizes)), c.sizeof(n))
        self.assertEqual((n.nq, n.nv, n.nfree), (1, 1, 1))


if __name__ == "__main__":
    unittest.main()
