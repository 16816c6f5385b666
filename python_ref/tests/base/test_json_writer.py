"""Plain data is the same JSON in both languages; `ruby/spec/base/json_writer_spec.rb` expects the same text."""

import pytest

from hybrid_search.base import json_writer

VALUE = {
    "text": '规则 "6-2-1"\n\t\\ / \u2028 \x7f \x01 😀',
    "numbers": [1, -1, 10**21, 0.1, 1.0, -0.0, 1e16, 1e-05, 5e-324, 123456789012345680.0],
    "nothing": [None, True, False, [], {}, ""],
}
TEXT = (
    '{"text":"规则 \\"6-2-1\\"\\n\\t\\\\ / \u2028 \x7f \\u0001 😀",'
    '"numbers":[1,-1,1000000000000000000000,0.1,1.0,-0.0,1e+16,1e-05,5e-324,1.2345678901234568e+17],'
    '"nothing":[null,true,false,[],{},""]}'
)


def test_plain_data_has_one_form() -> None:
    assert json_writer.write(VALUE) == TEXT


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_value_that_is_not_a_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_writer.write([number])
