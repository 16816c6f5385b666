# frozen_string_literal: true

module HybridSearch
  module Cli
    # Counts for people, or as JSON (CUR-5).
    module Report
      TABLE = "table"
      JSON = "json"

      module_function

      # @param wanted [String, nil]
      # @param console [Console]
      # @return [String] the form that was asked for; a table on a terminal, else JSON
      def form(wanted, console)
        wanted || (console.terminal? ? TABLE : JSON)
      end

      # Print names with their values.
      #
      # @param counts [Hash{String=>Object}]
      # @param wanted [String, nil]
      # @param console [Console]
      # @return [void]
      def report(counts, wanted, console)
        return console.write_json(counts) if form(wanted, console) == JSON

        width = counts.keys.map(&:length).max
        counts.each do |name, value|
          console.write("#{name.ljust(width)}  #{value.is_a?(::String) ? value : Base::JsonWriter.write(value)}\n")
        end
      end
    end
  end
end
