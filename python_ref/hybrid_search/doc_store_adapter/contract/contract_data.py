"""The documents and filters that the tests of every store use (DOC-5)."""

import functools
from typing import Any

DOCUMENTS: tuple[dict[str, Any], ...] = (
    {"id": "d1", "kb_id": "k1", "content_ltks": "solar panel power", "available_int": 1, "q_2_vec": [1.0, 0.0]},
    {"id": "d2", "kb_id": "k1", "content_ltks": "wind power", "important_kwd": ["wind"], "q_2_vec": [0.0, 1.0]},
    {"id": "d3", "kb_id": "k2", "content_ltks": "panel of solar experts", "available_int": 0, "q_2_vec": [0.6, 0.8]},
    {"id": "d4", "kb_id": "k2", "content_ltks": "bread and water", "page_num_int": 7},
    {"id": "d5", "kb_id": "k3", "content_ltks": "flour and water", "page_num_int": 3},
    {"id": "d6", "kb_id": "k3", "content_ltks": "salt", "content_with_weight": "Salt & more. Nothing else."},
)

ATTRIBUTES: tuple[dict[str, Any], ...] = (
    {"id": "a1", "metadata": {"lang": "zh", "year": 2019, "tag": ["x", "y"], "in": {"row": 7}}, "pagerank_fea": 2.0},
    {"id": "a2", "metadata": {"lang": "en", "year": 2024.0, "tag": []}, "available_int": 0},
    {"id": "a3", "metadata": {"lang": ["en", "zh"], "year": "2021", "when": "2024-05-01"}, "pagerank_fea": 0.5},
    {"id": "a4", "tag_feas": {"good": 3, "v1.2": 1}, "page_num_int": [1, 9]},
)
FILTERS: tuple[tuple[dict[str, Any], list[str]], ...] = (
    ({"metadata.lang": "zh"}, ["a1", "a3"]),
    ({"metadata.tag": ["y", "z"], "metadata.in.row": 7}, ["a1"]),
    ({"metadata.in.row.more": 7}, []),
    ({"tag_feas.v1.2": {"gte": 1}}, ["a4"]),
    ({"metadata.year": {"gte": 2019, "lt": 2024}}, ["a1"]),
    ({"metadata.year": {"gt": 2019}}, ["a2"]),
    ({"metadata.year": {"lte": "2022"}}, ["a3"]),
    ({"page_num_int": {"gt": 1, "lt": 9}}, []),
    ({"metadata.year": {"in": [2019, 2024], "gt": 2019}}, ["a2"]),
    ({"metadata.lang": {"eq": "en", "exists": True}}, ["a2", "a3"]),
    ({"metadata.tag": {"exists": True}}, ["a1"]),
    ({"metadata.tag": {"exists": False}}, ["a2", "a3", "a4"]),
    ({"pagerank_fea": {"lt": 100}}, ["a1", "a3"]),
    ({"not": {"pagerank_fea": {"lt": 1}}}, ["a1", "a2", "a4"]),
    ({"any": [{"id": "a4"}, {"available_int": 0}, {"metadata.lang": "zh", "pagerank_fea": 2}]}, ["a1", "a2", "a4"]),
    ({"metadata.when": {"starts_with": "2024"}}, ["a3"]),
    ({"metadata.lang": {"contains": "n"}, "metadata.year": {"ends_with": "21"}}, ["a3"]),
    ({"metadata.year": {"contains": "2"}}, ["a3"]),
    ({"metadata.lang": {"starts_with": "e", "ends_with": "h"}}, []),
    ({"any": []}, []),
    ({"all": [{"metadata.lang": "en"}, {"metadata.lang": "zh"}]}, ["a3"]),
    ({"id": {"gte": "a2", "lt": "a4"}, "not": {"must_not": {"exists": "metadata.when"}}}, ["a3"]),
)
WRONG_FILTERS: tuple[dict[str, Any], ...] = (
    {"kb_id": {"equals": 1}},
    {"kb_id": {}},
    {"kb_id": {"gt": float("nan")}},
    {"kb_id": {"lt": True}},
    {"any": {"kb_id": "k1"}},
    {"not": None},
    functools.reduce(lambda nested, _: {"not": nested}, range(16), {}),
    {"any": [{}] * 128},
)
