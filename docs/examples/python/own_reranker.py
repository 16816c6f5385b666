"""A rerank model of your own: any object with `similarity(query, texts)`, or a function; and what a failure does."""

from hybrid_search import Index


class SharedLetters:
    """The share of a question's letters that a text has; put your model here."""

    def similarity(self, query, texts):
        """One finite number for each text, in their order."""
        wanted = set(query)
        return [len(wanted & set(text)) / len(wanted) for text in texts]


def broken(query, texts):
    """Fails, as services do."""
    raise RuntimeError(f"no answer about {len(texts)} texts")


index = Index()
index.add(
    [
        {"id": "a", "content": "assignment in a condition, 条件中的赋值"},
        {"id": "b", "content": "assignment operator in a sub-expression, 子表达式中的赋值运算符"},
        {"id": "c", "content": "one statement per line, 每行一条语句"},
    ]
)
question = "assignment operator 赋值运算符"
for name, model in (("no model", None), ("a model", SharedLetters()), ("a broken model", broken)):
    result = index.search(question, rerank_model=model)
    print(name)
    for hit in result:
        print(" ", hit.id, hit.score)
    for warning in result.warnings:
        print("  warning:", warning)
