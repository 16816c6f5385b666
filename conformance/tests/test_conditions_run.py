"""The cases that the list of conditions names notice its parts (CNF-19)."""

import subprocess
import sys

import pytest

from conformance.paths import ROOT


@pytest.mark.nightly
@pytest.mark.programs
def test_the_listed_cases_notice_the_parts() -> None:
    words = [sys.executable, "-W", "ignore", "-m", "conformance", "conditions", "--run", "--path", "fusion/"]
    outcome = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "noticed" in outcome.stdout
