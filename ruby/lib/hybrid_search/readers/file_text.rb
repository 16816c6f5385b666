# frozen_string_literal: true

module HybridSearch
  module Readers
    # The text of a document in a file (FIL-3).
    class FileText
      include Base::Value

      # @return [String] the text
      attr_reader :text
      # @return [String] the format that marks its structure, as for {Chunker#split}
      attr_reader :format
      # @return [String] the title that the file states; "" if it states none
      attr_reader :title

      def initialize(text:, format:, title: "")
        @text = text
        @format = format
        @title = title
        freeze
      end
    end
  end
end
