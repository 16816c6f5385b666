# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # Marks keywords in stored texts (DOC-4).
      #
      # Case is ignored for ASCII letters. Where several keywords begin at one place the longest counts, and marks do
      # not overlap. A keyword that begins with an ASCII letter or digit matches only where such a run of letters and
      # digits begins, and one of fewer than three characters that ends with one only where it ends, so that "art" is
      # marked in "arts" but not in "cart", and "a" not in "arts".
      class Highlight
        include Base::ShortInspect

        ENTITIES = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;", '"' => "&quot;", "'" => "&#39;" }.freeze
        JOINER = "..."
        SHORTEST_PREFIX = 3
        SENTENCE = /(?:[^。！？!?；;\n.]|\.(?! ))*(?:[。！？!?；;\n]|\. |\z)/
        WORD_START = "(?<![0-9a-z])"
        WORD_END = "(?![0-9a-z])"
        private_constant :SENTENCE, :WORD_START, :WORD_END

        # @param keywords [Array<String>] what to mark; WHITE around them is dropped, empty ones are passed over
        def initialize(keywords)
          lowered = keywords.map { |keyword| lower(Base::Characters.strip(keyword)) }.uniq.reject(&:empty?)
          ordered = lowered.sort_by { |keyword| [-keyword.length, keyword] }
          @pattern = ordered.empty? ? nil : Regexp.new(ordered.map { |keyword| pattern(keyword) }.join("|"))
          freeze
        end

        # A sentence ends after 。！？!?；; or a line feed, or after a full stop that a blank follows. WHITE around
        # sentences is dropped; they are joined by `...`.
        #
        # @param text [String]
        # @return [String, nil] the sentences that hold a keyword, escaped for HTML, with `<em>` around keywords; nil
        #   without a match
        def mark(text)
          return nil unless @pattern

          marked = sentences(text).filter_map { |sentence| mark_sentence(sentence) }
          marked.empty? ? nil : marked.join(JOINER)
        end

        private

        def mark_sentence(sentence)
          lowered = lower(sentence)
          marked = +""
          last = 0
          lowered.scan(@pattern) do
            # Places are counted in bytes, and from the end: a rest shares its bytes with the whole, a beginning is a
            # copy.
            size = Regexp.last_match[0].bytesize
            first = lowered.bytesize - Regexp.last_match.post_match.bytesize - size
            marked << escape(sentence.byteslice(last, first - last))
            marked << "<em>" << escape(sentence.byteslice(first, size)) << "</em>"
            last = first + size
          end
          return nil if marked.empty?

          marked << escape(sentence.byteslice(last..))
        end

        def sentences(text)
          text.scan(SENTENCE).map { |sentence| Base::Characters.strip(sentence) }.reject(&:empty?)
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
