"""Makes the table of words and punctuation that the query builder uses (TW-6, QRY-2, QRY-3, QRY-6, RNK-2).

The lists are RAGFlow's (Apache-2.0, named in NOTICE), written down here once.
"""

from typing import Any


def build() -> dict[str, Any]:
    """The content of `data/words.json`."""
    return {
        "stop_words": STOP_WORDS,
        "leading_punctuation": LEADING_PUNCTUATION,
        "part_punctuation": PART_PUNCTUATION,
        "query_separators": QUERY_SEPARATORS,
        "question_words_chinese": QUESTION_WORDS_CHINESE,
        "question_words_english": QUESTION_WORDS_ENGLISH,
        "filler_words": FILLER_WORDS,
        "spacing_before_first": SPACING_BEFORE_FIRST,
        "spacing_after_second": SPACING_AFTER_SECOND,
    }


STOP_WORDS = [
    "请问", "您", "你", "我", "他", "是", "的", "就", "有", "于", "及", "即", "在", "为", "最", "从", "以", "了", "将",
    "与", "吗", "吧", "中", "#", "什么", "怎么", "哪个", "哪些", "啥", "相关",
]  # fmt: skip
LEADING_PUNCTUATION = "~—\t @#%!<>,.?\":;'{}[]_=()|，。？》•●○↓《；‘’：“”【¥ 】…￥！、·（）×`&\\/「」"
PART_PUNCTUATION = " ,./;'[]\\`~!@#$%^&*()=+_<>?:\"{}|，。；‘’【】、！￥……（）——《》？：“”-"
QUERY_SEPARATORS = " :|\r\n\t,，。？?/`!！&^%()[]{}<>*~'\"\\"
QUESTION_WORDS_CHINESE = [
    "怎么办", "什么样的", "哪家", "一下", "那家", "请问", "啥样", "咋样了", "什么时候",
    "何时", "何地", "何人", "是否", "是不是", "多少", "哪里", "怎么", "哪儿",
    "怎么样", "如何", "哪些", "是啥", "啥是", "啊", "吗", "呢", "吧",
    "咋", "什么", "有没有", "呀", "谁", "哪位", "哪个",
]  # fmt: skip
QUESTION_WORDS_ENGLISH = [
    "what", "who", "how", "which", "where", "why",
]  # fmt: skip
FILLER_WORDS = [
    "'s", "'re", "is", "are", "were", "was", "do", "does", "did", "don't", "doesn't", "didn't",
    "has", "have", "be", "there", "you", "me", "your", "my", "mine", "just", "please", "may", "i",
    "should", "would", "wouldn't", "will", "won't", "done", "go", "for", "with", "so", "the", "a",
    "an", "by", "i'm", "it's", "he's", "she's", "they", "they're", "you're", "as", "by", "on", "in",
    "at", "up", "out", "down", "of", "to", "or", "and", "if",
]  # fmt: skip
SPACING_BEFORE_FIRST = "a-z0-9.,)>"
SPACING_AFTER_SECOND = "a-z0-9.,(<"
