# frozen_string_literal: true

module HybridSearch
  module Server
    # Counts the work of the service, in the text format of Prometheus (CUR-6); safe to share between threads.
    class HttpMetrics
      include Base::ShortInspect

      # The upper bounds of the buckets of durations, in seconds.
      BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0].freeze
      # The methods with their own series; any other counts as `other`, so that clients cannot create series.
      METHODS = %w[GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT].freeze
      NAMES = {
        "requests" => ["hybrid_search_http_requests_total", "counter", "Requests answered."],
        "seconds" => ["hybrid_search_http_request_duration_seconds", "histogram", "How long answers took."],
        "in_progress" => ["hybrid_search_http_requests_in_progress", "gauge", "Requests that are being answered."],
        "hits" => ["hybrid_search_hits_returned_total", "counter", "Hits returned."],
        "changed" => ["hybrid_search_documents_changed_total", "counter", "Documents added or changed."],
        "deleted" => ["hybrid_search_documents_deleted_total", "counter", "Documents removed."],
        "documents" => ["hybrid_search_documents", "gauge", "Documents in the index."],
        "cache_hits" => ["hybrid_search_ranking_cache_hits_total", "counter", "Rankings found in the ranking cache."],
        "cache_misses" => ["hybrid_search_ranking_cache_misses_total", "counter", "Rankings that it did not have."],
        "cache_entries" => ["hybrid_search_ranking_cache_entries", "gauge", "Rankings that it keeps."],
        "cache_bytes" => ["hybrid_search_ranking_cache_bytes", "gauge", "Bytes that they count."]
      }.freeze
      private_constant :NAMES

      def initialize
        @lock = Mutex.new
        @requests = Hash.new(0)
        @buckets = {}
        @seconds = Hash.new(0.0)
        @counts = { "in_progress" => 0, "hits" => 0, "changed" => 0, "deleted" => 0 }
      end

      # Add to a counter without labels.
      #
      # @return [void]
      def count(name, by = 1)
        @lock.synchronize { @counts[name] += by }
      end

      # Count a response.
      #
      # @param method [String] the method of the request
      # @param path [String] the path of its route, "" without a route
      # @param status [Integer] the status of the response
      # @param seconds [Float] its duration
      # @return [void]
      def answered(method, path, status, seconds)
        known = METHODS.include?(method) ? method : "other"
        @lock.synchronize do
          @requests[[path, known, status]] += 1
          buckets = (@buckets[path] ||= [0] * (BOUNDS.size + 1))
          buckets[BOUNDS.index { |bound| seconds <= bound } || BOUNDS.size] += 1
          @seconds[path] += seconds
        end
      end

      # @param gauges [Hash{String=>Integer}] current values, such as `documents`
      # @return [String] all counters and gauges
      def text(gauges)
        lines = @lock.synchronize { [*told_requests, *told_seconds, *told(@counts)] }
        [*lines, *told(gauges)].map { |line| "#{line}\n" }.join
      end

      private

      def told_requests
        name = NAMES.fetch("requests").first
        [*head("requests"), *@requests.sort.map do |(path, method, status), count|
          %(#{name}{path="#{path}",method="#{method}",status="#{status}"} #{count})
        end]
      end

      def told_seconds
        [*head("seconds"), *@buckets.sort.flat_map { |path, buckets| histogram(path, buckets) }]
      end

      def histogram(path, buckets)
        name = NAMES.fetch("seconds").first
        total = 0
        lines = [*BOUNDS.map { |bound| Base::Numeric.shortest(bound) }, "+Inf"].zip(buckets).map do |bound, count|
          total += count
          %(#{name}_bucket{path="#{path}",le="#{bound}"} #{total})
        end
        [*lines, %(#{name}_sum{path="#{path}"} #{Base::Numeric.shortest(@seconds[path])}),
         %(#{name}_count{path="#{path}"} #{total})]
      end

      def told(values)
        values.flat_map { |key, value| [*head(key), "#{NAMES.fetch(key).first} #{value}"] }
      end

      def head(key)
        name, kind, says = NAMES.fetch(key)
        ["# HELP #{name} #{says}", "# TYPE #{name} #{kind}"]
      end
    end
  end
end
