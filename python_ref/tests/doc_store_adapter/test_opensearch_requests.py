"""The requests to a cluster, for documents and questions of any kind."""

import pytest

from python_ref.tests.doc_store_adapter.opensearch_fake import bodies, document, hits

SOLAR = {"fields": [["content_ltks", 2.0], ["important_kwd", 30.0]], "tree": ["any", "solar", "wind"], "topn": 9}
NEAR = {"field": "q_2_vec", "vector": [1.0, 0.0], "topn": 9}
FUSED = {"method": "weighted_sum", "topn": 9}
NONE = {"docs": [{"_id": "a", "found": False}]}
WRITTEN = {"status": 201, "result": "created"}


def test_both_legs_are_one_request_for_only_ids_and_scores(both):
    whole = {"responses": [hits((1.5, "a")), hits((0.9, "b"))]}
    documents = {"docs": [document("b", 1, kb_id="k"), document("a", 1, kb_id="k")]}
    wanted = {"match_exprs": [SOLAR, NEAR, FUSED], "select_fields": ["kb_id"], "limit": 9}
    outcome, asked = both({"/_msearch": [(200, whole)], "/_mget": [(200, documents)]}, [["search", wanted]])
    assert outcome["results"][0][1] == ["b", "a"]
    ((_, text, _, dense),) = bodies(asked, "/_msearch")
    for body in (text, dense):
        assert (body["_source"], body["stored_fields"], body["size"]) == (False, "_none_", 9)
    assert [target for _, target, _ in asked if "search" in target] == ["/_msearch"]
    ((fetched,),) = bodies(asked, "/_mget")
    assert [one["_source"] for one in fetched["docs"]] == [True] * 2


HOSTILE = [
    'a OR _exists_:id', '"', "\\", "&&", "||", "!(", "%", "*:*", "\0", "content_ltks:x", "x^9", "~", "{", "[1 TO 2]",
    "x" * 5_000, "é" * 9_000, "_id", "..", "\u2028", "𝔘", "'; DROP", "<script>", "a/b?c#d",
]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_no_text_changes_the_meaning_of_a_query(both, hostile):
    """A request with a hostile term differs from one with a harmless term only in that term."""

    def written(term, value):
        text = {**SOLAR, "tree": ["any", ["phrase", [term, "x"], 2], term], "minimum": 1.0}
        filters = {"kb_id": value, "metadata.k": {"gt": value}, "not": {f"metadata.{value}": value}}
        _, asked = both({"/_search": [(200, hits())]}, [["rank", [text], filters]])
        return bodies(asked, "/_search")[0][0]

    plain = hostile.replace(" ", "_")
    assert skeleton(written(plain, hostile)) == skeleton(written("solar", "k1"))


def skeleton(value):
    """Return plain data with every text replaced that is not the name of a part."""
    if isinstance(value, dict):
        return {key: skeleton(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [skeleton(inner) for inner in value]
    return "" if isinstance(value, str) else value


def test_field_names_of_any_kind_add_no_field_to_the_engine(both):
    fields = dict.fromkeys(("a..b", ".", "_id", "$", "a*", "\x00", "x" * 3000, "metadata.x", "body"), "x")
    tokens = {"..._ltks": "solar  wind", "\0_tks": "x" * 9_000, "_kwd": ["k" * 40_000]}
    given = {"id": "a", **fields, **tokens, "q_3_vec": [0.0, 0.0, 0.0], "q_4_vec": [1e-300, 0.0, 0.0, 0.0]}
    replies = {"/_mget": [(200, NONE)], "/_bulk": [(200, {"items": [{"create": WRITTEN}]})]}
    outcome, asked = both(replies, [["insert", [given]]])
    assert outcome["results"] == [1]
    source = bodies(asked, "/_bulk")[0][1]
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_") for name in source)
    longest = max(len(text.encode()) for name in ("name", "value") for text in source[name])
    assert longest < 2_000
    assert source["zero"] == ["q_3_vec"]
    assert "v_3" not in source
    assert source["v_4"][0] > 0.1
