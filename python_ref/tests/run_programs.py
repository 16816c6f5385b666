"""Runs programs, each in a fork of an interpreter that has the library loaded: JSON in, JSON out.

The input is a list of `{"name": …, "code": …, "check": whether it is only compiled}`; the output is a list of
`{"status": …, "stdout": …, "stderr": …}` in the same order.
"""

import json
import os
import sys
import tempfile
import traceback
from typing import IO

import hybrid_search


def run(program: dict[str, str]) -> None:
    """Run one program in this process."""
    code = compile(program["code"], program["name"], "exec")
    if not program["check"]:
        exec(code, {"__name__": "__main__"})


def forked(program: dict[str, str], stdout: IO[bytes], stderr: IO[bytes]) -> int:
    """Run one program in a child, and return the child's exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.dup2(stdout.fileno(), 1)
    os.dup2(stderr.fileno(), 2)
    status = 0
    try:
        run(program)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main() -> None:
    """Run the programs from stdin and print their results."""
    hybrid_search.Index().add([{"id": "1", "content": "加载 the tables"}])
    answers = []
    for program in json.load(sys.stdin):
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            status = forked(program, stdout, stderr)
            texts = []
            for file in (stdout, stderr):
                file.seek(0)
                texts.append(file.read().decode("utf-8"))
        answers.append({"status": status, "stdout": texts[0], "stderr": texts[1]})
    json.dump(answers, sys.stdout)


main()
