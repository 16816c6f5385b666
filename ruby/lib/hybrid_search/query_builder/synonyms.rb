# frozen_string_literal: true

module HybridSearch
  # Looks up synonyms of a term, in a dictionary and in WordNet (SYN-1).
  class Synonyms
    include Base::ShortInspect

    BLANKS = /[ \t]+/
    LETTERS = /\A[a-z]+\z/
    private_constant :BLANKS, :LETTERS

    # @param dictionary [Hash, String, nil] a table term => synonym or list of synonyms, or the path of a JSON file with
    #   such an object
    # @param word_net [WordNet, String, nil] a folder with WordNet's files, or a {WordNet}; used for words of a–z that
    #   the dictionary does not contain
    # @raise [ConfigurationError] the dictionary or a file is missing or malformed
    # @raise [InvalidInputError] an unknown option
    def initialize(dictionary: nil, word_net: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[dictionary word_net])
      @dictionary = (dictionary.nil? ? {} : entries(dictionary)).freeze
      @word_net = word_net.nil? || word_net.is_a?(WordNet) ? word_net : WordNet.new(word_net)
      freeze
    end

    # @return [Boolean] whether no term has synonyms
    def empty?
      @dictionary.empty? && @word_net.nil?
    end

    # Return the synonyms of a term, in the order of their source.
    #
    # @param term [String] blanks at its ends are removed, runs of blanks count as one, letter case matters
    # @param limit [Integer] the maximum number of synonyms, 0 or more
    # @return [Array<String>]
    # @raise [InvalidInputError] `term` is not a text, `limit` is not an integer of at least 0, an unknown option
    def lookup(term, limit: 8, **unknown)
      Base::Validation.known("option", unknown.keys, %w[limit])
      given = Base::Validation.text("term", term)
      limit = Base::Validation.integer("limit", limit, 0)
      return [] if empty?

      key = Base::Characters.strip(given).gsub(BLANKS, " ")
      found = @dictionary[key]
      return Base::Slices.head(found, limit) if found && !found.empty?
      return [] unless @word_net && key.match?(LETTERS)

      Base::Slices.head(@word_net.head_lemmas(key).uniq.reject { |lemma| lemma == key }, limit)
    end

    private

    def entries(source)
      name, table = QueryBuilders::TermFiles.json_object("synonyms", source)
      normalizer = Text::Normalizer.new
      table.to_h do |term, value|
        [normalizer.lower(term), synonyms_of("#{name}[#{Base::Validation.describe(term)}]", value).freeze]
      end
    rescue InvalidInputError => e
      raise ConfigurationError, e.message
    end

    def synonyms_of(where, value)
      return [Base::Validation.text(where, value)] if value.is_a?(::String)
      return Base::Validation.texts(where, value) if value.is_a?(::Array)

      raise Base::Validation.failure(where, value, "a text or a list of texts")
    end
  end
end
