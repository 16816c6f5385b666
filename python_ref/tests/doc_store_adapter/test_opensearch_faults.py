"""Faults of a cluster: partial results, 429, lost connections; both languages report and request the same."""

import json

import pytest

from python_ref.tests.doc_store_adapter.opensearch_fake import CUT, bodies, description, document, error, hits

SOLAR = {"fields": [["content_ltks", 2.0], ["important_kwd", 30.0]], "tree": ["any", "solar", "wind"], "topn": 9}
NEAR = {"field": "q_2_vec", "vector": [1.0, 0.0], "topn": 9}
FUSED = {"method": "weighted_sum", "topn": 9}
HALF = {"total": 2, "successful": 1, "skipped": 0, "failed": 0}
NONE = {"docs": [{"_id": "a", "found": False}]}
BOTH = {"docs": [{"_id": "a", "found": False}, {"_id": "b", "found": False}]}
BUSY = error(429, "rejected_execution_exception", "queue is full")
WRITTEN = {"status": 201, "result": "created"}
REFUSED = {"status": 429, "error": {"type": "rejected_execution_exception", "reason": "queue is full"}}
INSERT = [["insert", [{"id": "a", "content_ltks": "solar", "q_2_vec": [1.0, 0.0]}]]]
INSERT_TWO = [["insert", [{"id": "a"}, {"id": "b"}]]]
RANK = [["rank", [SOLAR]]]
FOUND = [["a", 1.5]]


def test_a_partial_result_is_requested_again(both):
    part, whole = hits((1.0, "a"), shards=HALF), hits((1.5, "a"))
    outcome, asked = both({"/_search": [(200, part), (200, whole)]}, RANK)
    assert outcome["results"] == [FOUND]
    assert outcome["log"] == []
    assert len(bodies(asked, "/_search")) == 2


def test_a_repeated_partial_result_is_an_error(both):
    outcome, _ = both({"/_search": [(200, hits((1.0, "a"), shards=HALF))]}, RANK)
    assert outcome["error"] == ["DocStoreError", "OpenSearch at URL gave a part of the answer: 1 of 2 shards"]


def test_a_partial_result_is_accepted_with_a_warning_on_request(both):
    outcome, _ = both({"/_search": [(200, hits((1.5, "a"), shards=HALF))]}, RANK, partial_answers="warning")
    assert outcome["results"] == [FOUND]
    assert outcome["log"] == ["OpenSearch at URL gave a part of the answer: 1 of 2 shards"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (hits((1.0, "a"), timed_out=True), "it was cut short by a timeout"),
        (hits(shards={"total": 2, "successful": 2, "failed": 1}), "2 of 2 shards"),
        ({"hits": {"hits": []}}, "it does not tell its shards"),
    ],
)
def test_no_result_is_silently_incomplete(both, answer, told):
    outcome, _ = both({"/_search": [(200, answer)]}, RANK)
    assert outcome["error"] == ["DocStoreError", f"OpenSearch at URL gave a part of the answer: {told}"]


def test_one_incomplete_leg_of_two_is_requested_again(both):
    short = {"responses": [hits((1.5, "a")), hits((0.9, "b"), shards=HALF)]}
    whole = {"responses": [hits((1.5, "a")), hits((0.9, "b"))]}
    outcome, asked = both({"/_msearch": [(200, short), (200, whole)]}, [["rank", [SOLAR, NEAR, FUSED]]])
    assert outcome["results"] == [[["b", 0.76], ["a", 0.05]]]
    assert len(bodies(asked, "/_msearch")) == 2


def test_a_busy_cluster_is_retried_after_pauses(both):
    outcome, asked = both({"/_search": [(429, BUSY), (429, BUSY), (200, hits((1.5, "a")))]}, RANK)
    assert outcome["results"] == [FOUND]
    told = "OpenSearch at URL returned status 429: rejected_execution_exception: queue is full"
    assert outcome["log"] == [
        f"{told}; attempt 2 follows in 0.1 seconds",
        f"{told}; attempt 3 follows in 0.1 seconds",
    ]
    assert len(bodies(asked, "/_search")) == 3


def test_pauses_between_retries_grow(both):
    outcome, _ = both({"/_search": [*[(429, BUSY)] * 8, (200, hits((1.5, "a")))]}, [*RANK], timeout=60.0)
    pauses = [float(line.rpartition(" in ")[2].split(" ")[0]) for line in outcome["log"]]
    assert pauses == [0.1, 0.1, 0.2, 0.4, 0.8, 1.6, 2.5, 2.5]


