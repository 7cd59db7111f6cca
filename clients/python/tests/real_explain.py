"""Runs the gateway's own `postern explain`, and keeps what it says in explained.txt.

    python tests/real_explain.py    writes explained.txt again
"""

import os
import pathlib
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Dict, List

from explain_corpus import CASES, SECRET, Case

KEPT = pathlib.Path(__file__).with_name("explained.txt")
REAL = pathlib.Path(__file__).parents[3] / "dist" / "main.js"
_MARK = "##### "


def arguments(case: Case, file: str) -> List[str]:
    at = ["--at", case.at] if case.at else []
    return ["explain", file, "--method", case.method, "--secret-from", "env:SECRET", *at, *case.flags]


def run_real(case: Case) -> str:
    with tempfile.NamedTemporaryFile() as file:
        file.write(case.text)
        file.flush()
        command = ["node", str(REAL), *arguments(case, file.name)]
        environment = {**os.environ, "SECRET": SECRET}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
        return done.stdout.decode("utf-8") + done.stderr.decode("utf-8").replace(file.name, "FILE")


def run_all_real() -> Dict[str, str]:
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip((case.name for case in CASES), pool.map(run_real, CASES)))


def kept() -> Dict[str, str]:
    sections = KEPT.read_text(encoding="utf-8").split(_MARK)[1:]
    return {section.partition("\n")[0]: section.partition("\n")[2] for section in sections}


def without_age(text: str) -> str:
    """How old a request is depends on when it is explained, where no --at is given."""
    return re.sub(r"\d{5,} s behind the server's", "N s behind the server's", text)


if __name__ == "__main__":
    answers = run_all_real()
    KEPT.write_text("".join(_MARK + name + "\n" + text for name, text in answers.items()), encoding="utf-8")
