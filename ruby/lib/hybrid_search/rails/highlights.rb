# frozen_string_literal: true

require "active_support/core_ext/string/output_safety"

module HybridSearch
  module Rails
    # Makes highlights that views show without escaping them again.
    #
    # Where no word of a text is marked the index returns the text as it is, which is not HTML: it is escaped here.
    module Highlights
      module_function

      # @param hit [Hit]
      # @return [Hit] the same with its highlight, where there is one, as a text that is safe in HTML
      def safe(hit)
        hit.highlight.nil? ? hit : hit.with(highlight: text(hit))
      end

      # @param hit [Hit]
      # @return [ActiveSupport::SafeBuffer] its marked text, or else its content, escaped
      def text(hit)
        marked = hit.highlight
        return marked if marked.is_a?(::ActiveSupport::SafeBuffer)
        return ::ERB::Util.html_escape(hit.content.to_s) if marked.nil? || marked == hit.content

        ::ActiveSupport::SafeBuffer.new(marked)
      end
    end
  end
end
