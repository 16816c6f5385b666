from hybrid_search.query_builder import question_words


def test_one_pass_removes_the_first_of_two_adjacent_question_words() -> None:
    assert question_words.remove_question_words("what is the price of the") == " the price the"


def test_only_the_case_of_ascii_letters_is_ignored() -> None:
    assert question_words.remove_question_words("WHO ſo ") == " ſo "


def test_a_text_of_only_question_words_stays_unchanged() -> None:
    assert question_words.remove_question_words("是怎么办是") == "是怎么办是"
    assert question_words.remove_question_words("the ") == " "


def test_the_language_of_a_question_is_detected() -> None:
    assert question_words.is_chinese("one two three")
    assert not question_words.is_chinese("one two three four")
    assert question_words.is_chinese("1 2 3 4 5 6 7 a b c")
    assert not question_words.is_chinese(" a b c")
