"""The reference's program for many command lines: a line of JSON in for each, a line out."""

import io
import json
import os
import sys
from unittest.mock import patch

from hybrid_search.cli.console import Console
from hybrid_search.cli.main import main
from hybrid_search.code_index.program import main as code_index

for line in sys.stdin:
    asked = json.loads(line)
    stdout, stderr = io.BytesIO(), io.BytesIO()
    given = [os.fsdecode(one.encode("utf-8")) for one in asked["arguments"]]
    console = Console(io.BytesIO(bytes.fromhex(asked["stdin"])), stdout, stderr)
    with patch.dict(os.environ, asked["environment"]):
        status = code_index(given[1:], console) if given[:1] == ["code_index"] else main(given, console)
    told = {"stdout": stdout.getvalue().decode("utf-8"), "stderr": stderr.getvalue().decode("utf-8"), "status": status}
    print(json.dumps(told), flush=True)
