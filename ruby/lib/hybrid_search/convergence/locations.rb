# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Maps blocks to what they are part of: files, modules, entities (CNV-6).
    class Locations
      include Base::ShortInspect

      # @param index [BlockIndex] the blocks
      # @param settings [Settings] CNV-2
      def initialize(index, settings)
        @index = index
        @settings = settings
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the best files; those with a block that the model scored come first, by these blocks
      #   alone
      def files(blocks)
        scored, rest = blocks.partition { |block| block.tier.zero? }
        first = ranked(scored.map { |block| [block.row, block.score] })
        files = first.to_h { |file| [file, true] }
        others = rest.reject { |block| files.key?(@index.file(block.row)) }
        found = first + ranked(others.map { |block| [block.row, block.stage1_score] })
        Base::Slices.head(found, @settings["top_k_files"])
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the classes, and the functions outside of classes, of the lines of the blocks
      def modules(blocks)
        found = names(blocks).flat_map { |file, names| names.modules.sort.map { |name| "#{file}:#{name}" } }
        Base::Slices.head(found.uniq, @settings["top_k_modules"])
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the functions and methods of the lines of the blocks
      def entities(blocks)
        found = names(blocks).flat_map { |file, names| names.entities.sort.map { |name| "#{file}:#{name}" } }
        Base::Slices.head(found.uniq, @settings["top_k_entities"])
      end

      private

      def ranked(blocks)
        files = blocks.map { |row, score| [@index.file(row), score] }
        FileScores.new(@settings["file_score_agg"]).rank(files).map(&:first)
      end

      # The names of each block, those of one file together, files by their first block.
      def names(blocks)
        files = blocks.group_by { |each| @index.file(each.row) }
        files.except(nil).flat_map do |file, of_file|
          of_file.map { |each| [file, BlockNames.new(@index.blocks[each.row])] }
        end
      end
    end
  end
end
