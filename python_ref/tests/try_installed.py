"""Runs lines of code from JSON with the installed package, and prints their results as JSON."""

import ast
import datetime
import importlib.util
import inspect
import json
import pydoc
import re
import sys

import numpy as np

import hybrid_search
from hybrid_search import HashingEmbedder, Hit, Index, MemoryDocStore

path, records, entries = (json.loads(line) for line in sys.stdin)


def word_for(call):
    try:
        call()
    except hybrid_search.InvalidInputError as problem:
        return re.search('did you mean "(.*?)"', str(problem))[1]


def typed(code):
    *lines, last = ast.parse(code).body
    exec(compile(ast.Module(lines, []), "typed", "exec"), names)
    return eval(compile(ast.Expression(last.value), "typed", "eval"), names)


index, other = Index.open(path, embedding=HashingEmbedder()), Index()
index.add(records)
other.add(records)
page = index.search("rule")
names = {
    "index": index, "other": other, "page": page, "hit": page[0], "path": path, "word_for": word_for, "Index": Index,
    "Hit": Hit, "MemoryDocStore": MemoryDocStore, "np": np, "json": json, "inspect": inspect, "pydoc": pydoc,
    "datetime": datetime,
}  # fmt: skip
told = []
for entry in entries:
    if "needs" in entry:
        if importlib.util.find_spec(entry["needs"]) is None:
            told.append(f"skipped: {entry['needs']} is not installed")
            continue
        names[entry["needs"]] = importlib.import_module(entry["needs"])
    told.append(typed(entry["python"]))
index.close()
print(json.dumps({"file": hybrid_search.__file__, "told": told}))
