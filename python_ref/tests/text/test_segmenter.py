"""The segmenter is jieba with a private tokenizer: nothing leaks in either direction (TXT-2)."""

import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.text.dictionary import Dictionary
from hybrid_search.text.jieba import jieba
from hybrid_search.text.segmenter import Segmenter

TEXT = "他来到了网易杭研大厦"


@pytest.fixture(params=["plain", "fast"])
def segmenter(request: pytest.FixtureRequest) -> Segmenter:
    return Segmenter(kernels=request.param)


def test_text_is_cut_with_and_without_the_model(segmenter: Segmenter) -> None:
    assert segmenter.cut(TEXT) == ["他", "来到", "了", "网易", "杭研", "大厦"]
    assert segmenter.cut(TEXT, hmm=False) == ["他", "来到", "了", "网易", "杭", "研", "大厦"]
    assert segmenter.cut_for_search("清华大学") == ["清华", "华大", "大学", "清华大学"]


def test_the_whole_token_is_omitted(segmenter: Segmenter) -> None:
    assert segmenter.best_route_without_whole("中国科学院") == ["中国", "科学院"]
    assert segmenter.rejoin_latin(segmenter.best_route_without_whole("2019年")) == ["2019", "年"]


def test_user_words_apply_only_to_their_segmenter(segmenter: Segmenter) -> None:
    before = len(jieba.finalseg.Force_Split_Words)
    segmenter.add_word("杭研", 0)
    assert segmenter.cut(TEXT) == ["他", "来到", "了", "网易", "杭", "研", "大厦"]
    segmenter.add_word("网易杭研", tag="nz")
    assert segmenter.cut(TEXT) == ["他", "来到", "了", "网易杭研", "大厦"]
    assert (segmenter.frequency("网易杭研"), segmenter.tag("网易杭研")) == (1, "nz")
    assert Segmenter().cut(TEXT) == ["他", "来到", "了", "网易", "杭研", "大厦"]
    assert len(jieba.finalseg.Force_Split_Words) == before
    assert not jieba.dt.initialized


def test_changes_of_other_programs_to_jieba_have_no_effect(segmenter: Segmenter) -> None:
    jieba.finalseg.Force_Split_Words.add("杭研")
    try:
        assert segmenter.cut(TEXT)[4] == "杭研"
        assert Segmenter().cut(TEXT)[4] == "杭研"
    finally:
        jieba.finalseg.Force_Split_Words.discard("杭研")


def test_added_words_have_the_frequencies_of_jieba(segmenter: Segmenter) -> None:
    plain = jieba.Tokenizer()
    plain.FREQ, plain.total, plain.initialized = (
        dict(segmenter.dictionary.frequencies),
        segmenter.dictionary.total,
        True,
    )
    words: list[tuple[str, int | None, str | None]] = [("石墨烯", None, "n"), ("北京大", 7, None), ("大学", 900, "x")]
    for word, frequency, tag in words:
        plain.add_word(word, frequency, tag)
        segmenter.add_word(word, frequency, tag)
    assert segmenter.dictionary.frequencies == plain.FREQ
    assert segmenter.dictionary.total == plain.total
    assert segmenter.cut("石墨烯北京大学生") == plain.lcut("石墨烯北京大学生")


def test_a_dictionary_can_be_shared(segmenter: Segmenter) -> None:
    other = Segmenter(segmenter.dictionary)
    segmenter.add_word("网易杭研")
    assert other.cut("网易杭研") == ["网易杭研"]
    with pytest.raises(InvalidInputError, match=r'dictionary must be a Dictionary, not "words\.txt"'):
        Segmenter("words.txt")  # type: ignore[arg-type]


def test_a_file_of_words_is_added_completely_or_not_at_all(segmenter: Segmenter, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text(f"网易杭研 5 nz\n杭研大厦 {'9' * 20}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="line 2 of"):
        segmenter.load_user_dict(path)
    assert segmenter.frequency("网易杭研") == 0
    path.write_text("\ufeff网易杭研 5 nz\n", encoding="utf-8")
    segmenter.load_user_dict(str(path))
    assert segmenter.tag("网易杭研") == "nz"


def test_threads_can_share_a_segmenter(segmenter: Segmenter) -> None:
    texts = [f"第{index}位研究生命起源的杭研博士来到了清华大学" for index in range(20)]
    expected = [Segmenter().cut(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: [segmenter.cut(text) for text in texts], range(4))) == [expected] * 4


def test_nothing_is_written_or_printed(tmp_path: Path) -> None:
    program = "from hybrid_search.text.segmenter import Segmenter; assert Segmenter().cut('中国人') == ['中国', '人']"
    environment = {"HOME": "/nonexistent", "TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    outcome = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert (outcome.stdout, outcome.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_jieba_can_still_log_for_other_programs() -> None:
    assert logging.getLogger("jieba").isEnabledFor(logging.DEBUG)


def test_the_dictionary_states_frequencies_and_tags() -> None:
    dictionary = Dictionary()
    terms = ["北京", "中华人民共", "γ射线", "𠮷", "", "AT&T"]
    found = [(dictionary.frequency(term), dictionary.tag(term)) for term in terms]
    assert found == [(34488, "ns"), (0, ""), (3, "n"), (0, ""), (0, ""), (3, "nz")]
