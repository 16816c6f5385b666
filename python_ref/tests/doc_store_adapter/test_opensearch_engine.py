"""The requests in which OpenSearch and Elasticsearch differ, in both languages, without a server (OS-7)."""

import pytest

from python_ref.tests.doc_store_adapter.opensearch_fake import bodies, description, hits

DONE = {"acknowledged": True, "shards_acknowledged": True}
NEAR = {"field": "q_2_vec", "vector": [1.0, 0.5], "topn": 7}
INSERT = [["insert", [{"id": "a", "q_2_vec": [1.0, 0.5], "content_ltks": "solar"}]]]
WRITTEN = {
    "/_mget": [(200, {"docs": [{"_id": "a", "found": False}]})],
    "/_bulk": [(200, {"items": [{"create": {"status": 201, "result": "created"}}]})],
}
MISSING = {"/i": [(404, {}), (200, description())], "/i-000001": [(200, DONE)]}


def root(version):
    """The response of an Elasticsearch node to `GET /`."""
    return {"/": [(200, {"version": {"number": version, "build_flavor": "default"}})]}


def sorted_hits(*sorts):
    """A response whose hits have more sort values than were requested."""
    answer = hits(*[(1.0, "x")] * len(sorts))
    for hit, values in zip(answer["hits"]["hits"], sorts, strict=True):
        hit["sort"] = list(values)
    return answer


@pytest.mark.parametrize(
    ("version", "stored"),
    [
        ("8.4.0", {}),
        ("9.1.9", {}),
        ("9.2.0", {"exclude_source_vectors": False}),
        ("10.0.1", {"exclude_source_vectors": False}),
    ],
)
def test_an_elasticsearch_index_has_no_settings_of_opensearch(both, version, stored):
    outcome, asked = both({**root(version), **MISSING}, [])
    assert outcome == {"results": [], "error": None, "log": []}
    ((made,),) = bodies(asked, "/i-000001")
    assert made["settings"]["index"] == {
        "number_of_shards": 1,
        "number_of_replicas": 1,
        "mapping": {"total_fields": {"limit": 10_000}, **stored},
        "similarity": {"bag": {"type": "BM25", "k1": 2.4, "b": 0.4}},
    }
    assert bodies(asked, "/_cluster/settings") == []


def test_elasticsearch_stores_dense_vectors_with_a_graph_of_unquantized_floats(both):
    _, asked = both({**root("8.17.0"), **WRITTEN}, INSERT)
    ((mapped,),) = bodies(asked, "/_mapping")
    graph = {"index": True, "similarity": "cosine", "index_options": {"type": "hnsw", "m": 16, "ef_construction": 100}}
    assert mapped["properties"]["v_2"] == {"type": "dense_vector", "dims": 2, **graph}


def test_neighbours_are_found_by_the_knn_query_of_elasticsearch(both):
    fields = description()
    fields["i-000001"]["mappings"]["properties"] = {"v_2": {"type": "dense_vector"}}
    replies = {**root("8.17.0"), "/_mapping": [(200, fields)], "/_search": [(200, hits((0.9, "a")))]}
    outcome, asked = both(replies, [["rank", [NEAR]]])
    assert outcome["results"] == [[["a", pytest.approx(0.8)]]]
    ((body,),) = bodies(asked, "/_search")
    asked_for = {"field": "v_2", "query_vector": [1.0, 0.5], "k": 7, "num_candidates": 7}
    assert body["knn"] == {**asked_for, "filter": body["knn"]["filter"]}
    assert body["query"]["constant_score"]["boost"] == 0.5


def test_a_search_for_neighbours_alone_needs_no_query(both):
    near = {**NEAR, "similarity": 0.5}
    _, asked = both({**root("8.17.0"), "/_search": [(200, hits((0.9, "a")))]}, [["rank", [near]]])
    ((body,),) = bodies(asked, "/_search")
    assert "query" not in body
    assert body["knn"]["k"] == 7


def test_a_search_without_neighbours_is_the_same_for_both_engines(both):
    text = {"fields": [["content_ltks", 1.0]], "tree": ["any", "solar", "wind"], "topn": 7}
    sent = [
        bodies(both({**engine, "/_search": [(200, hits())]}, [["rank", [text]]])[1], "/_search")
        for engine in ({}, root("9.0.0"))
    ]
    assert sent[0] == sent[1]


def test_an_exact_search_compares_all_vectors_by_a_script_of_elasticsearch(both):
    replies = {**root("8.17.0"), "/_search": [(200, hits((0.9, "a")))]}
    _, asked = both(replies, [["rank", [NEAR]]], dense="exact")
    ((body,),) = bodies(asked, "/_search")
    script = body["query"]["bool"]["should"][0]["script_score"]["script"]
    assert script == {
        "source": "(1.0 + cosineSimilarity(params.vector, params.field)) / 2.0",
        "params": {"field": "v_2", "vector": [1.0, 0.5]},
    }


def test_a_point_in_time_of_elasticsearch_adds_a_number_to_sort_values(both):
    found = sorted_hits(["a", 4], ["b", 5])
    replies = {**root("8.17.0"), "/_pit": [(200, {"id": "p"})], "/_search": [(200, found)]}
    outcome, asked = both(replies, [["search", {"limit": 20_000}]])
    assert outcome["error"] is not None  # the fake does not return the documents
    assert [target for _, target, _ in asked if "pit" in target] == ["/i/_pit?keep_alive=2m", "/_pit"]
    assert [(method, body) for method, target, body in asked if target == "/_pit"] == [("DELETE", [{"id": "p"}])]
    ((wanted,),) = bodies(asked, "/_mget")
    assert [one["_id"] for one in wanted["docs"]] == ["a", "b"]


@pytest.mark.parametrize("version", ["7.17.9", "8.3.9", "1.0", "", None, "x.y"])
def test_a_version_without_the_query_is_refused(both, version):
    outcome, _ = both({"/": [(200, {"version": {"number": version}})]}, [])
    shown = "null" if version is None else f'"{version}"'
    told = f"an OpenSearchDocStore needs OpenSearch 2, or Elasticsearch 8.4 or later, not {shown}"
    assert outcome["error"] == ["DocStoreError", told]


@pytest.mark.parametrize(
    "reply", [(403, {"error": "denied"}), (404, {}), (405, {}), (200, {}), (200, {"version": "2"})]
)
def test_a_node_that_does_not_state_its_version_is_taken_for_opensearch(both, reply):
    _, asked = both({"/": [reply], **WRITTEN}, INSERT)
    ((mapped,),) = bodies(asked, "/_mapping")
    assert mapped["properties"]["v_2"]["type"] == "knn_vector"


@pytest.mark.parametrize(("product", "most"), [("OpenSearch", 16_000), ("Elasticsearch", 4_096)])
@pytest.mark.parametrize("over", [0, 1])
def test_vectors_may_have_as_many_components_as_the_engine_accepts(both, product, most, over):
    long = [["insert", [{"id": "a", f"q_{most + over}_vec": [1.0] * (most + over)}]]]
    outcome, _ = both({**(root("9.1.0") if product == "Elasticsearch" else {}), **WRITTEN}, long)
    told = f"documents[0].q_{most + over}_vec must have at most {most} components in {product}"
    assert outcome["error"] == (["InvalidInputError", told] if over else None)


def test_messages_name_the_engine(both):
    outcome, _ = both({**root("9.1.0"), "/_search": [(400, {"error": "no"})]}, [["count"]])
    assert outcome["error"] == ["DocStoreError", 'Elasticsearch at URL returned status 400: "no"']
