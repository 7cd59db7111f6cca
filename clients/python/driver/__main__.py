"""The test program of CONTRACT.md: a question a line on standard input, an answer a line on standard output."""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict

import postern
from questions import Driver

_lock = threading.Lock()


def _write(answer: Dict[str, Any]) -> None:
    with _lock:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(driver: Driver, question: Dict[str, Any]) -> None:
    identity = {"id": question.get("id")}
    try:
        _write({**identity, **driver.answer(question)})
    except postern.Problem as problem:
        _write({**identity, "problem": {"code": problem.code, "message": problem.message}})
    except Exception as error:  # noqa: BLE001 - the program never ends by itself
        _write({**identity, "error": "%s: %s" % (type(error).__name__, error)})


def main() -> None:
    driver = Driver()
    with ThreadPoolExecutor(max_workers=256) as pool:
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            try:
                question = json.loads(line.decode("utf-8"))
                if not isinstance(question, dict):
                    raise ValueError("a question is an object")
            except (ValueError, RecursionError) as error:
                _write({"error": "the line cannot be read: %s" % error})
                continue
            if question.get("op") in ("send", "sign", "assertion", "print"):
                pool.submit(_answer, driver, question)
            else:
                _answer(driver, question)  # Before the next line, which may name what this one creates.


if __name__ == "__main__":
    main()
