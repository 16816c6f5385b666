# frozen_string_literal: true

module HybridSearch
  module Cli
    # Opens the store that an address names (CUR-5): a file, a collection in PostgreSQL or an index in OpenSearch.
    class StoreAddress
      include Base::ShortInspect

      # Environment variable with the password of the user in an address of OpenSearch.
      PASSWORD = "HYBRID_SEARCH_OPENSEARCH_PASSWORD"
      DATABASES = %w[postgresql postgres].freeze
      CLUSTERS = %w[http https].freeze
      private_constant :PASSWORD, :DATABASES, :CLUSTERS

      # @return [String] as given
      attr_reader :text

      # @param text [String] a path, `postgresql://…#collection` or `https://host:9200#index`
      # @raise [UsageError] an address of a server does not name a collection or an index
      def initialize(text)
        @text = text
        scheme, separator, = text.partition("://")
        @scheme = separator.empty? ? "" : scheme.downcase
        @place, separator, name = text.rpartition("#")
        @name = unquoted(name)
        return unless remote? && (separator.empty? || @name.empty?)

        what = DATABASES.include?(@scheme) ? "collection" : "index"
        raise UsageError, "an address of a server ends with # and the name of the #{what}"
      end

      # @param ca_file [String, nil] the certificates of trusted authorities, for OpenSearch
      # @param ragflow [Boolean] whether it is an index that RAGFlow made
      # @return [DocStoreAdapter] the store, which must exist
      def source(ca_file, ragflow)
        raise UsageError, "--ragflow is for an index in OpenSearch" if ragflow && !CLUSTERS.include?(@scheme)

        case @scheme
        when *DATABASES then PostgresDocStore.new(@place, collection: @name, migrate: false)
        when *CLUSTERS then ragflow ? OpenSearchDocStore.ragflow_index(*cluster, **access(ca_file)) : index(ca_file)
        else SqliteDocStore.new(@text, read_only: true)
        end
      end

      # @param ca_file [String, nil] see {#source}
      # @return [DocStoreAdapter] the store, which is created if it is missing
      def target(ca_file)
        case @scheme
        when *DATABASES then PostgresDocStore.new(@place, collection: @name)
        when *CLUSTERS then index(ca_file)
        else SqliteDocStore.new(@text)
        end
      end

      private

      def remote?
        DATABASES.include?(@scheme) || CLUSTERS.include?(@scheme)
      end

      def index(ca_file)
        OpenSearchDocStore.new(*cluster, **access(ca_file))
      end

      # A text whose percent-encoded bytes are decoded.
      def unquoted(text)
        text.b.gsub(/%\h\h/) { |encoded| [encoded.delete("%")].pack("H2") }.force_encoding(::Encoding::UTF_8).scrub
      end

      def cluster
        scheme, separator, rest = @place.partition("://")
        ["#{scheme}#{separator}#{rest.rpartition("@")[2]}", @name]
      end

      def access(ca_file)
        user, separator, = @place.partition("://")[2].rpartition("@")
        return { ca_file: } if separator.empty?

        user = unquoted(user.partition(":")[0])
        { ca_file:, user:, password: -> { ENV.fetch(PASSWORD, "") } }
      end
    end
  end
end
