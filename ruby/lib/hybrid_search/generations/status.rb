# frozen_string_literal: true

module HybridSearch
  class Generations
    # The generations of a collection, and whether the active one was made in the way in which the code would make it.
    class Status
      include Base::Value

      # @return [String] the name of the active generation
      attr_reader :active
      # @return [String, nil] the name of the generation that is built
      attr_reader :building
      # @return [Integer] the number of documents that the building one has copied
      attr_reader :copied
      # @return [Array<String>] the differences of the active one from the result of the code: "model: \"a\" -> \"b\""
      attr_reader :reasons
      # @return [Array<Hash{String=>Object}>] each generation: name, digest, definition, model, dimension, format,
      #   records, begun_at, promoted_at, retired_at
      attr_reader :generations

      # @api private
      # @return [Status]
      def self.of(state, counts, reasons, progress)
        generations = state.generations.map do |name, one|
          recipe = state.recipe(name)
          { "name" => name, "digest" => recipe.digest, **recipe.to_h, "records" => counts.fetch(name),
            **one.slice("begun_at", "promoted_at", "retired_at") }
        end
        new(active: state.active, building: state.building, copied: progress.fetch("copied", 0), reasons:, generations:)
      end

      def initialize(active:, building:, copied:, reasons:, generations:)
        @active = active
        @building = building
        @copied = copied
        @reasons = reasons.freeze
        @generations = generations.freeze
        freeze
      end

      # @return [Boolean] whether the code and the active generation differ; {Generations#reindex} removes the
      #   difference
      def stale?
        !reasons.empty?
      end
    end
  end
end
