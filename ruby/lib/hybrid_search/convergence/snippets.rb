# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Builds the texts of blocks for a rerank model from their source (CNV-5).
    class Snippets
      include Base::ShortInspect

      CHARACTERS_PER_TOKEN = 4
      private_constant :CHARACTERS_PER_TOKEN

      # @param index [BlockIndex] the blocks
      # @param files [SourceFiles] the files of its repository
      # @param settings [Settings] the parameters (CNV-2)
      # @param cut [Boolean] whether to cut texts at a fixed number of characters for each token; otherwise the model
      #   cuts them itself
      def initialize(index, files, settings, cut:)
        @index = index
        @files = files
        @most_lines = settings["rerank_snippet_max_lines"]
        @context = settings["rerank_context_lines"]
        @most_characters = cut ? settings["rerank_max_length"] * CHARACTERS_PER_TOKEN : nil
      end

      # @param row [Integer]
      # @return [String, nil] the text of a block for the model; nil if its source is not available
      def text(row)
        block = @index.blocks[row]
        path = @index.file(row)
        return if path.nil? || block.start_line.nil?

        lines = @files.lines(path)
        return if lines.nil? || block.start_line >= lines.size

        first, last = span(block.start_line, block.end_line, lines.size)
        first += 1 while first <= last && blank?(lines[first])
        last -= 1 while first <= last && blank?(lines[last])
        return if first > last

        text = "File: #{path}\nLines: #{first + 1}-#{last + 1}\nCode:\n#{lines[first..last].join("\n")}"
        most = @most_characters
        most.nil? || text.length <= most ? text : text[0, most]
      end

      private

      def blank?(line)
        Base::Characters.strip(line).empty?
      end

      # Return the first and the last line to show, including blank lines at both ends.
      def span(start, finish, count)
        first = start
        last = [finish.nil? || finish < start ? start : finish, count - 1].min
        last = [last, first + @most_lines - 1].min
        [@context, @most_lines].min.times do
          first -= 1 if first.positive? && last - first + 1 < @most_lines
          last += 1 if last < count - 1 && last - first + 1 < @most_lines
        end
        [first, last]
      end
    end
  end
end
