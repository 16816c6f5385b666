from hybrid_search.query_builder import question_words


def test_one_pass_removes_the_first_of_two_neighbours() -> None:
    assert question_words.remove_question_words("what is the price of the") == " the price the"


def test_case_of_ascii_letters_only() -> None:
    assert question_words.remove_question_words("WHO ſo ") == " ſo "


def test_what_is_left_empty_stays() -> None:
    assert question_words.remove_question_words("是怎么办是") == "是怎么办是"
    assert question_words.remove_question_words("the ") == " "


def test_language() -> None:
    assert question_words.is_chinese("one two three")
    assert not question_words.is_chinese("one two three four")
    assert question_words.is_chinese("1 2 3 4 5 6 7 a b c")
    assert not question_words.is_chinese(" a b c")
