"""Every signature of ../../vectors.json, and the problem of every case that has one."""

from typing import Any, Dict, List, Tuple

import pytest

import postern
from vectors import CASES, credential_of, is_body, request_of

SIGNED = [case for case in CASES if "signed" in case]
PROBLEMS = [case for case in CASES if "problem" in case]
WRITTEN = [case for case in CASES if "parameters" in case]


def name_of(case: Dict[str, Any]) -> str:
    return str(case["name"])


def made_for(case: Dict[str, Any]) -> postern.Credential:
    nonces = {"nonces": lambda: case["nonce"]} if "nonce" in case else {}
    return credential_of(case["client"], clock=lambda: case["now"] + 0.999, **nonces)


def sorted_headers(headers: Any) -> List[Tuple[str, str]]:
    return sorted((name.lower(), value) for name, value in headers)


def test_every_case_is_run() -> None:
    assert len(CASES) >= 300
    assert len(SIGNED) + len(PROBLEMS) + len(WRITTEN) == len(CASES)


@pytest.mark.parametrize("case", SIGNED, ids=name_of)
def test_signature(case: Dict[str, Any]) -> None:
    request = request_of(case["request"])
    signed = made_for(case).sign(request)
    if "stringToSign" in case:
        assert signed.string_to_sign is not None
        assert signed.string_to_sign.decode("utf-8") == case["stringToSign"]
    assert signed.target == case["signed"]["target"]
    assert signed.url.endswith(signed.target)
    assert sorted_headers(signed.added) == sorted_headers(case["signed"]["headers"])
    set_names = {name.lower() for name, _ in case["signed"]["headers"]}
    others = [pair for pair in request.headers if pair[0].lower() not in set_names]
    assert sorted_headers(signed.headers) == sorted_headers([*others, *signed.added])
    if "body" in case["signed"]:
        assert is_body(case["signed"]["body"], signed.body)
    else:
        assert signed.body == request.body


@pytest.mark.parametrize("case", PROBLEMS, ids=name_of)
def test_problem(case: Dict[str, Any]) -> None:
    credential = made_for(case)
    with pytest.raises(postern.Problem) as caught:
        credential.sign(request_of(case["request"]))
    assert caught.value.code == case["problem"]
    assert str(caught.value) == "%s: %s" % (case["problem"], caught.value.message)


@pytest.mark.parametrize("case", WRITTEN, ids=name_of)
def test_written_parameters(case: Dict[str, Any]) -> None:
    assert postern.encode_parameters([(name, value) for name, value in case["parameters"]]) == case["encoded"]
