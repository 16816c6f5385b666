import pytest

from hybrid_search import HybridSearchError, Index, InvalidCursorError, InvalidInputError, errors


def test_every_error_has_one_base():
    kinds = [kind for name, kind in vars(errors).items() if name.endswith("Error")]
    assert len(kinds) == 10
    assert all(issubclass(kind, HybridSearchError) for kind in kinds)


def test_a_refused_argument_is_a_value_error_too():
    with pytest.raises(ValueError, match="limit") as caught:
        Index().search("a", limit=0)
    assert isinstance(caught.value, InvalidInputError)
    assert issubclass(InvalidCursorError, ValueError)
