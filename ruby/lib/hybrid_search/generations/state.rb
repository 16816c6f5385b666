# frozen_string_literal: true

require "json"
require "time"

module HybridSearch
  class Generations
    # The existing generations and the active one: the content of the pointer. Frozen; each step returns another state.
    class State
      include Base::ShortInspect

      FORMAT = 1
      private_constant :FORMAT

      # @return [String] the name of the active generation
      attr_reader :active
      # @return [String, nil] the name of the generation that is built
      attr_reader :building
      # @return [Hash{String=>Hash}] name → its recipe, and the times when it was begun, promoted and replaced
      attr_reader :generations

      # @param recipe [Recipe]
      # @return [State] the state of a new collection, whose generation is empty
      def self.first(recipe)
        new(nil, nil, {}, 0).begun(recipe).promoted(nil)
      end

      # @param text [String] the result of {#text}
      # @return [State, nil] nil: this version cannot read the text
      def self.read(text)
        parts = JSON.parse(text)
        return nil unless parts.is_a?(::Hash) && parts["format"] == FORMAT

        new(*parts.values_at("active", "building", "generations", "last"))
      rescue JSON::ParserError
        nil
      end

      def initialize(active, building, generations, last)
        @active = active
        @building = building
        @generations = generations
        @last = last
        freeze
      end

      # @return [String] the form of the state in the pointer
      def text
        JSON.pretty_generate("format" => FORMAT, "active" => active, "building" => building, "last" => @last,
                             "generations" => generations)
      end

      # @param name [String]
      # @return [Recipe] the recipe of a generation
      def recipe(name)
        Recipe.from_h(generations.fetch(name).fetch("recipe"))
      end

      # @param recipe [Recipe]
      # @return [State] the state with a building generation, whose name was never used before
      def begun(recipe)
        name = format("%06d", @last + 1)
        State.new(active, name, generations.merge(name => { "recipe" => recipe.to_h, "begun_at" => now }), @last + 1)
      end

      # @param dimension [Integer, nil] the dimension of its vectors
      # @return [State] the state in which the building generation is active
      def promoted(dimension)
        parts = generations.fetch(building)
        parts = parts.merge("recipe" => parts["recipe"].merge("dimension" => dimension)) if dimension
        others = generations.transform_values { |one| { **one, "retired_at" => one["retired_at"] || now } }
        State.new(building, nil, others.merge(building => { **parts, "promoted_at" => now }), @last)
      end

      # Return whether a document of a generation may have records whose ids differ from its own. Otherwise its records
      # are known without a search, whose cost grows with the number of documents.
      #
      # @param name [String]
      # @return [Boolean]
      def parts?(name)
        generations.fetch(name).fetch("parts", false)
      end

      # @param names [Array<String>] the names of generations that receive records
      # @param records [Array<Hash{String=>Object}>] checked records
      # @return [State] the same state, or one in which these generations have documents of several records
      def with_parts(names, records)
        return self if names.all? { |name| parts?(name) }
        return self if records.all? { |record| Documents.key(record) == record["id"] }

        changed = names.to_h { |name| [name, { **generations.fetch(name), "parts" => true }] }
        State.new(active, building, generations.merge(changed), @last)
      end

      # @param names [Array<String>]
      # @return [State] the state without some generations
      def without(names)
        State.new(active, names.include?(building) ? nil : building, generations.except(*names), @last)
      end

      # @param time [Time]
      # @return [Array<String>] the names of those that were replaced before this time
      def retired_before(time)
        replaced = generations.except(active, building).select do |_, one|
          one["retired_at"].nil? || Time.iso8601(one["retired_at"]) <= time
        end
        replaced.keys
      end

      private

      def now
        Time.now.utc.iso8601(6)
      end
    end
  end
end
