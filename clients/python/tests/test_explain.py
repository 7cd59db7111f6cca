"""`python -m postern explain` says what the gateway's own `postern explain` says of the same requests."""

import json
import os
import re
import subprocess
import sys
from typing import Any, List

import pytest

import real_explain
from explain_corpus import CASES, SECRET, Case
from postern._explain.cli import main
from postern._explain.model import Unreadable
from postern._explain.read import read_request

KEPT = real_explain.kept()


def explained(case: Case, tmp_path: Any, capsys: Any, monkeypatch: Any, *more: str) -> str:
    file = tmp_path / "request.txt"
    file.write_bytes(case.text)
    monkeypatch.setenv("SECRET", SECRET)
    code = main([*real_explain.arguments(case, str(file)), *more])
    out, err = capsys.readouterr()
    assert err == ""
    assert code == (0 if out.startswith(("Right", '{\n  "verdict": "right')) else 1)
    return str(out)


def codes_of(text: str) -> List[str]:
    return re.findall(r"\[([a-z0-9%-]+)\]$", text, re.MULTILINE)


def answer_of(text: str) -> List[str]:
    return re.findall(r"^The gateway (?:answers (\d+ [A-Z_]+)|lets it pass)", text, re.MULTILINE)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_words(case: Case, tmp_path: Any, capsys: Any, monkeypatch: Any) -> None:
    ours = explained(case, tmp_path, capsys, monkeypatch)
    real = KEPT[case.name]
    assert codes_of(ours) == codes_of(real)
    assert answer_of(ours) == answer_of(real)
    if "JSON wrapper is not well formed" not in real:  # The reader of the gateway says at which byte.
        assert real_explain.without_age(ours) == real_explain.without_age(real)
    for secret in (SECRET, "quite another secret"):
        assert secret not in ours


def test_the_corpus_covers_the_commonest_mistakes() -> None:
    codes = {code for case in CASES for code in codes_of(KEPT[case.name])}
    assert len(codes) >= 80
    assert sum("unexplained" in text or "nor any known mistake" in text for text in KEPT.values()) == 2


def test_what_is_kept_is_what_the_real_one_says() -> None:
    if not real_explain.REAL.exists():
        pytest.skip("the gateway is not built: npm run build")
    real = real_explain.run_all_real()
    assert {name: real_explain.without_age(text) for name, text in real.items()} == {
        name: real_explain.without_age(text) for name, text in KEPT.items()
    }


def test_json(tmp_path: Any, capsys: Any, monkeypatch: Any) -> None:
    case = next(each for each in CASES if each.name == "hmac: path without query")
    document = json.loads(explained(case, tmp_path, capsys, monkeypatch, "-o", "json"))
    assert document["verdict"] == "wrong"
    assert [each["name"] for each in document["mistakes"]] == ["path-without-query"]
    assert document["answer"]["code"] == "AUTHENTICATION_FAILED"
    assert document["difference"]["line"] == 2
    assert document["stringToSign"].startswith("date: Sat, 21 Nov 2026 02:40:00 GMT\nPOST /invoices?year=2026")


CURL = """curl 'http://127.0.0.1:10000/invoices?year=2026' \\
  -H 'Date: Sat, 21 Nov 2026 02:40:00 GMT' \\
  -H 'Authorization: hmac appkey="3f0c9a1be27d4856af0312c4d5e6b798", algorithm="hmac-sha256", \
headers="date request-line", signature="cxuH1mC4CjfGYrd5Ka9eYDCLmkS25teM/tuc53Td5Kg="'
"""


def run(*arguments: str, stdin: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "postern", *arguments]
    path = str(real_explain.REAL.parents[1] / "clients" / "python" / "src")
    return subprocess.run(
        command, input=stdin, env={"PYTHONPATH": path, **environment}, capture_output=True, text=True, check=False
    )


def test_the_command_on_standard_input() -> None:
    done = run(
        "explain", "-", "--method", "hmac", "--secret-from", "env:S", "--at", "1795228800", stdin=CURL, S=SECRET
    )
    assert done.returncode == 1 and done.stderr == ""
    assert codes_of(done.stdout) == ["path-without-query", "http-version"]


