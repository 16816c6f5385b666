# frozen_string_literal: true

require "yaml"
require "erb"

module HybridSearch
  module Rails
    # The settings of an application: the part of `config/hybrid_search.yml` for its environment.
    #
    # | setting | default | meaning |
    # |---|---|---|
    # | `store` | `file`; `memory` in tests | `memory`, `file`, `postgres`, `opensearch` |
    # | `path` | `storage/hybrid_search` | the directory of the files, below the application's |
    # | `url` | | the address of PostgreSQL or OpenSearch; without one PostgreSQL is reached by the application's pool |
    # | `connection_class` | `ActiveRecord::Base` | the class whose pool it is |
    # | `prefix` | | what the names of all collections begin with |
    # | `embedding` | `none` | see {Embedders} |
    # | `former_embeddings` | `[]` | embeddings of indexes that are not reindexed yet |
    # | `callbacks` | `async` with ActiveJob, else `inline` | as in the macro |
    # | `queue` | `default` | the queue of the jobs |
    # | `options` | | options of the store, such as `timeout`, `dense`, `shards` |
    # | `index` | | options of {Index#initialize}, such as `cursor_secret`, `synonyms`, `profile` |
    class Configuration
      include Base::ShortInspect

      NAMES = %w[store path url connection_class prefix embedding former_embeddings callbacks queue options
                 index].freeze
      STORES = %w[memory file postgres opensearch].freeze
      FILE = "hybrid_search"
      # The options of an index that the integration itself sets.
      OWN = %w[store path embedding].freeze
      PREFIX = /\A[a-z0-9_.-]*\z/
      private_constant :NAMES, :STORES, :FILE, :OWN, :PREFIX

      # @return [Configuration] the settings of the running application, or the defaults
      def self.load
        new(ApplicationSettings.read)
      end

      # Reads the file `config/hybrid_search.yml` of the running application.
      module ApplicationSettings
        module_function

        # @return [Hash] the settings; empty without an application or a file
        def read
          application = defined?(::Rails.application) && ::Rails.application
          return {} unless application && application.paths["config"].existent.any? { |folder| there?(folder) }

          (application.config_for(FILE.to_sym) || {}).to_h
        end

        # @param folder [String]
        # @return [Boolean]
        def there?(folder)
          ::File.file?(::File.join(folder, "#{FILE}.yml"))
        end
      end

      # @return [String] "memory", "file", "postgres" or "opensearch"
      attr_reader :store
      # @return [String] the directory of the files
      attr_reader :path
      # @return [String, Array<String>, nil]
      attr_reader :url
      # @return [String]
      attr_reader :connection_class
      # @return [String]
      attr_reader :prefix
      # @return [Object] see {Embedders.build}
      attr_reader :embedding
      # @return [Array<Object>]
      attr_reader :former_embeddings
      # @return [Symbol, Boolean]
      attr_reader :callbacks
      # @return [String]
      attr_reader :queue
      # @return [Hash{Symbol=>Object}] options of the store
      attr_reader :options
      # @return [Hash{Symbol=>Object}] options of the index
      attr_reader :index_options

      # @param settings [Hash]
      # @raise [InvalidInputError] a setting is unknown or not acceptable
      def initialize(settings)
        given = @given = settings.to_h.transform_keys(&:to_s)
        Base::Validation.known("setting", given.keys, NAMES)
        environment = defined?(::Rails.env) && ::Rails.respond_to?(:env) ? ::Rails.env.to_s : ""
        @store = Base::Validation.choice("store", given["store"] || (environment == "test" ? "memory" : "file"), STORES)
        @path = below_application(Base::Validation.text("path", (given["path"] || "storage/hybrid_search").to_s))
        @url = given["url"]
        @connection_class = (given["connection_class"] || "ActiveRecord::Base").to_s
        @prefix = checked_prefix(given["prefix"].to_s)
        @embedding = given["embedding"]
        @former_embeddings = list(given["former_embeddings"])
        @callbacks = mode(given["callbacks"])
        @queue = (given["queue"] || "default").to_s
        @options = named("options", given["options"])
        @index_options = named("index", given["index"])
        check_index(@index_options)
        freeze
      end

      # @param changes [Hash{Symbol=>Object}] other settings
      # @return [Configuration]
      def with(**changes)
        Configuration.new({ **@given, **changes.transform_keys(&:to_s) })
      end

      private

      def inspected
        { store:, prefix: }
      end

      def below_application(path)
        root = defined?(::Rails.root) && ::Rails.respond_to?(:root) ? ::Rails.root : nil
        root ? ::File.expand_path(path, root) : ::File.expand_path(path)
      end

      def list(value)
        return [] if value.nil?

        value.is_a?(::Array) ? value : [value]
      end

      def checked_prefix(prefix)
        return prefix if prefix.match?(PREFIX)

        raise Base::Validation.failure("prefix", prefix, "a text of a-z, 0-9, _, . and -")
      end

      def mode(given)
        return CallbackMode.accept("callbacks", given, ModelOptions::MODES) unless given.nil?

        defined?(::ActiveJob) ? :async : :inline
      end

      def named(name, value)
        return {} if value.nil?

        Base::Validation.mapping(name, value).transform_keys(&:to_sym)
      end

      def check_index(options)
        Base::Validation.known("option of index", options.keys, Index::OPTIONS - OWN)
      end
    end
  end
end
