# frozen_string_literal: true

module HybridSearch
  module Cli
    # Opens the store that an address names (CUR-5): a file, a collection in a database, or an index in OpenSearch.
    class StoreAddress
      include Base::ShortInspect

      # The environment variable with the password of the user in an address of OpenSearch.
      PASSWORD = "HYBRID_SEARCH_OPENSEARCH_PASSWORD"
      # The environment variable with an API key, for addresses of OpenSearch without a user.
      API_KEY = "HYBRID_SEARCH_OPENSEARCH_API_KEY"
      # The flags that name files for OpenSearch, and the options of the store that take them.
      FILES = { "ca-file" => :ca_file, "client-certificate" => :client_certificate,
                "client-key" => :client_key }.freeze
      # The environment variable with the password of the user in an address of OceanBase, unless the address contains
      # one.
      OCEANBASE_PASSWORD = "HYBRID_SEARCH_OCEANBASE_PASSWORD"
      DATABASES = %w[postgresql postgres].freeze
      OCEANBASES = %w[oceanbase mysql].freeze
      CLUSTERS = %w[http https].freeze
      private_constant :PASSWORD, :API_KEY, :OCEANBASE_PASSWORD, :FILES, :DATABASES, :OCEANBASES, :CLUSTERS

      # @return [String] as given
      attr_reader :text

      # @param text [String] a path, `postgresql://…#collection`, `oceanbase://…#collection` or `https://host:9200#index`
      # @raise [UsageError] an address of a server does not name a collection or an index
      def initialize(text)
        @text = text
        scheme, separator, = text.partition("://")
        @scheme = separator.empty? ? "" : scheme.downcase
        @place, separator, name = text.rpartition("#")
        @name = unquoted(name)
        return unless remote? && (separator.empty? || @name.empty?)

        what = CLUSTERS.include?(@scheme) ? "index" : "collection"
        raise UsageError, "an address of a server ends with # and the name of the #{what}"
      end

      # @return [Boolean] whether the address is that of an index in OpenSearch
      def cluster?
        CLUSTERS.include?(@scheme)
      end

      # @param flags [Hash] those of the command line; OpenSearch needs the flags that name files, and `ragflow` for an
      #   index that RAGFlow made
      # @return [DocStoreAdapter] the store, which must exist
      def source(flags)
        raise UsageError, "--ragflow is for an index in OpenSearch" if flags.key?("ragflow") && !cluster?

        case @scheme
        when *DATABASES then PostgresDocStore.new(@place, collection: @name, migrate: false)
        when *OCEANBASES then oceanbase(flags, false)
        when *CLUSTERS
          opened = flags.key?("ragflow") ? :ragflow_index : :new
          OpenSearchDocStore.public_send(opened, *cluster, create: false, **access(flags))
        else SqliteDocStore.new(@text, read_only: true)
        end
      end

      # @param flags [Hash] see {#source}
      # @return [DocStoreAdapter] the store, which is created if it is missing
      def target(flags)
        case @scheme
        when *DATABASES then PostgresDocStore.new(@place, collection: @name)
        when *OCEANBASES then oceanbase(flags, true)
        when *CLUSTERS then OpenSearchDocStore.new(*cluster, **access(flags))
        else SqliteDocStore.new(@text)
        end
      end

      private

      def remote?
        (DATABASES + OCEANBASES + CLUSTERS).include?(@scheme)
      end

      def oceanbase(flags, migrate)
        word = ENV.fetch(OCEANBASE_PASSWORD, nil)
        password = word && -> { word }
        OceanBaseDocStore.new(@place, collection: @name, password:, ca_file: flags["ca-file"], migrate:)
      end

      # Return a text whose percent-encoded bytes are decoded.
      def unquoted(text)
        text.b.gsub(/%\h\h/) { |encoded| [encoded.delete("%")].pack("H2") }.force_encoding(::Encoding::UTF_8).scrub
      end

      def cluster
        scheme, separator, rest = @place.partition("://")
        ["#{scheme}#{separator}#{rest.rpartition("@")[2]}", @name]
      end

      def access(flags)
        access = FILES.to_h { |flag, option| [option, flags[flag]] }
        user, separator, = @place.partition("://")[2].rpartition("@")
        unless separator.empty?
          user = unquoted(user.partition(":")[0])
          return { **access, user:, password: -> { ENV.fetch(PASSWORD, "") } }
        end

        { **access, api_key: ENV.fetch(API_KEY, "").empty? ? nil : -> { ENV.fetch(API_KEY, "") } }
      end
    end
  end
end
