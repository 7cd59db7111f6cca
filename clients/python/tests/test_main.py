"""`python -m postern`."""

import os
import pathlib
import subprocess
import sys
from typing import List

import pytest

SOURCE = str(pathlib.Path(__file__).parents[1] / "src")


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "postern", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": SOURCE})


@pytest.mark.parametrize("arguments", [["request.txt", "--method", "hmac"], []])
def test_explain_tells_in_one_line_how_to_get_the_gateways_own(arguments: List[str]) -> None:
    done = run("explain", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "postern: to explain a refused request, install postern-explain, the gateway's own program for it (Node 20 "
        "or later): https://github.com/postern-gateway/postern/tree/main/clients/explain\n"
    )


def test_anything_else_is_told_what_there_is() -> None:
    done = run()
    assert done.returncode == 1
    assert done.stderr.startswith("usage: python -m postern explain\n")
