"""JUnit XML: a test suite for each implementation and module, a test case for each case id (CNF-14)."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from conformance.judging.results import Result
from conformance.reports import whereabouts
from conformance.reports.log import Log

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def build(log: Log) -> ET.Element:
    """The `testsuites` element."""
    root = ET.Element("testsuites", name="conformance")
    for name in log.names:
        own = [result for result in log.results if result.implementation == name]
        for module in sorted({result.module for result in own}):
            _suite(root, f"{name}.{module}", [result for result in own if result.module == module])
    if log.problems:
        suite = ET.SubElement(root, "testsuite", name="harness", tests="1", failures="0", errors="1", skipped="0")
        case = ET.SubElement(suite, "testcase", classname="harness", name="fixtures")
        ET.SubElement(case, "error", message=_text(log.problems[0])).text = _text("\n".join(log.problems))
    if log.drawn.get("drawn"):
        findings = log.drawn["findings"]
        suite = ET.SubElement(
            root, "testsuite", name="drawn", tests="1", failures=str(min(len(findings), 1)), errors="0", skipped="0"
        )
        case = ET.SubElement(suite, "testcase", classname="drawn", name=f"seed {log.drawn['seed']}")
        if findings:
            lines = [line for one in findings for line in (f"{one['operation']}:", *one["difference"])]
            ET.SubElement(case, "failure", message=_text(lines[0])).text = _text("\n".join(lines))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    return root


def write(path: Path, log: Log) -> None:
    """Write the XML file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tree = ET.ElementTree(build(log))
    ET.indent(tree)
    tree.write(path, encoding="utf-8", xml_declaration=True)


def _suite(root: ET.Element, name: str, results: list[Result]) -> None:
    suite = ET.SubElement(root, "testsuite", name=name)
    numbers = {"tests": len(results), "failures": 0, "errors": 0, "skipped": 0}
    for result in results:
        case = ET.SubElement(suite, "testcase", classname=name, name=result.case, time=f"{result.seconds:.6f}")
        if result.counts:
            kind = "failure" if result.status in ("fail", "fixed", "unstable") else "error"
            numbers["failures" if kind == "failure" else "errors"] += 1
            element = ET.SubElement(case, kind, type=result.status, message=_text(result.message))
            element.text = _text("\n".join(_told(result)))
        elif result.status != "pass":
            numbers["skipped"] += 1
            ET.SubElement(case, "skipped", message=_text(f"{result.status}: {result.message}"))
    for key, number in numbers.items():
        suite.set(key, str(number))
    suite.set("time", f"{sum(result.seconds for result in results):.6f}")


def _told(result: Result) -> list[str]:
    """The lines of a failure: what is wrong, where to look, how to run it again."""
    about = [f"about: {place}" for place in whereabouts.clauses(result)]
    files = [f"look at: {place}" for place in whereabouts.files(result)]
    return [f"first wrong stage: {result.stage or 'none'}", *result.details, *about, *files, f"again: {result.again}"]


def _text(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)
