# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # Marks keywords in stored texts (DOC-4).
      #
      # The case of ASCII letters is ignored. If several keywords begin at one position, the longest is marked; marks do
      # not overlap. A keyword that begins with an ASCII letter or digit matches only at the start of a run of such
      # letters and digits. One of fewer than three characters that ends with such a letter or digit matches only at the
      # end of a run. So "art" is marked in "arts" but not in "cart", and "a" is not marked in "arts".
      # Chinese stop words are not marked, unless there are no other keywords.
      class Highlight
        include Base::ShortInspect

        ENTITIES = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;", '"' => "&quot;", "'" => "&#39;" }.freeze
        JOINER = "..."
        TAGS = %w[<em> </em>].freeze
        SHORTEST_PREFIX = 3
        SENTENCE = /(?:[^。！？!?；;\n.]|\.(?! ))*(?:[。！？!?；;\n]|\. |\z)/
        WORD_START = "(?<![0-9a-z])"
        WORD_END = "(?![0-9a-z])"
        private_constant :SENTENCE, :WORD_START, :WORD_END

        # @param text [String]
        # @return [Array<String>] the sentences of a text with all that is between them; joined they are the text
        def self.raw_sentences(text)
          text.scan(SENTENCE)
        end

        # @param keywords [Array<String>] the keywords to mark; WHITE around them is removed, and empty ones are ignored
        # @param tags [Array(String, String)] the texts before and after a keyword
        def initialize(keywords, tags = TAGS)
          lowered = keywords.map { |keyword| lower(Base::Characters.strip(keyword)) }.uniq.reject(&:empty?)
          lowered = without_stop_words(lowered) unless lowered.all?(&:ascii_only?)
          ordered = lowered.sort_by { |keyword| [-keyword.length, keyword] }
          @tags = tags
          @pattern = ordered.empty? ? nil : Regexp.new(ordered.map { |keyword| pattern(keyword) }.join("|"))
          freeze
        end

        # Mark the keywords of a text. A sentence ends after 。！？!?；; or a line feed, or after a full stop followed by a
        # blank. WHITE around sentences is removed; they are joined by `...`.
        #
        # @param text [String]
        # @return [String, nil] the sentences with a keyword, escaped for HTML, with `<em>` around keywords; nil without
        #   a match
        def mark(text)
          return nil unless @pattern

          marked = sentences(text).filter_map { |sentence| mark_piece(sentence) }
          marked.empty? ? nil : marked.join(JOINER)
        end

        # @param sentence [String]
        # @return [String, nil] a whole text, escaped for HTML, with its keywords marked; nil without a match
        def mark_piece(sentence)
          return nil unless @pattern

          lowered = lower(sentence)
          marked = +""
          last = 0
          lowered.scan(@pattern) do
            # Positions are bytes, and are computed from the rest of the text: a rest shares its bytes with the whole
            # text, whereas its beginning would be a copy.
            size = Regexp.last_match[0].bytesize
            first = lowered.bytesize - Regexp.last_match.post_match.bytesize - size
            marked << escape(sentence.byteslice(last, first - last))
            marked << @tags.first << escape(sentence.byteslice(first, size)) << @tags.last
            last = first + size
          end
          return nil if last.zero?

          marked << escape(sentence.byteslice(last..))
        end

        def without_stop_words(keywords)
          left = keywords.reject { |keyword| Text::StopWords.chinese_words.key?(keyword) }
          left.empty? ? keywords : left
        end

        def sentences(text)
          Highlight.raw_sentences(text).map { |sentence| Base::Characters.strip(sentence) }.reject(&:empty?)
        end

        def pattern(keyword)
          first = keyword.match?(/\A[0-9a-z]/) ? WORD_START : ""
          whole = keyword.length < SHORTEST_PREFIX && keyword.match?(/[0-9a-z]\z/)
          "#{first}#{Regexp.escape(keyword)}#{whole ? WORD_END : ""}"
        end

        def lower(text)
          text.downcase(:ascii)
        end

        def escape(text)
          text.gsub(/[&<>"']/, ENTITIES)
        end
      end
    end
  end
end
