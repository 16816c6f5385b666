"""A node may lose changes that it shows: a change is acknowledged only if no copy of the index can lose it."""

import pytest

from python_ref.tests.doc_store_adapter.opensearch_fake import bodies, checkpoints, document, error, parts

AS_IT_IS = document("a", 7, kb_id="k1")
MISSING = {"_id": "a", "found": False}
WRITTEN = {"items": [{"index": {"status": 200, "result": "updated"}}]}
REMOVED = {"items": [{"delete": {"status": 200, "result": "deleted"}}]}
NOT_THERE = {"items": [{"delete": {"status": 404, "result": "not_found"}}]}
CONFLICT = {"items": [{"delete": {"status": 409, "error": {"type": "version_conflict_engine_exception"}}}]}
CREATED = {"status": 201, "result": "created"}
REFUSED = {"status": 429, "error": {"type": "rejected_execution_exception", "reason": "queue is full"}}
FORBIDDEN = error(403, "security_exception", "no permissions")
CERTAIN = [
    checkpoints((9, 12)),  # all copies are further
    checkpoints((7, 12)),  # exactly at this operation
    checkpoints((3, 3)),  # all copies have everything
]
UNCERTAIN = [
    checkpoints((6, 12)),
    checkpoints((9, 12), state="RELOCATING"),
    {"indices": {"i-000001": {"shards": {}}}},
    {"indices": {}},
]
SHARDS = "/i-000001/_settings/index.number_of_shards"


def stored(*documents):
    """Responses of `_mget`."""
    return [(200, {"docs": [one]}) for one in documents]


@pytest.mark.parametrize("method", ["upsert", "update"])
@pytest.mark.parametrize("told", CERTAIN)
def test_a_document_already_in_the_wanted_state_on_all_copies_is_not_written_again(both, method, told):
    replies = {"/_mget": stored(AS_IT_IS), "/_stats/docs": [(200, told)]}
    outcome, asked = both(replies, [[method, [{"id": "a", "kb_id": "k1"}]]])
    assert outcome["results"] == [0]
    assert bodies(asked, "/_bulk") == []


@pytest.mark.parametrize("method", ["upsert", "update"])
@pytest.mark.parametrize("told", [*((200, one) for one in UNCERTAIN), (403, FORBIDDEN)])
def test_a_document_that_only_some_copies_may_have_is_written_again_and_not_counted(both, method, told):
    replies = {"/_mget": stored(AS_IT_IS), "/_stats/docs": [told], "/_bulk": [(200, WRITTEN)]}
    outcome, asked = both(replies, [[method, [{"id": "a", "kb_id": "k1"}]]])
    assert outcome["results"] == [0]
    ((action, source),) = bodies(asked, "/_bulk")
    assert action == {"index": {"_id": "a", "if_seq_no": 7, "if_primary_term": 1}}
    assert source["body"]["fields"] == {"id": "a", "kb_id": "k1"}


def test_all_shards_of_an_index_must_have_reached_the_operation(both):
    change = [["upsert", [{"id": "a", "kb_id": "k1"}]]]
    for told, count, written in (
        (checkpoints((9, 12), (7, 12)), 2, 0),
        (checkpoints((9, 12), (6, 6)), 2, 1),
        (checkpoints((3, 3), (2, 2)), 2, 0),
        (checkpoints((9, 9)), 2, 1),
    ):
        replies = {"/_stats/docs": [(200, told)], SHARDS: [(200, parts(count))], "/_bulk": [(200, WRITTEN)]}
        outcome, asked = both({"/_mget": stored(AS_IT_IS), **replies}, change)
        assert outcome["results"] == [0]
        assert len(bodies(asked, "/_bulk")) == written


def test_a_document_that_another_copy_shows_differently_is_written_again(both):
    """A copy showed an operation that only its node had: by now its number means another operation."""
    other = {**AS_IT_IS, "_primary_term": 2}
    conflict = {"items": [{"index": {"status": 409, "error": {"type": "version_conflict_engine_exception"}}}]}
    replies = {"/_mget": stored(AS_IT_IS, other), "/_bulk": [(200, conflict), (200, WRITTEN)]}
    outcome, asked = both(replies, [["upsert", [{"id": "a", "kb_id": "k1"}]]])
    assert outcome["results"] == [0]
    ((action, _),) = bodies(asked, "/_bulk")
    assert action["index"]["if_primary_term"] == 1
    assert len(bodies(asked, "/_stats/docs")) == 2


def test_a_document_is_removed_in_the_version_that_was_read(both):
    outcome, asked = both({"/_mget": stored(AS_IT_IS), "/_bulk": [(200, REMOVED)]}, [["delete", ["a", "a"]]])
    assert outcome["results"] == [1]
    assert bodies(asked, "/_bulk") == [[{"delete": {"_id": "a", "if_seq_no": 7, "if_primary_term": 1}}]]
    assert bodies(asked, "/_stats/docs") == []


def test_a_document_changed_meanwhile_by_another_writer_is_still_removed(both):
    replies = {"/_mget": stored(AS_IT_IS, document("a", 8)), "/_bulk": [(200, CONFLICT), (200, REMOVED)]}
    outcome, asked = both(replies, [["delete", ["a"]]])
    assert outcome["results"] == [1]
    assert [body[0]["delete"]["if_seq_no"] for body in bodies(asked, "/_bulk")] == [7, 8]
    outcome, asked = both({**replies, "/_mget": stored(AS_IT_IS, MISSING)}, [["delete", ["a"]]])
    assert outcome["results"] == [1]
    assert len(bodies(asked, "/_bulk")) == 1


