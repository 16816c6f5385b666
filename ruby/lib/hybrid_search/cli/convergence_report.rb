# frozen_string_literal: true

module HybridSearch
  module Cli
    # Draws the convergence of rounds in a self-contained HTML page (CNV-6).
    class ConvergenceReport
      include Base::ShortInspect

      WIDTH = 360
      HEIGHT = 120
      MARGIN = 10
      LINES = { mean: "#1f77b4", jaccard: "#2ca02c", next_cosine_to_q0: "#d62728" }.freeze
      PAGE_HEAD = <<~HTML
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>Convergence</title><style>
        body{font:14px/1.4 system-ui,sans-serif;margin:2em;max-width:60em}
        table{border-collapse:collapse}td,th{padding:.1em .8em;text-align:right;border-bottom:1px solid #ddd}
        svg{background:#f7f7f7;margin:.5em 0}h2{font-size:1.1em;margin-bottom:0}
        .mean{color:#1f77b4}.jaccard{color:#2ca02c}.next_cosine_to_q0{color:#d62728}
        </style></head><body><h1>Convergence</h1>
        <p>By round, from 0 at the bottom to 1 at the top: <b class="mean">mean score</b>,
        <b class="jaccard">Jaccard with the round before</b>,
        <b class="next_cosine_to_q0">cosine of the next query to q0</b>.</p>
      HTML
      ESCAPES = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;", '"' => "&quot;" }.freeze
      private_constant :WIDTH, :HEIGHT, :MARGIN, :LINES, :PAGE_HEAD, :ESCAPES

      # Open a report, which is complete after the block.
      #
      # @param path [String, nil] the path of the page, which is written completely or not at all; nil writes no page
      # @yieldparam report [ConvergenceReport, nil]
      # @return [Object] the value of the block
      def self.open(path)
        return yield nil if path.nil?

        WholeFile.open(path) do |file|
          file.write(PAGE_HEAD)
          found = yield new(file)
          file.write("</body></html>\n")
          found
        end
      end

      # @param text [String]
      # @return [String] the text escaped for HTML
      def self.escaped(text)
        text.gsub(/[&<>"]/, ESCAPES)
      end

      # @param file [WholeFile]
      def initialize(file)
        @file = file
      end

      # Add the section of an answer.
      #
      # @param identifier [String]
      # @param located [ConvergentRetriever::Located]
      # @return [void]
      def add(identifier, located)
        head = "<h2>#{ConvergenceReport.escaped(identifier)}</h2><p>#{located.stop_reason || "one round"}</p>"
        @file.write("#{head}\n#{picture(located)}\n#{table(located)}\n")
      end

      private

      def picture(located)
        lines = LINES.map do |name, colour|
          values = located.rounds.map(&name)
          points = values.each_with_index.filter_map { |value, place| value && point(place, value, values.size) }
          dots = points.map { |x, y| %(<circle cx="#{x}" cy="#{y}" r="3"/>) }.join
          path = points.map { |x, y| "#{x},#{y}" }.join(" ")
          %(<g fill="#{colour}">#{dots}<polyline points="#{path}" fill="none" stroke="#{colour}"/></g>)
        end
        %(<svg width="#{WIDTH}" height="#{HEIGHT}" role="img">#{lines.join}</svg>)
      end

      def point(place, value, count)
        across = count > 1 ? place.to_f / (count - 1) : 0.5
        up = value.clamp(0.0, 1.0)
        [Base::Numeric.fixed4(MARGIN + (across * (WIDTH - (2 * MARGIN)))),
         Base::Numeric.fixed4(HEIGHT - MARGIN - (up * (HEIGHT - (2 * MARGIN))))]
      end

      def table(located)
        head = RoundTable::HEAD.map { |name| "<th>#{name}</th>" }.join
        rows = RoundTable.rows(located).map { |texts| "<tr>#{texts.map { |text| "<td>#{text}</td>" }.join}</tr>" }
        "<table><tr>#{head}</tr>#{rows.join}</table>"
      end
    end
  end
end
