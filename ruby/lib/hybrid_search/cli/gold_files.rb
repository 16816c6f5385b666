# frozen_string_literal: true

module HybridSearch
  module Cli
    # Computes Hit@K: whether a file of the gold standard is among the first K (CNV-6).
    class GoldFiles
      include Base::ShortInspect

      DEPTHS = [1, 5, 10].freeze

      # @param lines [RecordLines] objects of `instance_id` and `files`
      # @raise [InputError] a line is not such an object
      def initialize(lines)
        @asked = 0
        @hits = DEPTHS.to_h { |depth| [depth, 0] }
        @files = {}
        lines.each do |line|
          content = line.content || {}
          identifier = content["instance_id"]
          files = content["files"]
          unless identifier.is_a?(::String) && files.is_a?(::Array) && files.all?(::String)
            raise InputError, "#{line.place}: not an object of instance_id and files, a list of texts"
          end

          @files[identifier] = files
        end
      end

      # Count an instance, if its files are known.
      #
      # @param identifier [String, nil]
      # @param found_files [Array<String>]
      # @return [void]
      def count(identifier, found_files)
        right = @files[identifier] || []
        return if right.empty?

        @asked += 1
        DEPTHS.each { |depth| @hits[depth] += 1 if found_files.first(depth).intersect?(right) }
      end

      # @return [Hash{String=>Float, nil}] the share of instances with a hit, by depth; nil without instances
      def rates
        @hits.to_h { |depth, hits| ["hit@#{depth}", @asked.zero? ? nil : hits.to_f / @asked] }
      end
    end
  end
end
