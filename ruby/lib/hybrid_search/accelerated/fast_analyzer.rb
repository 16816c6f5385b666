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
      # What lies between blanks and has a character that can follow a run in an identifier or a number: before a
      # further run, or at the end.
      JOINED = begin
        run = "[#{%w[ALPHABETIC DIGIT].map { |name| Base::Characters.character_class(name).pattern }.join}]"
        %r{(?<![^ ])[^ ]*?[-_./&@:,+\#%](?<=#{run}.)(?:(?<=[+\#%])|(?=#{run}))[^ ]*}m
      end
      private_constant :NO_BLOCK, :OTHER, :JOINED

      # What is made of words; a limited number of short ones is remembered. Safe in several threads.
      class Results
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
        end

        # @param word [String]
        # @return [Array<String>] what is made of it; not to be changed
        def [](word)
          @made[word] || remember(word)
        end

        private

        def remember(word)
          made = @make.call(word).freeze
          if word.size <= CACHED_LENGTH
            @made.clear if @made.size >= CACHE_SIZE
            @made[word] = made
          end
          made
        end
      end

      # What a tokenizer makes of words and tokens, for one state of its dictionary, and the identifiers of words.
      class Known
        include Base::ShortInspect

        # @return [Integer] the version of the dictionary
        attr_reader :version
        # @return [Results] word → its tokens
        attr_reader :words
        # @return [Results] token → its parts
        attr_reader :parts
        # @return [Results] prepared word → its identifiers
        attr_reader :found

        # @param tokenizer [Tokenizer]
        # @param version [Integer]
        def initialize(tokenizer, version)
          @version = version
          @words = Results.new { |word| tokenizer.tokenize(word) }
          @parts = Results.new { |token| tokenizer.fine_grained(token) }
          identifiers = Text::Identifiers.new
          @found = Results.new { |word| identifiers.found(word) }
          freeze
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
        tokens.flat_map { |token| parts[token] }
      end

      # @param text [String]
      # @param known [Array<String>] tokens
      # @return [Array<String>] the identifiers of the text that are not among them, in order, with repeats (TXT-10)
      def identifiers(text, known)
        remembered = current
        return @plain.identifiers(text, known) unless remembered && readable?(text)

        found = prepared(text).scan(JOINED).flat_map { |word| remembered.found[word] }
        found.empty? ? found : @identifier_tokens.among(found, known)
      end

      private

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
        @known = known = Known.new(@tokenizer, version) unless known && known.version == version
        known
      end
    end
  end
end
