# frozen_string_literal: true

require "set"

module HybridSearch
  # Builds text queries as RAGFlow does (QRY-1 … QRY-11).
  class QueryBuilder
    include Base::ShortInspect

    Tree = AdapterKit::Tree
    private_constant :Tree

    # The fields and boosts of a query (QRY-1).
    QUERY_FIELDS = [
      ["title_tks", 10.0].freeze,
      ["title_sm_tks", 5.0].freeze,
      ["important_kwd", 30.0].freeze,
      ["important_tks", 20.0].freeze,
      ["question_tks", 20.0].freeze,
      ["content_ltks", 2.0].freeze,
      ["content_sm_ltks", 1.0].freeze
    ].freeze

    # The fields and weights of a bag of tokens (QRY-11).
    BM25F_FIELDS = [
      ["title_tks", 3.0].freeze, ["important_tks", 3.0].freeze, ["question_tks", 3.0].freeze,
      ["content_ltks", 1.0].freeze,
      ["title_id_tks", 1.5].freeze, ["important_id_tks", 1.5].freeze, ["question_id_tks", 1.5].freeze,
      ["content_id_ltks", 0.5].freeze
    ].freeze
    # The number of times that a token of the question counts if it has synonyms, which count once (QRY-11).
    SYNONYM_SHARE = 4

    TOPN = 100
    MAX_QUESTION_LENGTH = 65_536
    MOST_CLAUSES_REQUIRED = 3
    CLAUSES_PER_REQUIRED = 10.0

    # @return [Tokenizer]
    attr_reader :tokenizer
    # @return [TermWeight]
    attr_reader :term_weight
    # @return [Synonyms]
    attr_reader :synonyms
    # @return [Array<Array(String, Float)>] the fields that queries search, with their boosts
    attr_reader :fields
    # @return [Array<Array(String, Float)>] the fields in which bags of tokens are searched, with their weights
    attr_reader :bm25f_fields
    # @return [Integer, nil] the maximum number of code points in a question; nil: no limit
    attr_reader :max_question_length

    # @param tokenizer [#tokenize, #call, nil] makes the tokens, or a function that cuts a text into words; default: the
    #   tokenizer of `term_weight`, or a {Tokenizer}
    # @param term_weight [TermWeight, nil] weighs the tokens; default: a {TermWeight} of that tokenizer
    # @param synonyms [Synonyms, Hash, nil] looks up synonyms, or a table word → word or list of words; default: no
    #   synonyms
    # @param fields [Hash{String=>Float}, nil] field → boost, at least 0: the fields that queries search instead of
    #   {QUERY_FIELDS} and {BM25F_FIELDS}
    # @param max_question_length [Integer, nil] the maximum number of code points in a question, 1 or more; nil: no
    #   limit
    # @raise [InvalidInputError] an unknown option, an argument without the methods that are called (ERR-3), fields that
    #   do not map names to boosts, or a length below 1
    def initialize(tokenizer: nil, term_weight: nil, synonyms: nil, fields: nil,
                   max_question_length: MAX_QUESTION_LENGTH, **unknown)
      Base::Validation.known("option", unknown.keys, %w[tokenizer term_weight synonyms fields max_question_length])
      @max_question_length =
        max_question_length.nil? ? nil : Base::Validation.integer("max_question_length", max_question_length, 1)
      @fields = fields.nil? ? QUERY_FIELDS : QueryBuilders::Parts.boosts(fields).each(&:freeze).freeze
      @bm25f_fields = fields.nil? ? BM25F_FIELDS : @fields
      tokenizer = Text::FunctionTokenizer.accept("tokenizer", tokenizer) unless tokenizer.nil?
      @term_weight = weigher(term_weight, tokenizer)
      @tokenizer = tokenizer.nil? ? @term_weight.tokenizer : tokenizer
      @synonyms = QueryBuilders::Parts.synonyms(synonyms)
      @widens = !synonyms.nil?
      @identifiers = Text::IdentifierTokens.new(@tokenizer)
      @tokens = tokens_of(@tokenizer)
      @token_similarity = QueryBuilders::TokenSimilarity.new(@term_weight)
      @english = QueryBuilders::EnglishQuery.new(@tokenizer, @term_weight, @synonyms)
      @chinese = QueryBuilders::ChineseQuery.new(@tokenizer, @term_weight, @synonyms)
      freeze
    end

    # Return the text query of a question, and its keywords.
    #
    # @param question [String]
    # @param min_match [Float] the share of clauses that must match, from 0 to 1; it does not apply to the English path
    # @return [Array(AdapterKit::MatchTextExpr, Array<String>)] the query, or nil if there is nothing to search for; and
    #   the keywords in order, with repeats
    # @raise [InvalidInputError] `question` is not valid text or too long, `min_match` is out of range, an unknown
    #   option
    def build_text_query(question, min_match: 0.3, **unknown)
      Base::Validation.known("option", unknown.keys, %w[min_match])
      share = Base::Validation.number("min_match", min_match, 0, 1)
      prepared = prepare(question)
      return [nil, []] unless tokens?(prepared)

      text, chinese = question_text(prepared)
      extra_options = { "original_query" => accept_question(question) }
      if chinese
        tree, keywords = @chinese.build(text, prepared)
        extra_options["minimum_should_match"] = share
      else
        tree, keywords = @english.build(text)
      end
      [tree && AdapterKit::MatchTextExpr.new(fields: @fields, tree:, topn: TOPN, extra_options:), keywords]
    end

    # Return the query for the question's tokens in all fields at once (QRY-11). The tokens of synonyms follow, at a
    # quarter of the weight.
    #
    # @param question [String]
    # @return [AdapterKit::MatchBm25fExpr, nil] nil if the question has no tokens
    # @raise [InvalidInputError] `question` is not valid text, or too long
    def build_bm25f_query(question)
      text, = question_text(prepare(question))
      tokens = with_identifiers(@tokens.call(text), question)
      widening = synonym_tokens([*text.split(/ /), *tokens], tokens.to_set)
      tokens = [*(tokens * SYNONYM_SHARE), *widening] unless widening.empty?
      tokens.empty? ? nil : AdapterKit::MatchBm25fExpr.new(fields: @bm25f_fields, tokens:, topn: TOPN)
    end

    # Return the ASCII words of a question as written, for highlighting in addition to their stems (QRY-11).
    #
    # @param question [String]
    # @return [Array<String>]
    # @raise [InvalidInputError] `question` is not valid text, or too long
    def written_words(question)
      text, = question_text(prepare(question))
      words = text.split(/ /).select { |word| !word.empty? && word.ascii_only? }
      [*words, *@identifiers.written(question)]
    end

    # Return the keywords of {build_text_query}, without building the query.
    #
    # @param question [String]
    # @return [Array<String>]
    # @raise [InvalidInputError] `question` is not valid text, or too long
    def keywords(question)
      prepared = prepare(question)
      return [] unless tokens?(prepared)

      text, chinese = question_text(prepared)
      chinese ? @chinese.keywords(text) : @english.keywords(text)
    end

    # Return a question unchanged, after checks; every method that takes a question calls this first.
    #
    # @param question [String] of at most {max_question_length} code points
    # @param name [String] the name of the argument, for the message
    # @return [String]
    # @raise [InvalidInputError] it is not valid text, or too long
    def accept_question(question, name = "question")
      accepted = Base::Validation.text(name, question)
      return accepted unless @max_question_length && accepted.length > @max_question_length

      raise InvalidInputError, "#{name} must have at most #{@max_question_length} characters, not #{accepted.length}"
    end

    # Return the prepared text of a question: scripts separated, normalised, without separators (QRY-2).
    #
    # @param question [String]
    # @return [String]
    def prepare(question)
      typed = accept_question(question).tr("\0", " ")
      normalised = @tokenizer.normalize(QueryBuilders::QuestionWords.separate_scripts(typed))
      Base::Characters.strip(QueryBuilders::QuestionWords.fold_separators(normalised))
    end

    # Return the text that is searched for, and whether it takes the Chinese path (QRY-3, QRY-4).
    #
    # @param prepared [String]
    # @return [Array(String, Boolean)]
    def question_text(prepared)
      text = QueryBuilders::QuestionWords.remove_question_words(prepared)
      chinese = QueryBuilders::QuestionWords.chinese?(text)
      # A second removal would change nothing.
      [text == prepared ? text : QueryBuilders::QuestionWords.remove_question_words(text), chinese]
    end

    # Return the query for content to be tagged: its keywords and its heaviest tokens (QRY-10).
    #
    # @param tokens [Array<String>] the tokens of the content
    # @param keywords [Array<String>] phrases that are searched for unchanged
    # @param limit [Integer] the maximum number of tokens, 0 or more
    # @return [AdapterKit::MatchTextExpr]
    # @raise [InvalidInputError] an argument is of another kind, an unknown option
    def paragraph(tokens, keywords, limit: 30, **unknown)
      Base::Validation.known("option", unknown.keys, %w[limit])
      given = Base::Validation.texts("keywords", keywords)
      limit = Base::Validation.integer("limit", limit, 0)
      children = quotable(given).map { |text| Tree::Phrase.new(text.split(/ /, -1), escape: false) }
      weighted = @term_weight.weights(tokens, preprocess: false)
      heaviest = Base::Slices.head(weighted.each_with_index.sort_by { |(_, weight), index| [-weight, index] }, limit)
      children.concat(heaviest.filter_map { |(token, weight), _| paragraph_clause(token, weight) })
      required = [MOST_CLAUSES_REQUIRED, Base::Numeric.round_half_even(children.size / CLAUSES_PER_REQUIRED)].min
      extra_options = { "original_query" => given.join(" "), "minimum_should_match" => required }
      AdapterKit::MatchTextExpr.new(fields: @fields, tree: Tree::AnyOf.new(children), topn: TOPN, extra_options:)
    end

    # Return the share of the question's weight that each document has (QRY-9); see {QueryBuilders::TokenSimilarity}.
    #
    # @param query_tokens [Array<String>]
    # @param docs_tokens [Array<Array<String>>]
    # @return [Array<Float>]
    def token_similarity(query_tokens, docs_tokens)
      @token_similarity.token_similarity(query_tokens, docs_tokens)
    end

    # Return the keys that {token_similarity} looks for in documents; see {QueryBuilders::TokenSimilarity}.
    #
    # @param query_tokens [Array<String>]
    # @return [QueryBuilders::QueryKeys]
    def query_keys(query_tokens)
      @token_similarity.query_keys(query_tokens)
    end

    private

    # Return the tokens of the synonyms of words, each once, without known ones.
    def synonym_tokens(words, known)
      return [] unless @widens

      synonyms = words.uniq.flat_map { |word| @synonyms.lookup(word) }
      found = synonyms.flat_map { |synonym| with_identifiers(@tokenizer.tokenize(synonym), synonym) }
      found.uniq.reject { |token| known.include?(token) }
    end

    # Return the tokens of a text, and then its identifiers that are not among them (TXT-10).
    def with_identifiers(tokens, text)
      [*tokens, *@identifiers.tokens(text, tokens)]
    end

    # Return the function that tokenizes a text: `tokenize`, or a fast form that remembers the words of earlier
    # questions.
    def tokens_of(tokenizer)
      remembers = tokenizer.respond_to?(:cuts_words_alone?) && tokenizer.cuts_words_alone?
      return Base::Kernels.kernel("analyzer").new(tokenizer).method(:tokens) if remembers

      ->(text) { tokenizer.tokenize(text) }
    end

    def tokens?(text)
      @tokenizer.respond_to?(:tokens?) ? @tokenizer.tokens?(text) : !@tokenizer.tokenize(text).empty?
    end

    def weigher(given, tokenizer)
      given.nil? ? Base::Kernels.kernel("term_weight").new(tokenizer:) : QueryBuilders::Parts.term_weight(given)
    end

    def paragraph_clause(token, weight)
      node = QueryBuilders::Clauses.term_node(token)
      return nil unless node

      nodes = QueryBuilders::Clauses.synonym_nodes(@tokenizer, @synonyms.lookup(token))
      Tree::Boost.new(QueryBuilders::Clauses.with_synonyms(node, nodes), weight)
    end

    # Return the keywords without quotes and WHITE at their ends, except those that become empty.
    def quotable(keywords)
      keywords.map { |keyword| Base::Characters.strip(Base::Characters.strip(keyword).delete("\"")) }.reject(&:empty?)
    end
  end
end
