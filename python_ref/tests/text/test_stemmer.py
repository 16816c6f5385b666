import threading

import pytest
from snowballstemmer.english_stemmer import EnglishStemmer

from hybrid_search.errors import InvalidInputError
from hybrid_search.text import stemmer as module
from hybrid_search.text.stemmer import Stemmer


def test_the_rules_are_those_of_snowball_3_1():
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


def test_threads_share_a_stemmer():
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


def test_what_is_no_text_is_refused():
    with pytest.raises(InvalidInputError, match="word must be a text, not 5"):
        Stemmer().stem(5)
