# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the tokens of a document's texts (TXT-4, TXT-5, TXT-10); each different ASCII word is cut and stemmed once.
    #
    # Words are remembered as long as the tokenizer is the library's own and its dictionary is the same.
    class FastAnalyzer
      include Base::ShortInspect

      # The characters between the blocks that the segmenter cuts at once, in a lower-case ASCII text: they are neither
      # letters nor numbers. In the notation of `tr`.
      NO_BLOCK = "^a-z0-9+#&._%\\-"
      # The text between blanks that is not all ASCII; no word and no identifier contains a blank.
      OTHER = /((?<![^ ])[^ \u0080-\u{10FFFF}]*[^\u0000-\u007F][^ ]*)/
      # Runs of letters, and the characters that may be between and after them.
      LETTERS = /\A[a-z]+(?:[-._]+[a-z]+)*[-._]*\z/
      RUN = /[a-z]+/
      # Words joined by hyphens, which do not count as identifiers, with punctuation that no identifier contains.
      PROSE = /\A[(\["']*[A-Za-z]+(?:-[A-Za-z]+)+[.,;:?!)\]"']*\z/
      private_constant :NO_BLOCK, :OTHER, :LETTERS, :RUN, :PROSE

      # Caches the results for words; a limited number of short words is remembered. Safe to use from several threads.
      class CachedTokens
        include Base::ShortInspect

        # The maximum number of remembered words; the next one clears the cache.
        CACHE_SIZE = 65_536
        # Longer words are not remembered, so that the memory of a cache is bounded.
        CACHED_LENGTH = 40

        # @yieldparam word [String]
        # @yieldreturn [Array<String>] the result for the word
        def initialize(&make)
          @make = make
          @made = {}
          @whole = {}
        end

        # @param word [String]
        # @return [Array<String>] the result for the word; it must not be changed
        def [](word)
          @made[word] || remember(word)
        end

        # @param words [Array<String>]
        # @return [Boolean] whether the cached result of each word is the word itself
        def whole?(words)
          whole = @whole
          words.all? { |word| whole[word] }
        end

        # Remember words whose result is the word itself.
        #
        # @param words [Array<String>]
        # @return [void]
        def note_whole(words)
          @whole.clear if @whole.size >= CACHE_SIZE
          words.each { |word| @whole[word] = true }
        end

        private

        def remember(word)
          made = @make.call(word).freeze
          if word.size <= CACHED_LENGTH
            @made.clear if @made.size >= CACHE_SIZE
            @made[word] = made
            note_whole(made) if made == [word]
          end
          made
        end
      end

      # The results of a tokenizer for words and tokens, for one state of its dictionary, and the identifiers of words.
      class Known
        include Base::ShortInspect

        # @return [Integer] the version of the dictionary
        attr_reader :version
        # @return [CachedTokens] word → its tokens
        attr_reader :words
        # @return [CachedTokens] token → its parts
        attr_reader :parts
        # @return [CachedTokens] prepared word → its identifiers
        attr_reader :found

        # The characters of a word of {LETTERS}.
        POINTS = "abcdefghijklmnopqrstuvwxyz-._".codepoints.freeze
        private_constant :POINTS

        # @param tokenizer [Tokenizer]
        # @param version [Integer]
        # @param identifier_tokens [Text::IdentifierTokens]
        def initialize(tokenizer, version, identifier_tokens)
          @version = version
          @tokenizer = tokenizer
          @words = CachedTokens.new { |word| tokens(word) }
          @parts = CachedTokens.new { |token| tokenizer.fine_grained(token) }
          identifiers = Text::Identifiers.new
          @found = CachedTokens.new do |word|
            word.match?(PROSE) ? [] : identifier_tokens.words(identifiers.found(word))
          end
          # Whether no word of the dictionary begins with two of these characters.
          @letters_alone = POINTS.product(POINTS).all? { |pair| tokenizer.dictionary.entry(pair).nil? }
          freeze
        end

        private

        # Return the tokens of a word; if no dictionary word can begin in it, they are its runs of letters.
        def tokens(word)
          unless @letters_alone && word.size <= CachedTokens::CACHED_LENGTH && word.match?(LETTERS)
            return @tokenizer.tokenize(word)
          end

          tokens = @tokenizer.stems(word.scan(RUN))
          @parts.note_whole(tokens)
          tokens
        end
      end

      # @param tokenizer [#tokenize, #fine_grained, #normalize] cuts texts into tokens
      def initialize(tokenizer)
        @tokenizer = tokenizer
        @plain = Text::Analyzer.new(tokenizer)
        @identifiers = Text::Identifiers.new
        @identifier_tokens = Text::IdentifierTokens.new(tokenizer)
        @known = nil
      end

      # @param text [String]
      # @return [Array<String>] its tokens, in order (TXT-4)
      def tokens(text)
        known = current
        return @plain.tokens(text) unless known && readable?(text)

        words = known.words
        tokens = []
        by_kind(text) do |piece, other|
          blocks = other ? [piece] : piece.downcase.tr(NO_BLOCK, " ").split
          blocks.each { |block| tokens.concat(words[block]) }
        end
        tokens
      end

      # @param tokens [Array<String>]
      # @return [Array<String>] the parts of each, in order (TXT-5)
      def fine_grained(tokens)
        known = current
        return @plain.fine_grained(tokens) unless known

        parts = known.parts
        parts.whole?(tokens) ? tokens : tokens.flat_map { |token| parts[token] }
      end

      # @param text [String]
      # @param known [Array<String>] tokens
      # @return [Array<String>] the identifiers of the text that are not among these, in order, with repeats (TXT-10)
      def identifiers(text, known)
        remembered = current
        return @plain.identifiers(text, known) unless remembered && readable?(text)

        found = prepared(text).scan(joined).flat_map { |word| remembered.found[word] }
        found.empty? ? found : @identifier_tokens.among(found, known)
      end

      private

      # Return a pattern for the text between blanks with a character that can follow a run in an identifier or a
      # number: before another run, or at the end. The pattern is made on first use, since that takes long.
      def joined
        %r{(?<![^ ])[^ ]*?[-_./&@:,+\#%](?<=#{run}.)(?:(?<=[+\#%])|(?=#{run}))[^ ]*}mo
      end

      def run
        "[#{%w[ALPHABETIC DIGIT].map { |name| Base::Characters.character_class(name).pattern }.join}]"
      end

      # Return the text in the form in which identifiers are found; only non-ASCII texts need a table.
      def prepared(text)
        pieces = []
        by_kind(text) do |piece, other|
          piece = @tokenizer.normalize(piece)
          pieces << (other ? @identifiers.prepare(piece) : piece)
        end
        pieces.join
      end

      # Yield the ASCII pieces of a text, and its other pieces between blanks, in order.
      def by_kind(text)
        return yield text, false if text.ascii_only?

        text.split(OTHER).each_with_index { |piece, place| yield piece, place.odd? }
      end

      # Return whether a text needs no check.
      def readable?(text)
        text.instance_of?(String) && text.encoding == Encoding::UTF_8 && text.valid_encoding?
      end

      # Return the cache for the current state of the dictionary; nil if the tokenizer's results may vary.
      def current
        return nil unless @tokenizer.instance_of?(Tokenizer) && @tokenizer.cuts_words_alone?

        version = @tokenizer.version
        known = @known
        @known = known = Known.new(@tokenizer, version, @identifier_tokens) unless known && known.version == version
        known
      end
    end
  end
end
