# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # An index that is asked by an alias, or one that RAGFlow made by its own name: made, described, and made anew
      # without a stop (OS-4).
      class OpenSearchIndex
        include Base::ShortInspect

        # An index as the cluster tells of it.
        class Described
          include Base::ShortInspect

          # @return [String] its own name, not the alias
          attr_reader :name

          # @return [String] tells it from another one of that name
          attr_reader :uuid

          # @return [Integer] into how many parts it is cut
          attr_reader :shards

          # @return [Integer] how many copies there are of each
          attr_reader :replicas

          # @return [Hash] what is kept beside the documents
          attr_reader :meta

          # @param name [String] its own name, not the alias
          # @param uuid [String] tells it from another one of that name
          # @param shards [Integer] into how many parts it is cut
          # @param replicas [Integer] how many copies there are of each
          # @param meta [Hash] what is kept beside the documents
          def initialize(name, uuid, shards, replicas, meta)
            @name = name
            @uuid = uuid
            @shards = shards
            @replicas = replicas
            @meta = meta
            freeze
          end
        end

        DEFAULT_CLAUSES = 1_024
        CLAUSES = "indices.query.bool.max_clause_count"
        LEVELS = %w[transient persistent defaults].freeze
        NAME = /\A[a-z0-9][a-z0-9_.-]{0,99}\z/
        NUMBERED = /\A(.*)-([0-9]{6})\z/m
        MOST_NUMBER = 999_999
        THERE_ALREADY = "resource_already_exists_exception"
        BAD_REQUEST = 400

        # @return [String] the alias
        attr_reader :name

        # @return [String] its path
        attr_reader :path

        # @param client [OpenSearchClient] asks the cluster
        # @param name [String] the alias
        # @param layout [OwnLayout, RagflowLayout] how documents lie in it
        def initialize(client, name, layout)
          unless NAME.match?(Base::Validation.text("index", name))
            raise Base::Validation.failure("index", name,
                                           "at most 100 of a-z, 0-9, _, - and ., a letter or digit first")
          end

          @client = client
          @layout = layout
          @name = name
          @path = "/#{name}"
        end

        # @return [Described, nil] what is behind the alias now; nil if nothing is
        def described
          found = ask("GET", @path, accept: [OpenSearchClient::NOT_FOUND])
          return nil unless found

          if found.size != 1
            raise DocStoreError,
                  "the name #{Base::Validation.describe(@name)} must be that of one index, not of #{found.size}"
          end

          name, told = found.first
          settings = told["settings"]["index"]
          Described.new(name, settings["uuid"], settings["number_of_shards"].to_i, settings["number_of_replicas"].to_i,
                        told["mappings"].fetch("_meta", {}))
        end

        # What is behind the alias; an index is made where nothing is, if the layout can make one.
        #
        # @param shards [Integer]
        # @param replicas [Integer]
        # @param most_clauses [Integer]
        # @return [Described]
        def opened(shards, replicas, most_clauses)
          found = described
          if found.nil? && !@layout.read_only
            make("#{@name}-000001", shards, replicas, @name, {})
            raise_clauses(most_clauses)
            found = described
          end
          raise DocStoreError, "there is no index #{Base::Validation.describe(@name)}" unless found

          @layout.check(found.name, found.meta)
          found
        end

        # @param most [Integer] how many it is to have at the most
        # @return [Integer] how many clauses a query may have
        def most_clauses(most)
          path = "/_cluster/settings?include_defaults=true&flat_settings=true"
          told = ask("GET", path, accept: [OpenSearchClient::FORBIDDEN])
          found = LEVELS.filter_map { |level| told[level][CLAUSES] if told[level].is_a?(::Hash) }.first
          [most, (found || DEFAULT_CLAUSES).to_i].min
        end

        # @return [Hash{String=>VectorSource}] what is kept of vector fields
        def sources
          own_meta.fetch("vectors", {}).transform_values { |model, origin| VectorSource.new(model, origin) }
        end

        # Keep where vectors come from, next to the documents.
        #
        # @param sources [Hash{String=>VectorSource}]
        # @return [void]
        def keep_sources(sources)
          meta = { OwnLayout::MARK => { **own_meta, "vectors" => sources.transform_values(&:to_a) } }
          ask("PUT", "#{@path}/_mapping", { "_meta" => meta })
        end

        # Have everything that is written found.
        #
        # @param name [String]
        # @return [void]
        def refresh(name)
          ask("POST", "/#{name}/_refresh")
        end

        # Copy the documents into a new index, and let the alias name that one; gives its name. The block gives the
        # reader of an index by its path.
        #
        # Readers notice nothing. Writers are held up while the last changes are copied: they pause, as where the
        # cluster is busy. The index before is removed at the end; if anything fails it stays, and is written again.
        # Where it is not known whether the alias names the new one, that one goes only if it does not.
        #
        # @param shards [Integer, nil] into how many parts the new one is cut; nil: as many as before
        # @param replicas [Integer, nil] how many copies there are of each; nil: as many as before
        # @return [String]
        def reindex(shards, replicas, &)
          before = opened(1, 1, DEFAULT_CLAUSES)
          name = following(before.name)
          made = make(name, shards || before.shards, replicas || before.replicas, "", before.meta)
          raise taken(before.name, name) unless made

          begin
            copy_all(before, name, &)
            swap(before.name, name)
          rescue Exception => e # rubocop:disable Lint/RescueException -- an interrupted copy is removed too
            raise if undone?(e, before.name, name) || !e.is_a?(UnknownOutcomeError)
          end
          name
        end

        private

        def ask(method, path, body = nil, **options)
          @client.ask(OpenSearchClient::Request.new(method, path, body, **options))
        end

        def own_meta
          found = described
          found ? found.meta.fetch(OwnLayout::MARK, {}) : {}
        end

        # Make an index; gives whether it was not there already.
        def make(name, shards, replicas, named, meta)
          body = @layout.index(shards, replicas, named, meta.fetch(OwnLayout::MARK, {}))
          error = ask("PUT", "/#{name}", body, accept: [BAD_REQUEST])["error"]
          if error.is_a?(::Hash) && error["type"] != THERE_ALREADY
            raise @client.failure("did not make the index #{Base::Validation.describe(name)}: #{error["reason"]}")
          end

          error.nil?
        end

        def raise_clauses(most)
          return if most_clauses(most) == most

          ask("PUT", "/_cluster/settings", { "persistent" => { CLAUSES => most } })
        rescue DocStoreError => e
          Base::Log.warning("#{e.message}; the clauses of the lowest boosts of long questions are left out instead")
        end

        # What is said where another one has made the index that was to be made.
        def taken(before, name)
          shown = Base::Validation.describe(name)
          if (described&.name || before) != before
            return DocStoreError.new(
              "another reindex was at work: #{Base::Validation.describe(@name)} names #{shown} now"
            )
          end

          DocStoreError.new("the index #{shown} is there already: another reindex is at work, or was broken off; " \
                            "then remove it, and set index.blocks.write of " \
                            "#{Base::Validation.describe(before)} to null")
        end

        # Copy everything into another index; from then on nobody writes into the one before.
        def copy_all(before, name)
          copy_properties(before.name, name)
          refresh(before.name)
          reader = yield "/#{before.name}"
          copies = yield "/#{name}"
          writer = OpenSearchWriter.new(@client, "/#{name}", copies, @layout, "false", named: false)
          last = reader.sequences(before.shards).map(&:last).min
          writer.copy(reader.to_enum(:sources, { "match_all" => {} }))
          hold_up_writers(before.name)
          refresh(before.name)
          writer.copy(reader.to_enum(:sources, { "range" => { "_seq_no" => { "gt" => last } } }))
          refresh(name)
          everything = AdapterKit::Filters.new(nil)
          writer.delete((copies.listed(everything) - reader.listed(everything)).sort)
          refresh(name)
        end

        def copy_properties(source, target)
          told = ask("GET", "/#{source}/_mapping")
          ask("PUT", "/#{target}/_mapping", { "properties" => told[source]["mappings"]["properties"] })
        end

        # Have an index refuse what is written, and wait for what is being written.
        def hold_up_writers(name)
          return if ask("PUT", "/#{name}/_block/write")["shards_acknowledged"] == true

          raise @client.failure("did not hold up all who write into #{Base::Validation.describe(name)}")
        end

        # Let the alias name another index, in one step with the removal of the one before.
        def swap(before, after)
          actions = [{ "add" => { "index" => after, "alias" => @name } }, { "remove_index" => { "index" => before } }]
          ask("POST", "/_aliases", { "actions" => actions }, writes: true)
        end

        # Whether the alias names the index before; then the other one is gone, and that one is written again. It is
        # removed in one step in which the alias names the index before: where that one is gone, nothing happens.
        def undone?(problem, before, after)
          actions = [{ "add" => { "index" => before, "alias" => @name } }, { "remove_index" => { "index" => after } }]
          ask("POST", "/_aliases", { "actions" => actions }, accept: [OpenSearchClient::NOT_FOUND])
          return false if described&.name == after

          ask("PUT", "/#{before}/_settings", { "index.blocks.write" => nil }, accept: [OpenSearchClient::NOT_FOUND])
          true
        rescue DocStoreError => e
          raise UnknownOutcomeError, "#{problem.message}; this could not be undone: #{e.message}; " \
                                     "#{Base::Validation.describe(@name)} names the index " \
                                     "#{Base::Validation.describe(before)}, " \
                                     "which may refuse writers, or #{Base::Validation.describe(after)}"
        end

        # The name of the index that comes after one.
        def following(name)
          match = NUMBERED.match(name)
          number = match ? match[2].to_i + 1 : 1
          if number > MOST_NUMBER
            raise InvalidInputError, "the index was made anew #{MOST_NUMBER} times: its numbers are used up"
          end

          "#{@name}-#{number.to_s.rjust(6, "0")}"
        end
      end
    end
  end
end
