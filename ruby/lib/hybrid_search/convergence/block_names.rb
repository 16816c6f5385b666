# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Names the classes and functions that the lines of a block belong to (CNV-6).
    class BlockNames
      include Base::ShortInspect

      # @return [Array<String>] the classes, and the functions that are not in a class, each once
      attr_reader :modules

      # @return [Array<String>] the functions and methods, each once
      attr_reader :entities

      # @param block [Block] the block with its definitions
      def initialize(block)
        @block = block
        @numbers = {}
        @kinds = Hash.new { |kinds, number| kinds[number] = [] }
        @modules = []
        @entities = []
        block.definitions.each { |each| @kinds[path(parts(each)).last] |= [each.kind] }
        owners.each { |each| add(each) }
        @modules.uniq!
        @entities.uniq!
      end

      private

      def parts(definition)
        name = definition.qualified_name
        name.empty? ? [name] : name.split(".", -1)
      end

      # Return a number for each prefix of a name, so that no name is read twice.
      def path(parts)
        number = 0
        parts.map { |part| number = (@numbers[[number, part]] ||= @numbers.size + 1) }
      end

      # Return the innermost definition around each line of the block.
      def owners
        ordered = @block.definitions.each_with_index.sort_by { |one, place| [one.start_line, -one.end_line, place] }
        taken = [] # by definitions further in; disjoint, the first one at the end
        ordered.reverse.filter_map do |each, _|
          first, last = clipped(each)
          next if first > last

          owner = taken.empty? || first < taken.last.first || last > taken.last.last
          last = [last, taken.pop.last].max while !taken.empty? && taken.last.first <= last + 1
          taken << [first, last]
          each if owner
        end
      end

      # Return the lines of a definition in the block, or all its lines if those of the block are not known.
      def clipped(definition)
        start = @block.start_line
        return [definition.start_line, definition.end_line] if start.nil?

        [[start, definition.start_line].max, [[start, @block.end_line || start].max, definition.end_line].min]
      end

      def add(definition)
        *outer, own = parts(definition)
        classes = outer.zip(path(outer)).filter_map { |part, number| part if class?(number) }
        if definition.kind == Definition::CLASS
          @modules << [*classes, own].join(".")
        elsif classes.empty?
          @modules << definition.qualified_name
          @entities << definition.qualified_name
        else
          @modules << classes.join(".")
          @entities << [*classes, own].join(".")
        end
      end

      # Return whether a name is a class: a definition says so, or no definition has this name.
      def class?(number)
        !@kinds.key?(number) || @kinds[number].include?(Definition::CLASS)
      end
    end
  end
end
