# frozen_string_literal: true

module HybridSearch
  module Cli
    # Prints counts as a table or as JSON (CUR-5).
    module Report
      TABLE = "table"
      JSON = "json"

      module_function

      # @param wanted [String, nil]
      # @param console [Console]
      # @return [String] the requested form; by default a table on a terminal, otherwise JSON
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
