# frozen_string_literal: true

require "json"

module HybridSearch
  module Text
    # Normalises text into the form that is segmented and matched (TXT-1): blanks for U+0000, half-width forms, lower
    # case, simplified Chinese; stateless.
    #
    # Every step maps one code point to one, so a text keeps its length and the steps fold into one table.
    class Normalizer
      include Base::ShortInspect

      FULL_WIDTH = (0xFF01..0xFF5E)
      FULL_WIDTH_OFFSET = 0xFEE0
      IDEOGRAPHIC_SPACE = "\u3000"
      private_constant :FULL_WIDTH, :FULL_WIDTH_OFFSET, :IDEOGRAPHIC_SPACE

      # A mapping of characters, with the pattern that finds those it changes.
      class Mapping
        include Base::ShortInspect

        # @return [Hash{String=>String}]
        attr_reader :table

        # @param table [Hash{String=>String}] one character to one
        def initialize(table)
          @table = table.freeze
          @pattern = Regexp.new("[#{self.class.ranges(table.keys).join}]")
          freeze
        end

        # @param text [String]
        # @return [String]
        def apply(text)
          text.gsub(@pattern, @table)
        end

        # @param characters [Array<String>]
        # @return [Array<String>] the characters as ranges for the brackets of a regular expression
        def self.ranges(characters)
          characters.map(&:ord).sort.slice_when { |left, right| right != left + 1 }
                    .map { |points| format("\\u{%<first>X}-\\u{%<last>X}", first: points.first, last: points.last) }
        end
      end
      private_constant :Mapping

      # The mappings, each made when it is first needed. Two threads that make one at the same time make equal ones.
      module Tables
        class << self
          # @return [Mapping]
          def half_width
            @half_width ||= Mapping.new(
              FULL_WIDTH.to_h { |point| [[point].pack("U"), (point - FULL_WIDTH_OFFSET).chr(::Encoding::UTF_8)] }
                        .merge(IDEOGRAPHIC_SPACE => " ")
            )
          end

          # @return [Mapping]
          def lower_case
            @lower_case ||= load_mapping("lowercase.json", "upper", "lower")
          end

          # @return [Mapping]
          def simplified
            @simplified ||= load_mapping("simplified.json", "traditional", "simplified")
          end

          # @return [Mapping] one mapping that applies all steps in order, for characters outside ASCII
          def everything
            @everything ||= begin
              tables = [half_width, lower_case, simplified].map(&:table)
              sources = tables.flat_map(&:keys).reject(&:ascii_only?)
              Mapping.new(sources.to_h { |source| [source, tables.reduce(source) { |c, table| table.fetch(c, c) }] })
            end
          end

          private

          # @param name [String] a table in `ruby/data`
          # @param sources [String] the entry that lists the characters
          # @param targets [String] the entry that lists their replacements
          # @return [Mapping]
          def load_mapping(name, sources, targets)
            table = JSON.parse(File.binread(File.expand_path("../../../data/#{name}", __dir__)).force_encoding("UTF-8"))
            Mapping.new(table.fetch(sources).chars.zip(table.fetch(targets).chars).to_h)
          end
        end
      end
      private_constant :Tables

      # Apply all steps: U+0000 becomes a blank, then {half_width}, {lower} and {simplify}.
      #
      # @param text [String] any valid UTF-8
      # @return [String] a text of the same number of code points
      # @raise [InvalidInputError] `text` is not a text, or not valid UTF-8 (UNI-2)
      def normalize(text)
        checked = Base::Validation.text("text", text)
        plain = checked.downcase(:ascii)
        plain.tr!("\0", " ") if plain.include?("\0")
        plain.ascii_only? ? plain : Tables.everything.apply(plain)
      end

      # @param text [String]
      # @return [String] the text with a blank for U+3000 and ASCII for U+FF01 … U+FF5E; all other characters stay
      def half_width(text)
        Tables.half_width.apply(Base::Validation.text("text", text))
      end

      # @param text [String]
      # @return [String] the text in lower case by Unicode's simple mapping: one code point to one, no rule for a final
      #   sigma, `İ` to `i`
      def lower(text)
        Tables.lower_case.apply(Base::Validation.text("text", text))
      end

      # @param text [String]
      # @return [String] the text in simplified Chinese, one character for one
      def simplify(text)
        Tables.simplified.apply(Base::Validation.text("text", text))
      end
    end
  end
end
