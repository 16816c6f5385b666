import numpy as np
import pytest

from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import EmbeddingError, InvalidInputError


def test_numpy_arrays_are_accepted_and_converted_to_floats():
    matrix = np.array([[0.1, 0.2], [0.3, 0.4]], dtype=np.float32)
    for answer in (matrix, list(matrix), [list(row) for row in matrix]):
        vectors = Embedding(lambda _texts, answer=answer: answer).encode(["a", "b"])
        assert vectors == [
            [float(np.float32(0.1)), float(np.float32(0.2))],
            [float(np.float32(0.3)), float(np.float32(0.4))],
        ]
        assert all(type(value) is float for vector in vectors for value in vector)


@pytest.mark.parametrize("answer", [np.float64(3.0), np.zeros((1, 2, 2)), np.array([["a", "b"]]), np.array(1.0), {1.0}])
def test_other_arrays_are_refused(answer):
    with pytest.raises(EmbeddingError):
        Embedding(lambda _texts: answer).encode(["a"])


class OfQueries:
    def __init__(self, answer):
        self.answer = answer

    def encode_queries(self, text):
        return self.answer


@pytest.mark.parametrize("answer", [np.array([[0.5, 2.0]]), [np.array([0.5, 2.0])], ((0.5, 2.0),)])
def test_the_vector_of_a_question_may_be_the_only_item_of_a_list(answer):
    assert Embedding(OfQueries(answer)).encode_queries("a") == [0.5, 2.0]
    assert Embedding(OfQueries(answer)).encode(["a", "b"]) == [[0.5, 2.0], [0.5, 2.0]]


def test_the_message_names_the_class_of_a_providers_error():
    vectors = {}
    with pytest.raises(EmbeddingError, match=r"^the embedding provider failed: KeyError: '男'$"):
        Embedding(lambda texts: [vectors[text] for text in texts]).encode(["男"])


def test_a_library_error_of_the_provider_is_preserved():
    def fail(_texts):
        raise InvalidInputError("of its own")

    with pytest.raises(InvalidInputError, match="of its own"):
        Embedding(fail).encode(["a"])


class Tensor:
    """The part of another library's tensor that the code uses."""

    def __init__(self, values):
        self._values = values

    def tolist(self):
        return self._values


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: (np.array([1.0, len(text)], dtype=np.float32) for text in texts),
        lambda texts: [Tensor([1, len(text)]) for text in texts],
        lambda texts: Tensor([[1, len(text)] for text in texts]),
        lambda texts: iter([(1, len(text)) for text in texts]),
    ],
)
def test_generators_and_arrays_of_third_party_libraries_are_accepted(answer):
    embedding = Embedding(answer)
    assert embedding.encode(["a", "bb"]) == [[1.0, 1.0], [1.0, 2.0]]
    assert embedding.encode_queries("ccc") == [1.0, 3.0]


def test_an_endless_generator_returns_too_many_vectors():
    def endless(texts):
        while True:
            yield [1.0, 2.0]

    with pytest.raises(EmbeddingError, match=r"^the embedding provider gave 3 vectors for 2 texts$"):
        Embedding(endless).encode(["a", "b"])


def test_a_failing_generator_is_a_failing_provider():
    def failing(texts):
        yield [1.0, 2.0]
        raise KeyError("b")

    with pytest.raises(EmbeddingError, match=r"^the embedding provider failed: KeyError: 'b'$"):
        Embedding(failing).encode(["a", "b"])


def test_hashed_vectors_have_norm_1_and_similar_texts_are_near():
    embedder = HashingEmbedder()

    def cosine(left, right):
        return np.dot(embedder.encode_queries(left), embedder.encode_queries(right))

    assert cosine("anything at all", "anything at all") == pytest.approx(1.0)
    near = cosine("how to configure the rule engine", "configuring rule engines")
    assert near > cosine("how to configure the rule engine", "annual report of the bank") + 0.2
    assert cosine("规则引擎如何配置", "配置规则引擎") > cosine("规则引擎如何配置", "银行年度报告") + 0.2
