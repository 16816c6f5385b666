import re
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from snowballstemmer.english_stemmer import EnglishStemmer

from hybrid_search.errors import InvalidInputError
from hybrid_search.text import stemmer as module
from hybrid_search.text.stemmer import Stemmer

ROOT = Path(__file__).resolve().parents[3]


def test_the_rules_equal_those_of_snowball_3_1():
    words = ["added", "evening", "biologist", "internal", "dying", "past"]
    assert [Stemmer().stem(word) for word in words] == ["add", "evening", "biolog", "internal", "die", "past"]


def test_only_small_ascii_letters_are_stemmed():
    assert [Stemmer().stem(word) for word in ["Running", "cafés", "v2s", "runs\n", ""]] == [
        "Running", "cafés", "v2s", "runs\n", "",
    ]  # fmt: skip


def test_the_cache_is_bounded_and_changes_nothing(monkeypatch):
    monkeypatch.setattr(module, "CACHE_SIZE", 3)
    stemmer, algorithm = Stemmer(), EnglishStemmer()
    words = ["running", "foxes", "jumps", "hopeful", "national", "running", "a" * 50 + "ing"] * 2
    assert [stemmer.stem(word) for word in words] == [algorithm.stemWord(word) for word in words]
    assert len(stemmer._cache) <= 3
    assert all(len(word) <= module.CACHED_LENGTH for word in stemmer._cache)


def test_threads_can_share_a_stemmer():
    words = [f"{chr(97 + index % 26)}{chr(97 + index % 7)}nationalizing" for index in range(400)]
    expected = [EnglishStemmer().stemWord(word) for word in words]
    shared, found = Stemmer(), []

    def run():
        found.append([shared.stem(word) for word in words])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_a_value_that_is_not_text_is_refused():
    with pytest.raises(InvalidInputError, match="word must be a text, not 5"):
        Stemmer().stem(5)


@pytest.fixture
def in_c():
    package = pytest.importorskip("Stemmer", reason="PyStemmer is not installed: bin/setup installs the extra 'test'")
    if not package.version().startswith(module.SNOWBALL):
        pytest.skip(f"PyStemmer {package.version()} is of another version of Snowball")
    return package.Stemmer("english", 0)


def test_the_algorithm_in_c_returns_the_same_stems(in_c):
    words = [word for word in words_of_documents() if len(word) > 1]
    ends = ["", "s", "'", "ing", "ed", "edly", "ly", "ation", "iveness", "fully", "ogist", "eed", "y", "ies"]
    made = [f"{word}{end}".replace("'", "") for word in words for end in ends]
    algorithm = EnglishStemmer()
    assert len(words) > 2000
    assert in_c.stemWords(made) == [algorithm.stemWord(word) for word in made]


@pytest.mark.nightly
def test_the_algorithm_in_c_returns_the_same_stems_for_a_dictionary(in_c):
    path = Path("/usr/share/dict/words")
    if not path.is_file():
        pytest.skip("there is no /usr/share/dict/words (Debian: wamerican)")
    words = sorted(set(re.findall("[a-z]+", path.read_text(encoding="utf-8").lower())))
    assert len(words) > 40_000
    assert in_c.stemWords(words) == [EnglishStemmer().stemWord(word) for word in words]


def test_another_version_or_a_missing_package_falls_back_to_python(monkeypatch):
    other = SimpleNamespace(version=lambda: "2.2.0", Stemmer=None)
    monkeypatch.setitem(sys.modules, "Stemmer", other)
    assert isinstance(Stemmer()._algorithm, EnglishStemmer)
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    assert isinstance(Stemmer()._algorithm, EnglishStemmer)
    assert Stemmer().stem("running") == "run"


def words_of_documents():
    """The different words of the project's documents."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md")))
    return sorted({word for text in texts for word in re.findall("[a-z]+", text.lower())})
