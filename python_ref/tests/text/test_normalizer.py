import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.generators.tables import lowercase, simplified
from hybrid_search.errors import InvalidInputError
from hybrid_search.text.normalizer import Normalizer

NORMALIZER = Normalizer()


def test_all_steps_are_applied_together():
    assert NORMALIZER.normalize("Ａ\0Ｂ　İΣ 繁體") == "a b iσ 繁体"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_one_table_equals_the_steps_in_sequence(text):
    stepwise = NORMALIZER.simplify(NORMALIZER.lower(NORMALIZER.half_width(text.replace("\0", " "))))
    assert NORMALIZER.normalize(text) == stepwise
    assert len(stepwise) == len(text)


def test_the_lower_case_table_equals_that_of_unicode():
    table = lowercase.build()
    assert table["unicode_version"] == unicodedata.unidata_version
    pairs = dict(zip(table["upper"], table["lower"], strict=True))
    assert pairs["İ"] == "i"
    assert all(upper.lower() == lower for upper, lower in pairs.items() if upper != "İ")
    assert not set(pairs) & set("abcσς")


def test_the_table_of_simplified_characters_maps_only_to_common_ideographs():
    table = simplified.build()
    pairs = dict(zip(table["traditional"], table["simplified"], strict=True))
    assert pairs["體"] == "体"
    assert "㑮" not in pairs
    assert all(0x3400 <= ord(target) <= 0x9FFF for target in pairs.values())
    assert all(source != target for source, target in pairs.items())


@pytest.mark.parametrize("step", ["normalize", "half_width", "lower", "simplify"])
@pytest.mark.parametrize("value", [None, 5, b"a", "\ud800"])
def test_a_value_that_is_not_text_is_refused(step, value):
    with pytest.raises(InvalidInputError):
        getattr(NORMALIZER, step)(value)
