import json
from pathlib import Path

import pytest

from hybrid_search.errors import ConfigurationError
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.word_net import PARTS_OF_SPEECH, WordNet

SYSTEM_WORD_NET = Path("/usr/share/wordnet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """WordNet files with one noun of two words and one verb."""
    for part in PARTS_OF_SPEECH:
        (tmp_path / f"data.{part}").write_bytes(b"")
        (tmp_path / f"index.{part}").write_bytes(b"  1 header\n")
    (tmp_path / "data.noun").write_text("00000000 05 n 02 Domestic_dog 0 dog 0 000 | a gloss\n")
    (tmp_path / "index.noun").write_text("  1 header\ndog n 1 1 @ 1 1 00000000\ndomestic_dog n 1 1 @ 1 1 00000000\n")
    (tmp_path / "data.verb").write_text("00000000 38 v 01 dog 0 000 | a gloss\n")
    (tmp_path / "index.verb").write_text("dog v 1 1 @ 1 1 00000000\n")
    return tmp_path


def test_a_dictionary_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.json"
    path.write_text(json.dumps({"Phone": ["telephone", "手机"]}), encoding="utf-8")
    assert Synonyms(path).lookup(" phone ", limit=1) == ["telephone"]


def test_wordnet_is_asked_after_the_dictionary(folder: Path) -> None:
    found = Synonyms({"dogs": "hounds"}, WordNet(folder))
    assert found.lookup("dog") == ["domestic dog"]
    assert found.lookup("dogs") == ["hounds"]
    assert Synonyms(None, str(folder)).lookup("dogs") == ["domestic dog", "dog"]


def test_errors_of_a_damaged_wordnet_name_the_file(folder: Path) -> None:
    (folder / "data.noun").write_bytes(b"00000001 05 n\n")
    with pytest.raises(ConfigurationError, match=r"data\.noun"):
        WordNet(folder).head_lemmas("dog")


@pytest.mark.parametrize("content", ["", "[", "[]", '{"a": 1}', '{"a": [1]}', "{'a': 'b'}", "[" * 100000])
def test_errors_of_invalid_dictionaries_name_the_path(tmp_path: Path, content: str) -> None:
    path = tmp_path / "synonyms.json"
    path.write_text(content)
    with pytest.raises(ConfigurationError, match=r"synonyms\.json"):
        Synonyms(str(path))


@pytest.mark.skipif(not SYSTEM_WORD_NET.is_dir(), reason="Debian's wordnet-base is not installed")
def test_the_real_wordnet_is_read() -> None:
    found = Synonyms(word_net=SYSTEM_WORD_NET)
    assert found.lookup("love") == [
        "beloved", "sexual love", "sleep together",
    ]  # fmt: skip
    assert "goose" in WordNet(SYSTEM_WORD_NET).head_lemmas("geese")
