import random

import pytest

from hybrid_search.base.numeric import parse_decimal
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion import weights
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.fusion.normalizer import NORMALIZERS


def ranking(draw, size):
    scores = sorted((draw.choice([0.0, -0.0, 0.3, 0.1 + 0.2, draw.random()]) for _ in range(size)), reverse=True)
    return list(zip(draw.sample("abcdefghijklmnopqrstuvwxyz", size), scores, strict=True))


@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_the_result_is_in_order_and_contains_every_document_once(normalizer):
    draw = random.Random(7)
    for _ in range(50):
        lists = [ranking(draw, draw.randrange(0, 12)) for _ in range(3)]
        fused = Fusion.weighted_sum(lists, "0.2,0.3,0.5", normalizer)
        assert fused == sorted(fused, key=lambda pair: (-pair[1], pair[0]))
        assert sorted(name for name, _ in fused) == sorted({name for given in lists for name, _ in given})


def test_a_fusion_expression_cannot_be_changed():
    given = {"weights": "1,2"}
    expression = FusionExpr("weighted_sum", 5, given)
    given["weights"] = "5,5"
    assert expression.params["weights"] == "1,2"
    assert expression.with_topn(3) == FusionExpr("weighted_sum", 3, {"weights": "1,2"})
    with pytest.raises(TypeError):
        expression.params["weights"] = "3,3"


def test_inputs_are_not_changed():
    lists = [[["a", 1], ["b", 0.5]], []]
    Fusion.weighted_sum(lists, [1, 1])
    assert lists == [[["a", 1], ["b", 0.5]], []]


def test_decimals_equal_those_that_python_reads():
    draw = random.Random(11)
    for _ in range(2000):
        number = draw.choice([draw.random(), draw.random() * 10.0 ** draw.randrange(-300, 300), draw.randrange(10**9)])
        text = draw.choice([repr(number), f"{number:.25e}", f"{number:.3f}"[:50]])
        assert parse_decimal(text) == float(text)


def test_errors_of_weights_name_the_argument_of_the_caller():
    with pytest.raises(InvalidInputError, match=r"^vector_weights must be 2 finite numbers"):
        weights.parse("1", 2, "vector_weights")