def test_a_document_that_no_copy_has_is_skipped(both):
    outcome, asked = both({"/_mget": stored(MISSING)}, [["delete", ["a"]]])
    assert outcome["results"] == [0]
    assert bodies(asked, "/_bulk") == []


@pytest.mark.parametrize("told", [*UNCERTAIN, checkpoints((9, 12))])
def test_a_document_that_some_copy_may_have_is_removed(both, told):
    replies = {"/_mget": stored(MISSING), "/_stats/docs": [(200, told)], "/_bulk": [(200, NOT_THERE)]}
    outcome, asked = both(replies, [["delete", ["a"]]])
    assert outcome["results"] == [0]
    assert bodies(asked, "/_bulk") == [[{"delete": {"_id": "a"}}]]


STATE = "/_cluster/state/metadata/i"
THERE = {"type": "version_conflict_engine_exception", "reason": "there", "shard": "1"}


@pytest.mark.parametrize(
    ("found", "terms", "repeated"),
    [
        (AS_IT_IS, (200, {"0": 1, "1": 2}), True),  # its primary has failed meanwhile
        (AS_IT_IS, (403, FORBIDDEN), True),
        (AS_IT_IS, (200, {"0": 2, "1": 1}), False),
        (document("a", 7, kb_id="k2"), (200, {"0": 1, "1": 2}), False),
        (MISSING, (200, {"0": 1, "1": 2}), False),
    ],
)
def test_a_document_that_the_cluster_may_have_stored_by_itself_is_not_reported_as_a_duplicate(
    both, found, terms, repeated
):
    status, told = terms
    state = told if status == 403 else {"metadata": {"indices": {"i-000001": {"primary_terms": told}}}}
    conflict = {"items": [{"create": {"status": 409, "error": THERE}}]}
    replies = {"/_mget": stored(MISSING, found), "/_bulk": [(200, conflict)], STATE: [(status, state)]}
    outcome, _ = both(replies, [["insert", [{"id": "a", "kb_id": "k1"}]]])
    told = (
        "0 of 1 documents are stored; 1 were stored meanwhile, by another writer or in an attempt that the cluster "
        'repeated, "a" is the first'
    )
    before = 'documents[0].id "a" is already stored; use update or upsert'
    assert outcome["error"] == (["DocStoreError", told] if repeated else ["InvalidInputError", before])


@pytest.mark.parametrize("last", [429, 503])
def test_a_change_that_a_primary_may_have_started_has_an_unknown_outcome(both, last):
    gone = {"create": {"status": 503, "error": {"type": "unavailable_shards_exception", "reason": "Timeout: [5s]"}}}
    replies = [(200, {"items": [gone]}), (200, {"items": [gone if last == 503 else {"create": REFUSED}]})]
    outcome, asked = both({"/_mget": stored(MISSING), "/_bulk": replies}, [["insert", [{"id": "a"}]]])
    kind, told = outcome["error"]
    assert kind == "UnknownOutcomeError"
    assert told.endswith("; the outcome is unknown: what was to be written may be stored, or some of it")
    assert "attempts" in told
    assert len(bodies(asked, "/_bulk")) > 2
    assert not any("outcome is unknown" in line for line in outcome["log"])


def test_a_lost_node_does_not_count_as_a_refusal(both):
    lost = {"create": {"status": 500, "error": {"type": "node_disconnected_exception", "reason": "gone"}}}
    refused = {"create": {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no"}}}
    none = {"docs": [MISSING, {**MISSING, "_id": "b"}]}
    for items in ([lost, lost], [refused, lost]):
        replies = {"/_mget": [(200, none)], "/_bulk": [(200, {"items": items})]}
        outcome, asked = both(replies, [["insert", [{"id": "a"}, {"id": "b"}]]])
        assert outcome["error"][0] == "UnknownOutcomeError"
        assert 'refused the document "a"' in outcome["error"][1]
        assert len(bodies(asked, "/_bulk")) == 1


def test_a_batch_refused_as_a_whole_reports_that_nothing_is_written(both):
    none = {"docs": [MISSING, {**MISSING, "_id": "b"}]}
    replies = {"/_mget": [(200, none)], "/_bulk": [(413, error(413, "too_large", "no"))]}
    outcome, _ = both(replies, [["insert", [{"id": "a"}, {"id": "b"}]]])
    told = "OpenSearch at URL returned status 413: too_large: no; 0 of 2 documents are written"
    assert outcome["error"] == ["DocStoreError", told]


def test_a_cluster_gets_the_time_limit_of_its_caller(both):
    replies = {"/_mget": stored(MISSING), "/_bulk": [(200, {"items": [{"create": CREATED}]})]}
    _, asked = both(replies, [["insert", [{"id": "a"}]]], timeout=2.5)
    assert [target for _, target, _ in asked if "_bulk" in target] == [
        "/i/_bulk?refresh=true&timeout=2500ms&require_alias=true"
    ]


def test_ids_that_no_index_can_store_are_not_requested(both):
    outcome, asked = both({}, [["get", "x" * 513], ["delete", ["x" * 513, ""]]])
    assert outcome["results"] == [None, 0]
    assert bodies(asked, "/_mget") == []
