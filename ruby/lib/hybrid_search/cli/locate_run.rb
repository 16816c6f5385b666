# frozen_string_literal: true

module HybridSearch
  module Cli
    # Locates one instance after another (CNV-6).
    class LocateRun
      include Base::ShortInspect

      COUNTED = %w[instances located failed without_index without_text].freeze
      private_constant :COUNTED

      # @return [LocateTimes] the durations of the stages
      attr_reader :times

      # @param indexes [BlockIndexes] the indexes to search
      # @param options [Hash{String=>Object}] the parameters (CNV-2)
      # @param model [#similarity, #call, nil] the rerank model, if requested
      # @param repos_root [String, nil] the folder of the repositories
      # @yieldparam warning [String] one warning for each repository without an index
      def initialize(indexes, options, model, repos_root, &warn)
        @indexes = indexes
        @options = options.transform_keys(&:to_sym)
        @model = model
        @root = repos_root
        @warn = warn
        @missing = {}
        @counts = COUNTED.to_h { |name| [name, 0] }
        @rounds = 0
        @statuses = Hash.new(0)
        @embeddings = {}
        @times = LocateTimes.new
      end

      # @param instance [Instance]
      # @return [Array(ConvergentRetriever::Located, nil), Array(nil, String)] the result, or nil if the instance has no
      #   text or no index; and the problem, if any
      # @raise [RerankError] the model failed, and `rerank_fail_open` is off
      def locate(instance)
        @counts["instances"] += 1
        begin
          located = located(instance)
        rescue RerankError
          raise
        rescue Error => e
          @counts["failed"] += 1
          return [nil, e.message]
        end
        count(located) if located
        [located, nil]
      end

      # @return [Hash{String=>Object}] the counts of the run
      def counts
        located = @counts["located"]
        applied = @statuses["applied"]
        failed = @statuses["failed"]
        { **@counts,
          "average_rounds" => located.zero? ? nil : @rounds.to_f / located,
          "rerank" => { "attempted" => applied + failed, "applied" => applied, "failed" => failed } }
      end

      private

      def count(located)
        @counts["located"] += 1
        @rounds += located.rounds.size
        @statuses[located.rerank_status] += 1
      end

      def located(instance)
        raise InvalidInputError, instance.problem if instance.problem

        index = @times.stage("open") { @indexes.of(instance) }
        if index.nil?
          warn_of(instance)
          return nothing("without_index")
        end
        return nothing("without_text") if instance.text.nil?

        retriever = @times.stage("open") { of(index) }
        vector = @times.stage("embed") { vector(instance, index) }
        candidates = @times.stage("retrieve") { retriever.retrieve_candidates(vector) }
        ranked = @times.stage("rerank") { retriever.maybe_rerank(instance.text, candidates) }
        @times.stage("map") { retriever.map_and_format_output(candidates, ranked) }
      end

      def nothing(why)
        @counts[why] += 1
        nil
      end

      def warn_of(instance)
        name = instance.repo_name
        repository = name.nil? || name.empty? ? instance.repository : name
        return if @missing.key?(repository)

        @missing[repository] = true
        @warn.call("#{instance.identifier}: #{@indexes.missing(instance)}")
      end

      def of(index)
        unless @index.equal?(index)
          @retriever = ConvergentRetriever.new(index, rerank_model: @model, repos_root: @root, **@options)
          @index = index
        end
        @retriever
      end

      def vector(instance, index)
        return instance.query_vector unless instance.query_vector.nil?

        told = index.notes[BlockIndexes::EMBEDDING]
        @embeddings = { told => Embedding.chosen(BlockIndexes.choice_of(index)) } unless @embeddings.key?(told)
        embedding = @embeddings[told]
        if embedding.nil?
          raise InvalidInputError, "the index does not say how it was embedded, and there is no query_vector"
        end

        embedding.encode_queries(instance.text)
      end
    end
  end
end
