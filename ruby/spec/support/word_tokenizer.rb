# frozen_string_literal: true

# Tokens between blanks and a dictionary of two words: an example of a custom tokenizer (TXT-9).
class WordTokenizer
  def tokenize(text)
    text.split(/ +/).reject(&:empty?)
  end

  def fine_grained(token)
    token.split(/[_ ]/)
  end

  def frequency(term)
    { "known" => 4000, "rare" => 2 }.fetch(term, 0)
  end

  def tag(term)
    { "known" => "ns", "rare" => "-x" }.fetch(term, "")
  end

  def normalize(text)
    text.downcase
  end
end