def test_a_busy_leg_is_retried(both):
    busy = {"responses": [hits((1.5, "a")), BUSY]}
    whole = {"responses": [hits((1.5, "a")), hits((0.9, "b"))]}
    outcome, _ = both({"/_msearch": [(200, busy), (200, whole)]}, [["rank", [SOLAR, NEAR, FUSED]]])
    assert outcome["error"] is None


def test_a_cluster_that_stays_busy_is_an_error(both):
    outcome, asked = both({"/_search": [(429, BUSY)]}, RANK)
    kind, told = outcome["error"]
    assert kind == "DocStoreError"
    assert told.startswith("OpenSearch at URL returned status 429: rejected_execution_exception: queue is full, after ")
    assert 5 < len(bodies(asked, "/_search")) < 20


def test_a_refused_search_is_an_error_at_once(both):
    refusal = error(400, "search_phase_execution_exception", "all shards failed")
    outcome, asked = both({"/_search": [(400, refusal)]}, RANK)
    told = "OpenSearch at URL returned status 400: search_phase_execution_exception: all shards failed"
    assert outcome["error"] == ["DocStoreError", told]
    assert len(bodies(asked, "/_search")) == 1


def test_a_read_is_retried_if_its_connection_is_cut(both):
    outcome, _ = both({"/_search": [CUT, (503, {}), (200, hits((1.5, "a")))]}, RANK)
    assert outcome["results"] == [FOUND]


GONE = {"type": "node_not_connected_exception", "reason": "[data-2] Node not connected"}


@pytest.mark.parametrize(
    "reply",
    [
        {"error": GONE, "status": 500},
        {"error": {"type": "exception", "reason": "", "root_cause": [GONE]}, "status": 500},
        {"error": {"type": "search_phase_execution_exception", "failed_shards": [{"reason": GONE}]}, "status": 500},
    ],
)
def test_a_read_from_an_unavailable_node_is_retried(both, reply):
    outcome, asked = both({"/_search": [(500, reply), (200, hits((1.5, "a")))]}, RANK)
    assert outcome["results"] == [FOUND]
    assert outcome["log"][0].endswith("[data-2] Node not connected; attempt 2 follows in 0.1 seconds")
    assert len(bodies(asked, "/_search")) == 2


def test_one_search_of_two_on_an_unavailable_node_is_retried(both):
    away = {"responses": [hits((1.5, "a")), {"error": GONE, "status": 500}]}
    whole = {"responses": [hits((1.5, "a")), hits((0.9, "b"))]}
    outcome, asked = both({"/_msearch": [(200, away), (200, whole)]}, [["rank", [SOLAR, NEAR, FUSED]]])
    assert outcome["results"] == [[["b", 0.76], ["a", 0.05]]]
    assert len(bodies(asked, "/_msearch")) == 2


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (CUT, "cannot be reached, or cut the connection"),
        ((503, error(503, "unavailable", "no master")), "returned status 503: unavailable: no master"),
        ((500, error(500, "disconnected", "gone")), "returned status 500: disconnected: gone"),
        (
            (500, {"error": GONE, "status": 500}),
            "returned status 500: node_not_connected_exception: [data-2] Node not connected",
        ),
        ((200, "<html>"), "returned invalid JSON"),
    ],
)
def test_a_write_of_unknown_outcome_is_reported_and_not_sent_again(both, reply, told):
    outcome, asked = both({"/_mget": [(200, NONE)], "/_bulk": [reply]}, INSERT)
    unknown = "the outcome is unknown: what was to be written may be stored, or some of it"
    assert outcome["error"] == ["UnknownOutcomeError", f"OpenSearch at URL {told}; {unknown}"]
    assert len(bodies(asked, "/_bulk")) == 1


def test_only_refused_documents_are_sent_again(both):
    replies = [(200, {"items": [{"create": WRITTEN}, {"create": REFUSED}]}), (200, {"items": [{"create": WRITTEN}]})]
    outcome, asked = both({"/_mget": [(200, BOTH)], "/_bulk": replies}, INSERT_TWO)
    assert outcome["results"] == [2]
    assert [line.get("create", {}).get("_id") for line in bodies(asked, "/_bulk")[1]] == ["b", None]