@pytest.mark.parametrize(
    "arguments, stdin, told",
    [
        (["-", "--secret-from", "env:NONE"], CURL, "the environment variable NONE is not set or empty"),
        (["-", "--secret-from", SECRET], CURL, "never the secret itself"),
        (["-", "--secret-from", "-"], CURL, "the request and the secret would both be read from standard input"),
        (["-", "--secret-from", "file:/nowhere"], CURL, "--secret-from: /nowhere cannot be read"),
        (["/nowhere", "--secret-from", "env:S"], "", "/nowhere cannot be read"),
        (["-", "--secret-from", "env:S", "--at", "noon"], CURL, "--at takes a time with its zone"),
        (["-", "--secret-from", "env:S", "--option", "a=b"], CURL, "--option a=b: there is no such option or value"),
        (["-", "--secret-from", "env:S"], " \n", "-: there is no text"),
        (["-", "--secret-from", "env:S"], "nothing here at all", "is neither a request line nor a header"),
        (["-", "--secret-from", "env:S"], "curl http://x -H 'a: b", "a single quote is not closed"),
        (["-", "--secret-from", "env:S"], 'curl http://x -H "a: $TOKEN"', "$TOKEN…, whose value is not known here"),
        (["-", "--secret-from", "env:S"], "curl -F a=b http://x", "the body of -F has a border"),
        (["-", "--secret-from", "env:S"], "curl -d @/etc/passwd http://x", "takes its body from the file /etc/passwd, which is not read"),
        (["-", "--secret-from", "env:S"], "curl -T /etc/passwd http://x", "takes its body from the file /etc/passwd"),
        (["-", "--secret-from", "env:S"], "curl -H @a http://x", "the command has headers in a file (-H @a)"),
        (["-", "--secret-from", "env:S"], "curl -K a http://x", "the command has options in a file (-K)"),
        (["-", "--secret-from", "env:S"], "curl --url @a", "the command has its URL in a file (@a)"),
        (["-", "--secret-from", "env:S"], "curl --variable a@f http://x", "the command has variables"),
        (["-", "--secret-from", "env:S", "--body", "/etc/passwd"], "curl -d a http://x", "so --body has no use"),
        (["-", "--secret-from", "env:S", "--body", "/etc/passwd"], "curl -d @a -d @b http://x", "from several files"),
        (["-", "--secret-from", "env:S", "--body", "/etc/passwd"], "PUT / HTTP/1.1\n\nx", "so --body has no use"),
        (["-", "--secret-from", "env:S", "--body", "-"], "", "the request and the body would both be read"),
        (["/dev/zero", "--secret-from", "env:S"], "", "/dev/zero cannot be read (it is no regular file"),
        (["-", "--secret-from", "file:/dev/zero"], CURL, "--secret-from: /dev/zero cannot be read (it is no"),
        (["-", "--secret-from", "env:S", "--body", "/dev/zero"], CURL, "/dev/zero cannot be read (it is no regular"),
        (["/", "--secret-from", "env:S"], "", "/ cannot be read"),
        (["-", "--secret-from", "env:S"], "x" * 1048577, "- cannot be read (it has more than 1048576 bytes)"),
        (["-", "--secret-from", "env:S"], "curl -d @- http://x", "its body from standard input"),
        (["-", "--secret-from", "env:S"], "curl -s", "the curl command has no URL"),
    ],
)
def test_what_cannot_be_read(arguments: List[str], stdin: str, told: str) -> None:
    done = run("explain", *arguments, "--method", "hmac", stdin=stdin, S=SECRET)
    assert done.returncode == 2 and done.stdout == ""
    assert told in done.stderr
    assert SECRET not in done.stderr


def test_fifos_are_not_waited_for(tmp_path: Any) -> None:
    fifo = str(tmp_path / "fifo")
    os.mkfifo(fifo)
    done = run("explain", fifo, "--method", "hmac", "--secret-from", "env:S", S=SECRET)
    assert done.returncode == 2 and "it is no regular file" in done.stderr


def test_the_body_that_is_given(tmp_path: Any) -> None:
    file = tmp_path / "order.json"
    file.write_bytes(b"a b\n")
    for options, target, body in [
        ("-d @x", "/", b"a b"),
        ("--data-binary @-", "/", b"a b\n"),
        ("--data-urlencode n@x", "/", b"n=a+b%0A"),
        ("-T x", "/", b"a b\n"),
        ("-G -d @x", "/?a b", b""),
        ("--url-query n@x --url-query +%41", "/?n=a+b%0A&%41", b""),
    ]:
        sent = read_request(("curl %s http://h/" % options).encode(), file.read_bytes()).request
        assert (sent.path, sent.body) == (target, body), options
    shown = b"> POST / HTTP/1.1\n> Host: a\n> Content-Length: 3\n>\n"
    assert read_request(shown, b"a b\n").request.body == b"a b"
    assert read_request(shown).notes == (
        "Content-Length says 3 bytes, but there are 0 bytes of body. --body FILE gives it.",
    )


def test_headers_of_files_are_told() -> None:
    read = read_request(b"curl -b jar -n http://h/")
    assert read.notes == ("Headers that curl makes of files were left out: --cookie, --netrc.",)


@pytest.mark.parametrize(
    "start, repeated",
    [
        *(("", each) for each in ("|", "| ", " |", "/|", "| curl", "\\\n|")),
        *(("curl http://a/ ", each) for each in ("a ", 'a"b"', "\\a", "-H ", "-d a ", "-d@f ", "--url-query a ", "| ")),
        *(("curl http://a/ " + each, "a\\ ") for each in ('"', "'", "$'")),
        ("GET / HTTP/1.1\n", "a:b\n"),
        ("GET / HTTP/1.1\nTransfer-Encoding: chunked\n\n", "1\na\n"),
    ],
)
def test_time_in_proportion_to_the_text(start: str, repeated: str) -> None:
    """One step for each pair of characters, and this would take longer than anybody waits."""
    try:
        read_request((start + repeated * (128 * 1024 // len(repeated))).encode())
    except Unreadable:
        pass
