# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # Divides plain text into sections, one for each page, and into paragraphs at blank lines (CHK-2).
    module PlainText
      module_function

      # @param lines [Array<SourceLine>]
      # @return [Array<Section>] a section for each page that is not blank
      def sections(lines)
        found = []
        paragraph = []
        lines.each do |line|
          blank = Base::Characters.strip(line.text).empty?
          if paragraph.any? && (blank || line.page != paragraph[0].page)
            add(found, paragraph)
            paragraph = []
          end
          paragraph << line unless blank
        end
        add(found, paragraph) if paragraph.any?
        found
      end

      def add(found, paragraph)
        page = paragraph.fetch(0).page
        found << Section.new([].freeze, page) if found.empty? || found.last.page != page
        found.last.passages << Passage.new(paragraph, Section::BLOCK, :prose)
      end
      private_class_method :add
    end
  end
end
