# frozen_string_literal: true

require "zlib"

module HybridSearch
  # A deterministic embedder that needs no model and no network (EMB-2): signed feature hashing of words and character
  # n-grams, L2-normalised.
  #
  # Features of a text, with A-Z as a-z: runs of Han, Kana and Hangul yield their characters, and their pairs and
  # triples of characters. Other runs of letters, marks and numbers are words, which yield themselves, the pair with the
  # previous word, and the pieces of three and four characters of `<word>`. A feature's CRC-32, mixed once, determines
  # the component (`hash >> 1` modulo the dimension) and the sign (the last bit). Whole numbers are added up, so the
  # order does not matter. A text without features is itself its only feature, so that no vector is zero.
  class HashingEmbedder
    include Base::ShortInspect

    LARGEST_DIMENSION = 65_536
    WORD_WEIGHT = 3
    PAIR_WEIGHT = 1
    PIECE_WEIGHT = 1
    PIECE_LENGTHS = [3, 4].freeze
    CHARACTER_WEIGHTS = [[1, 1], [2, 3], [3, 1]].freeze
    MIX = 0x45D9F3B
    IDEOGRAPHIC = %w[HAN KANA HANGUL].map { |name| Base::Characters.character_class(name).pattern }.join.freeze
    WORD = %w[LETTER MARK NUMBER].map { |name| Base::Characters.character_class(name).pattern }.join.freeze
    RUNS = /([#{IDEOGRAPHIC}]+)|((?:(?![#{IDEOGRAPHIC}])[#{WORD}])+)/
    private_constant :IDEOGRAPHIC, :WORD, :RUNS

    # @return [Integer] the number of components of a vector
    attr_reader :dimension

    # @param dimension [Integer] the number of components of a vector, 1 to 65,536
    # @raise [InvalidInputError] the dimension is out of range or an option is unknown
    def initialize(dimension: 256, **unknown)
      Base::Validation.known("option", unknown.keys, ["dimension"])
      @dimension = Base::Validation.integer("dimension", dimension, 1, LARGEST_DIMENSION)
      freeze
    end

    # @return [String] the name of the model, for caches
    def model
      "hashing-#{@dimension}"
    end

    # @return [Boolean] false: vectors are made at once, so batches of records may be large (IDX-3)
    def needs_model?
      false
    end

    # @param text [String] one query; queries and passages are embedded alike
    # @return [Array<Float>]
    # @raise [InvalidInputError] `text` is not a text of valid UTF-8
    def encode_queries(text)
      text = Base::Validation.text("text", text)
      counts = Array.new(@dimension, 0)
      each_feature(text) { |feature, weight| add(counts, feature, weight) }
      add(counts, "text #{text}", 1) if counts.all?(0)
      Base::Numeric.normalize(counts.map(&:to_f))
    end

    # @param texts [Array<String>]
    # @return [Array<Array<Float>>] their vectors, in their order
    # @raise [InvalidInputError] `texts` is not a list of texts of valid UTF-8
    def encode(texts)
      Base::Validation.texts("texts", texts).map { |text| encode_queries(text) }
    end

    # @param text [String]
    # @return [Array<Array(String, Integer)>] the features of a text with their weights, in text order
    def features(text)
      found = []
      each_feature(text) { |feature, weight| found << [feature, weight] }
      found
    end

    private

    def each_feature(text, &)
      previous = nil
      text.tr("A-Z", "a-z").scan(RUNS) do |ideographs, word|
        if word.nil?
          each_character_feature(ideographs, &)
          previous = nil
          next
        end
        yield "word #{word}", WORD_WEIGHT
        yield "pair #{previous} #{word}", PAIR_WEIGHT if previous
        previous = word
        each_piece_feature("<#{word}>", &)
      end
    end

    def each_piece_feature(word)
      characters = word.chars
      PIECE_LENGTHS.each do |length|
        characters.each_cons(length) { |piece| yield "piece #{piece.join}", PIECE_WEIGHT }
      end
    end

    def each_character_feature(run)
      characters = run.chars
      CHARACTER_WEIGHTS.each do |length, weight|
        characters.each_cons(length) { |piece| yield "characters #{piece.join}", weight }
      end
    end

    def add(counts, feature, weight)
      code = Zlib.crc32(feature)
      code = (((code >> 16) ^ code) * MIX) & 0xFFFF_FFFF
      code ^= code >> 16
      counts[(code >> 1) % @dimension] += code.odd? ? weight : -weight
    end
  end
end
