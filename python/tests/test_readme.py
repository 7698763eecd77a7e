"""The Python of README.md runs as it stands, in the directory of the checkout."""

import contextlib
import io
import os
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Readme(unittest.TestCase):
    def test_its_example_runs(self):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
        self.assertTrue(blocks)
        here, out = os.getcwd(), io.StringIO()
        os.chdir(ROOT)
        try:
            with contextlib.redirect_stdout(out):
                for block in blocks:
                    exec(block, {})
        finally:
            os.chdir(here)
        self.assertIn("Hz", out.getvalue())


if __name__ == "__main__":
    unittest.main()
