"""Chinese, English and identifiers: tokens, keywords with their parts, and what a question becomes."""

from hybrid_search import Index, KeywordExtractor, QueryBuilder, Tokenizer

question = "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改"

tokenizer = Tokenizer()
print("tokens:", " ".join(tokenizer.tokenize(question)))
print("fine:", " ".join(tokenizer.fine_grained("混合检索系统")))

keywords = KeywordExtractor().extract(question)
print("words:", " ".join(keywords.words))
print("parts:", " ".join(keywords.parts))

extractor = KeywordExtractor(stop_words=["规则"])
extractor.add_word("怎么修改")
print("own words:", " ".join(extractor.extract(question).words))

expression, words = QueryBuilder().build_text_query("赋值运算符 rule 6-2-1")
print("query:", expression.extra_options["original_query"], "|", " ".join(words))

index = Index()  # no embedding: the text decides alone
index.add(
    [
        # Tokens of the content are "6", "2" and "1"; a keyword stays whole.
        {"id": "6-2-1", "keywords": ["6-2-1"], "content": "Rule 6-2-1 不应在子表达式中使用赋值运算符"},
        {"id": "6-2-11", "keywords": ["6-2-11"], "content": "Rule 6-2-11 每行只写一条语句, one statement per line"},
        {"id": "0-1-9", "keywords": ["0-1-9"], "content": "Rule 0-1-9: there shall be no dead code, 不得有死代码"},
    ]
)
for asked in (question, "dead code", "死代码", "每行一条语句"):
    hit = index.search(asked)[0]
    print(asked, "->", hit.id, hit.score)