def test_a_cluster_that_stays_busy_reports_what_is_written(both):
    replies = [
        (200, {"items": [{"create": WRITTEN}, {"create": REFUSED}]}),
        (200, {"items": [{"create": REFUSED}]}),
    ]
    outcome, _ = both({"/_mget": [(200, BOTH)], "/_bulk": replies}, INSERT_TWO)
    kind, told = outcome["error"]
    assert kind == "DocStoreError"
    assert "rejected_execution_exception: queue is full; 1 of 2 documents are written, after" in told


def test_a_refused_document_is_named(both):
    refusal = {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no"}}
    replies = [(200, {"items": [{"create": WRITTEN}, {"create": refusal}]})]
    outcome, _ = both({"/_mget": [(200, BOTH)], "/_bulk": replies}, INSERT_TWO)
    told = 'OpenSearch at URL refused the document "b": mapper_parsing_exception: no; 1 of 2 documents are written'
    assert outcome["error"] == ["DocStoreError", told]
    replies = [(200, {"items": [{"create": refusal}, {"create": WRITTEN}]})]
    outcome, _ = both({"/_mget": [(200, BOTH)], "/_bulk": replies}, INSERT_TWO)
    assert outcome["error"] == ["DocStoreError", told.replace('"b"', '"a"')]


def test_documents_stored_meanwhile_by_another_writer_are_not_overwritten(both):
    conflict = {"create": {"status": 409, "error": {"type": "version_conflict_engine_exception", "reason": "there"}}}
    theirs = {"docs": [document("a", 3, content_ltks="wind")]}
    outcome, asked = both({"/_mget": [(200, NONE), (200, theirs)], "/_bulk": [(200, {"items": [conflict]})]}, INSERT)
    told = 'documents[0].id "a" is already stored; use update or upsert'
    assert outcome["error"] == ["InvalidInputError", told]
    assert "create" in bodies(asked, "/_bulk")[0][0]
    outcome, _ = both(
        {"/_mget": [(200, BOTH)], "/_bulk": [(200, {"items": [{"create": WRITTEN}, conflict]})]}, INSERT_TWO
    )
    told = (
        "1 of 2 documents are stored; 1 were stored meanwhile, by another writer or in an attempt that the cluster "
        'repeated, "b" is the first'
    )
    assert outcome["error"] == ["DocStoreError", told]


def test_a_change_that_conflicts_with_another_writer_is_retried(both):
    conflict = {"index": {"status": 409, "error": {"type": "version_conflict_engine_exception", "reason": "newer"}}}
    first, second = document("a", 3, kb_id="k1"), document("a", 7, kb_id="k2", doc_id="d")
    replies = {
        "/_mget": [(200, {"docs": [first]}), (200, {"docs": [second]})],
        "/_bulk": [(200, {"items": [conflict]}), (200, {"items": [{"index": {"status": 200}}]})],
    }
    outcome, asked = both(replies, [["update", [{"id": "a", "kb_id": "k3"}]]])
    assert outcome["results"] == [1]
    one, other = bodies(asked, "/_bulk")
    assert one[0] == {"index": {"_id": "a", "if_seq_no": 3, "if_primary_term": 1}}
    assert other[0] == {"index": {"_id": "a", "if_seq_no": 7, "if_primary_term": 1}}
    assert other[1]["body"]["fields"] == {"id": "a", "kb_id": "k3", "doc_id": "d"}


@pytest.mark.parametrize(("method", "given"), [("upsert", {"kb_id": "k3"}), ("update", {"kb_id": "k3"})])
def test_a_change_that_the_cluster_carried_out_twice_is_counted_once(both, method, given):
    conflict = {"index": {"status": 409, "error": {"type": "version_conflict_engine_exception", "reason": "newer"}}}
    stored, later = [document("a", 3, kb_id="k1"), document("b", 4, kb_id="k3")], document("a", 7, kb_id="k3")
    replies = {
        "/_mget": [(200, {"docs": stored}), *((200, {"docs": [one]}) for one in (stored[1], later, later))],
        "/_bulk": [(200, {"items": [conflict]})],
    }
    outcome, asked = both(replies, [[method, [{"id": "a", **given}, {"id": "b", **given}]]])
    assert outcome["results"] == [1]
    assert len(bodies(asked, "/_bulk")) == 1


def test_a_blocked_index_is_waited_for(both):
    blocked = {"create": {"status": 403, "error": {"type": "cluster_block_exception", "reason": "blocked"}}}
    replies = [(200, {"items": [blocked]}), (200, {"items": [{"create": WRITTEN}]})]
    outcome, _ = both({"/_mget": [(200, NONE)], "/_bulk": replies}, INSERT)
    assert outcome["results"] == [1]


def test_documents_that_are_not_returned_are_requested_again(both):
    failed = {"docs": [{"_id": "a", "error": {"type": "no_shard_available_action_exception", "reason": "gone"}}]}
    whole = {"docs": [document("a", 1, kb_id="k1")]}
    outcome, _ = both({"/_mget": [(200, failed), (200, whole)]}, [["get", "a"]])
    assert outcome["results"] == [{"id": "a", "kb_id": "k1"}]
    outcome, _ = both({"/_mget": [(200, failed)]}, [["get", "a"]])
    assert "could not give all documents: no_shard_available_action_exception: gone, after" in outcome["error"][1]


def test_a_document_in_an_unknown_format_is_an_error(both):
    broken = {"docs": [{**document("a", 1), "_source": {"body": "[]"}}]}
    outcome, _ = both({"/_mget": [(200, broken)]}, [["get", "a"]])
    told = 'the document "a" of the index is not as this library writes it'
    assert outcome["error"] == ["DocStoreError", told]


@pytest.mark.parametrize(
    ("meta", "told"),
    [
        ({}, "was not made by this library"),
        (
            {"hybrid_search": {"schema": 5}},
            "has the layout 5, and this version of the library reads 4; index its records again",
        ),
    ],
)
def test_an_index_of_another_layout_is_refused(both, meta, told):
    outcome, _ = both({"/i": [(200, description(meta))]}, [])
    told = f'the index "i-000001" {told}; ragflow_index reads one that RAGFlow made'
    assert outcome["error"] == ["DocStoreError", told]


def test_an_index_made_by_ragflow_is_read_only(both):
    for step in (["insert", [{"id": "a"}]], ["delete", ["a"]], ["keep_vector_model", "q_2_vec", "m"], ["reindex"]):
        outcome, asked = both({}, [step], ragflow=True)
        assert outcome["error"] == ["DocStoreError", "an index that RAGFlow made can only be read"]
        assert {method for method, _, _ in asked} == {"GET"}
    for filters in ({"metadata.x": 1}, {"content_ltks": "x"}, {"a*_kwd": "x"}, {"title": {"exists": True}}):
        outcome, asked = both({}, [["rank", [], filters]], ragflow=True)
        assert outcome["error"][0] == "DocStoreError"
        assert bodies(asked, "/_search") == []


def test_a_new_index_names_its_engine_and_has_a_replica(both):
    replies = {
        "/i": [(404, {}), (200, description())],
        "/i-000001": [(200, {"acknowledged": True})],
        "/_cluster/settings": [(200, {}), (403, error(403, "security_exception", "no permissions"))],
    }
    outcome, asked = both(replies, [])
    assert outcome["error"] is None
    assert (
        "no permissions; the clauses of the lowest boosts of long questions are left out instead" in outcome["log"][0]
    )
    (made,) = bodies(asked, "/i-000001")[0]
    assert made["aliases"] == {"i": {}}
    assert made["settings"]["index"]["number_of_replicas"] == 1
    assert made["mappings"]["dynamic"] == "strict"
    outcome, asked = both({"/_mget": [(200, NONE)], "/_bulk": [(200, {"items": [{"create": WRITTEN}]})]}, INSERT)
    (field,) = [body[0]["properties"]["v_2"] for body in bodies(asked, "/_mapping") if body]
    assert field["method"] == {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}


def test_an_error_without_a_reason_is_reported_by_its_type(both):
    outcome, _ = both({"/_search": [(500, error(500, "time_exceeded_exception", None))]}, RANK)
    assert outcome["error"] == ["DocStoreError", "OpenSearch at URL returned status 500: time_exceeded_exception"]


def test_cosines_below_the_minimum_similarity_are_omitted(both):
    near = {"/_search": [(200, hits((0.75, "a"), (0.7499999, "b"), (0.74, "c")))]}
    outcome, _ = both(near, [["rank", [{**NEAR, "similarity": 0.5}]]])
    assert [identifier for identifier, _ in outcome["results"][0]] == ["a", "b"]


def test_a_zero_vector_is_equally_far_from_all_vectors(both):
    _, asked = both({"/_search": [(200, hits())]}, [["rank", [{**NEAR, "vector": [0.0, 0.0]}]]])
    assert '"should": [{"exists": {"field": "v_2"}}, {"term": {"zero": "q_2_vec"}}]' in str(json.dumps(asked))


def test_documents_removed_after_they_were_found_are_replaced_by_others(both):
    replies = {
        "/_search": [(200, hits((2.0, "a"), (1.0, "b")))],
        "/_mget": [(200, NONE), (200, {"docs": [document("b", 1, kb_id="k")]})],
    }
    outcome, _ = both(replies, [["search", {"match_exprs": [SOLAR], "limit": 1}]])
    assert outcome["results"] == [[1, ["b"], {"b": {"id": "b", "kb_id": "k"}}]]


@pytest.mark.parametrize("refresh", ["true", "wait_for", "false"])
def test_an_option_states_when_written_documents_become_searchable(both, refresh):
    replies = {"/_mget": [(200, NONE)], "/_bulk": [(200, {"items": [{"create": WRITTEN}]})]}
    _, asked = both(replies, INSERT, refresh=refresh)
    (target,) = [target for _, target, _ in asked if "_bulk" in target]
    assert f"refresh={refresh}&" in target


DEEP = {**SOLAR, "topn": 10_002}
FAR = [(2.0, f"{place:05}") for place in range(10_000)]
POINT = {"/_search/point_in_time": [(200, {"pit_id": "p"})]}


def test_more_hits_than_an_engine_returns_at_once_are_read_at_one_point_in_time(both):
    pages = [(200, hits(*FAR)), (200, hits((1.0, "x"), (0.5, "y"), (0.25, "z")))]
    outcome, asked = both({**POINT, "/_search": pages}, [["rank", [DEEP]]])
    (found,) = outcome["results"]
    assert len(found) == 10_002
    assert found[-2:] == [["x", 1.0], ["y", 0.5]]
    (first,), (second,) = bodies(asked, "/_search")
    assert first["pit"]["id"] == second["pit"]["id"] == "p"
    assert "search_after" not in first
    assert second["search_after"] == [2.0, "09999"]
    assert asked[-1] == ("DELETE", "/_search/point_in_time", [{"pit_id": ["p"]}])


def test_an_incomplete_walk_is_an_error_and_its_point_in_time_is_closed(both):
    pages = [(200, hits(*FAR)), (200, hits((1.0, "x"), shards=HALF))]
    outcome, asked = both({**POINT, "/_search": pages}, [["rank", [DEEP]]])
    assert outcome["error"] == ["DocStoreError", "OpenSearch at URL gave a part of the answer: 1 of 2 shards"]
    assert asked[-1] == ("DELETE", "/_search/point_in_time", [{"pit_id": ["p"]}])


def test_a_new_index_raises_the_clause_limit_of_the_cluster(both):
    replies = {
        "/i": [(404, {}), (200, description())],
        "/i-000001": [(200, {"acknowledged": True})],
        "/_cluster/settings": [(200, {"defaults": {"indices.query.bool.max_clause_count": "1024"}}), (200, {})],
    }
    _, asked = both(replies, [], max_clauses=5_000)
    (raised,) = [body for method, target, body in asked if method == "PUT" and target == "/_cluster/settings"]
    assert raised == [{"persistent": {"indices.query.bool.max_clause_count": 5_000}}]


def test_clauses_beyond_the_limit_are_omitted_with_a_warning(both):
    many = ["any", *(["boost", f"w{place}", float(place)] for place in range(12))]
    text = {"fields": [["content_ltks", 1.0], ["title_tks", 1.0]], "tree": many, "topn": 9}
    outcome, asked = both({"/_search": [(200, hits())]}, [["rank", [text]]], max_clauses=10)
    assert outcome["log"] == [
        "a text query has 12 clauses in 2 fields, more than the engine takes: 7 with the lowest boosts are left out"
    ]
    written = json.dumps(bodies(asked, "/_search")[0])
    assert [place for place in range(12) if f'"w{place}"' in written] == [7, 8, 9, 10, 11]
