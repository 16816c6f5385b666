# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The tokens of a document's texts (TXT-4, TXT-5, TXT-10), each different word of ASCII cut and stemmed once.
    #
    # Words are remembered as long as the tokenizer is the library's own and its dictionary the same.
    class FastAnalyzer
      include Base::ShortInspect

      # What lies between the blocks that the segmenter cuts at once, in a lower-case text of ASCII: it has no letter
      # and no number. As `tr` reads it.
      NO_BLOCK = "^a-z0-9+#&._%\\-"
      # What lies between blanks and is not all ASCII; no word and no identifier has a blank.
      OTHER = /((?<![^ ])[^ \u0080-\u{10FFFF}]*[^\u0000-\u007F][^ ]*)/
      # Runs of letters, and what may be between and behind them.
      LETTERS = /\A[a-z]+(?:[-._]+[a-z]+)*[-._]*\z/
      RUN = /[a-z]+/
      # Words joined by hyphens, which do not count as identifiers, between characters that are in none.
      PROSE = /\A[(\["']*[A-Za-z]+(?:-[A-Za-z]+)+[.,;:?!)\]"']*\z/
      private_constant :NO_BLOCK, :OTHER, :LETTERS, :RUN, :PROSE

      # What is made of words; a limited number of short ones is remembered. Safe in several threads.
      class CachedTokens
        include Base::ShortInspect

        # The number of words that are remembered; a further one makes all of them forgotten.
        CACHE_SIZE = 65_536
        # Longer words are not remembered, so that the memory of a cache is bounded.
        CACHED_LENGTH = 40

        # @yieldparam word [String]
        # @yieldreturn [Array<String>] what is made of it
        def initialize(&make)
          @make = make
          @made = {}
          @whole = {}
        end

        # @param word [String]
        # @return [Array<String>] what is made of it; not to be changed
        def [](word)
          @made[word] || remember(word)
        end

        # @param words [Array<String>]
        # @return [Boolean] whether it is remembered that nothing but themselves is made of them
        def whole?(words)
          whole = @whole
          words.all? { |word| whole[word] }
        end

        # Remember words of which nothing but themselves is made.
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

      # What a tokenizer makes of words and tokens, for one state of its dictionary, and the identifiers of words.
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

        # What is between two letters or other characters of a word of {LETTERS}.
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

        # The tokens of a word; where no word of the dictionary can begin, they are its runs of letters.
        def tokens(word)
          unless @letters_alone && word.size <= CachedTokens::CACHED_LENGTH && word.match?(LETTERS)
            return @tokenizer.tokenize(word)
          end

          tokens = @tokenizer.stems(word.scan(RUN))
          @parts.note_whole(tokens)
          tokens
        end
      end

      # @param tokenizer [#tokenize, #fine_grained, #normalize] what cuts texts into tokens
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
      # @return [Array<String>] the identifiers of the text that are not among them, in order, with repeats (TXT-10)
      def identifiers(text, known)
        remembered = current
        return @plain.identifiers(text, known) unless remembered && readable?(text)

        found = prepared(text).scan(joined).flat_map { |word| remembered.found[word] }
        found.empty? ? found : @identifier_tokens.among(found, known)
      end

      private

      # What lies between blanks and has a character that can follow a run in an identifier or a number: before a
      # further run, or at the end. It is made when it is first used, since that takes long.
      def joined
        %r{(?<![^ ])[^ ]*?[-_./&@:,+\#%](?<=#{run}.)(?:(?<=[+\#%])|(?=#{run}))[^ ]*}mo
      end

      def run
        "[#{%w[ALPHABETIC DIGIT].map { |name| Base::Characters.character_class(name).pattern }.join}]"
      end

      # The text as identifiers are looked for in it; only what is not ASCII takes a table.
      def prepared(text)
        pieces = []
        by_kind(text) do |piece, other|
          piece = @tokenizer.normalize(piece)
          pieces << (other ? @identifiers.prepare(piece) : piece)
        end
        pieces.join
      end

      # Yield the pieces of a text that are ASCII and those between blanks that are not, in order.
      def by_kind(text)
        return yield text, false if text.ascii_only?

        text.split(OTHER).each_with_index { |piece, place| yield piece, place.odd? }
      end

      # Whether a text is one that needs no check.
      def readable?(text)
        text.instance_of?(String) && text.encoding == Encoding::UTF_8 && text.valid_encoding?
      end

      # What is remembered for the dictionary as it is, nil if the tokenizer may do as it likes.
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
