# frozen_string_literal: true

require "active_support/core_ext/string/output_safety"

module HybridSearch
  module Rails
    # Makes highlights that views show without escaping them again.
    #
    # If no word of a text is marked, the index returns the plain text, which is not HTML; it is escaped here.
    module Highlights
      module_function

      # @param hit [Hit]
      # @return [Hit] the same hit, whose highlight, if any, is a text that is safe in HTML
      def safe(hit)
        hit.highlight.nil? ? hit : hit.with(highlight: text(hit))
      end

      # @param hit [Hit]
      # @return [ActiveSupport::SafeBuffer] its marked text, otherwise its content, escaped
      def text(hit)
        marked = hit.highlight
        return marked if marked.is_a?(::ActiveSupport::SafeBuffer)
        return ::ERB::Util.html_escape(hit.content.to_s) if marked.nil? || marked == hit.content

        ::ActiveSupport::SafeBuffer.new(marked)
      end
    end
  end
end
