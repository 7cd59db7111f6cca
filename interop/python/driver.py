"""Answers one question a line, as ../README.md says."""

import json
import sys

from issuers import ISSUERS
from signers import SIGNERS
from token_clients import TOKEN_CLIENTS


def answer(line: str) -> dict:
    question = {}
    try:
        question = json.loads(line)
        if question["op"] == "describe":
            return {"id": question["id"], "signers": list(SIGNERS), "tokenClients": list(TOKEN_CLIENTS)}
        programs = {"sign": SIGNERS, "token": TOKEN_CLIENTS, "issue": ISSUERS}[question["op"]]
        return {"id": question["id"], **programs[question["library"]](question)}
    except Exception as error:  # any failure of a library is the answer
        return {"id": question.get("id"), "error": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(answer(line)), flush=True)
