"""The structures and functions of _library.py are those of the C headers, field by field."""

import ctypes as c
import re
import unittest
from pathlib import Path

from tendril import _library

INCLUDE = Path(__file__).resolve().parents[2] / "include" / "tendril"


def header(name: str) -> str:
    return re.sub(r"//[^\n]*", "", (INCLUDE / name).read_text())


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


KINDS = {"int": c.c_int, "double": c.c_double, "bool": c.c_bool, "long": c.c_long,
         "unsigned long long": c.c_ulonglong, "td_strategy": c.c_int,
         "td_stability": c.c_int, "td_solver": c.c_int}


class Layout(unittest.TestCase):
    def test_structures_are_those_of_the_headers(self):
        text = header("tendril.h") + header("control.h")
        for structure in _library.STRUCTURES:
            with self.subTest(structure.__name__):
                want = fields(text, structure.__name__)
                have = [(kind, name) for name, kind in structure._fields_]
                self.assertEqual([re.sub(r"\[.*", "", name) for _, name in want], [name for _, name in have])
                for (text_kind, name), (kind, _) in zip(want, have):
                    if text_kind in KINDS and "[" not in name:
                        self.assertIs(kind, KINDS[text_kind], name)
                    elif "[" in name:
                        unit = c.sizeof(KINDS.get(text_kind, c.c_char))
                        self.assertEqual(c.sizeof(kind), unit * int(re.search(r"\d+", name).group()))

    def test_functions_have_as_many_arguments_as_declared(self):
        text = header("tendril.h") + header("control.h") + header("tools.h")
        for name, (_, arguments) in _library.FUNCTIONS.items():
            with self.subTest(name):
                declared = re.search(r"\b%s\s*\(([^)]*)\)" % name, text).group(1).strip()
                count = 0 if declared == "void" else declared.count(",") + 1
                self.assertEqual(len(arguments), count)


if __name__ == "__main__":
    unittest.main()
