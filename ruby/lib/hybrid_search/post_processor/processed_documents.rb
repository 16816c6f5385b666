# frozen_string_literal: true

module HybridSearch
  # What post-processing gives: documents in order, copies of those that went in.
  class ProcessedDocuments
    include Enumerable
    include Value

    # @return [Array<Document>] with `score` in their metadata
    attr_reader :documents
    # @return [Array<String>] what went wrong without stopping the work
    attr_reader :warnings
    # @return [Array<String>] words and parts of the query where keywords were compared, else none
    attr_reader :query_keywords
    # @return [Boolean] whether the documents were scored; false when the model failed
    attr_reader :applied

    def initialize(documents:, warnings: [], query_keywords: [], applied: true)
      @documents = documents.dup.freeze
      @warnings = warnings.dup.freeze
      @query_keywords = query_keywords.dup.freeze
      @applied = applied
      freeze
    end

    # @yieldparam document [Document]
    # @return [Enumerator, ProcessedDocuments] the result itself, or an enumerator without a block
    def each(&block)
      return enum_for(:each) { documents.size } unless block

      documents.each(&block)
      self
    end

    # @return [Integer] how many there are
    def size
      documents.size
    end

    # @return [Boolean]
    def empty?
      documents.empty?
    end

    # @return [Hash{String=>Object}] documents and warnings as plain data
    def to_h
      { "documents" => documents.map(&:to_h), "warnings" => warnings.dup }
    end
  end
end
