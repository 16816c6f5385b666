# frozen_string_literal: true

module HybridSearch
  module Commanding
    # A page of answers for people (CUR-5).
    module QueryTable
      HEAD = %w[# score term vector id document text].freeze
      LONGEST_NAME = 32
      LONGEST_TEXT = 400
      ENTITIES = {
        "&lt;" => "<", "&gt;" => ">", "&quot;" => '"', "&#39;" => "'", "&#x27;" => "'", "&amp;" => "&"
      }.freeze
      private_constant :HEAD, :LONGEST_NAME, :LONGEST_TEXT, :ENTITIES

      module_function

      # Print a page as a table, and how to go on.
      #
      # @param page [QueryResult]
      # @param console [Console]
      # @return [void]
      def show(page, console)
        rows = page.results.each.with_index(page.paging.position + 1).map { |hit, number| row(number, hit) }
        console.write("#{TableView.lines(HEAD, rows, width).join("\n")}\n") unless rows.empty?
        page.facets&.each do |name, values|
          counted = values.map { |entry| "#{plain(entry["value"])}: #{entry["count"]}" }
          console.write("#{name}: #{counted.join(", ")}\n")
        end
        told = { 0 => "no results", 1 => "1 result" }.fetch(rows.size) { |count| "#{count} results" }
        console.write(page.next_cursor ? "#{told}; more with --cursor #{page.next_cursor}\n" : "#{told}\n")
        if page.paging.index_changed
          console.complain(Command::PROGRAM, "warning: the index has changed since the first page")
        end
        warn_of(page, console)
      end

      # Print the warnings of a page to standard error.
      #
      # @param page [QueryResult]
      # @param console [Console]
      # @return [void]
      def warn_of(page, console)
        page.warnings.each { |warning| console.complain(Command::PROGRAM, "warning: #{warning}") }
      end

      # How many cells the terminal has in a row; 100 where there is none.
      def width
        columns = ENV["COLUMNS"].to_i
        return columns if columns.positive?
        return 100 unless $stdout.tty?

        require "io/console"
        columns = $stdout.winsize.last
        columns.positive? ? columns : 100
      end
      private_class_method :width

      def plain(value)
        value.is_a?(::String) ? value : JsonWriter.write(value)
      end
      private_class_method :plain

      def row(number, hit)
        scores = [hit.score, hit.term_similarity, hit.vector_similarity].map { |score| Numeric.fixed4(score) }
        names = [hit.chunk_id, hit.document_name].map { |name| TableView.cut(name, LONGEST_NAME) }
        [number.to_s, *scores, *names, text(hit)]
      end
      private_class_method :row

      # What is shown of its text: with the matches in square brackets, where they are marked.
      def text(hit)
        return hit.content[0, LONGEST_TEXT] if hit.highlight.nil?

        text = hit.highlight.gsub("<em>", "[").gsub("</em>", "]")
        ENTITIES.inject(text) { |shown, (entity, character)| shown.gsub(entity) { character } }[0, LONGEST_TEXT]
      end
      private_class_method :text
    end
  end
end
