# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # Creates and describes the index behind an alias, and rebuilds it without downtime (OS-4). An index made by
      # RAGFlow has its own name.
      class OpenSearchIndex
        include Base::ShortInspect

        # An index as the cluster describes it.
        class Described
          include Base::ShortInspect

          # @return [String] the index's own name, not the alias
          attr_reader :name

          # @return [String] an id that distinguishes the index from another one of that name
          attr_reader :uuid

          # @return [Integer] the number of shards
          attr_reader :shards

          # @return [Integer] the number of replicas of each shard
          attr_reader :replicas

          # @return [Hash] the metadata that is stored next to the documents
          attr_reader :meta

          # @return [String, nil] the field that only this index has; nil in one that an earlier version made
          attr_reader :identity

          # @param name [String] the index's own name, not the alias
          # @param uuid [String] an id that distinguishes the index from another one of that name
          # @param shards [Integer] the number of shards
          # @param replicas [Integer] the number of replicas of each shard
          # @param meta [Hash] the metadata that is stored next to the documents
          # @param identity [String, nil] the field that only this index has; nil in one that an earlier version made
          # @param blocked [Boolean] whether the index refuses writes
          def initialize(name:, uuid:, shards:, replicas:, meta:, identity:, blocked:)
            @name = name
            @uuid = uuid
            @shards = shards
            @replicas = replicas
            @meta = meta
            @identity = identity
            @blocked = blocked
            freeze
          end

          # @return [Boolean] whether the index refuses writes
          def blocked?
            @blocked
          end
        end

        DEFAULT_CLAUSES = 1_024
        CLAUSES = "indices.query.bool.max_clause_count"
        LEVELS = %w[transient persistent defaults].freeze
        NAME = /\A[a-z0-9][a-z0-9_.-]{0,99}\z/
        NUMBERED = /\A(.*)-([0-9]{6})\z/m
        MOST_NUMBER = 999_999
        WRITABLE = { "index.blocks.write" => nil }.freeze
        THERE_ALREADY = "resource_already_exists_exception"
        BAD_REQUEST = 400

        # @return [String] the alias
        attr_reader :name

        # @return [String] its path
        attr_reader :path

        # @param client [OpenSearchClient] sends requests to the cluster
        # @param name [String] the alias
        # @param layout [OwnLayout, RagflowLayout] the layout of the index's documents
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

        # @return [Described, nil] the index that the alias currently names, or nil
        def described
          found = ask("GET", @path, accept: [OpenSearchClient::NOT_FOUND])
          return nil unless found

          if found.size != 1
            raise DocStoreError,
                  "the name #{Base::Validation.describe(@name)} must be that of one index, not of #{found.size}"
          end

          name, told = found.first
          settings = told["settings"]["index"]
          mappings = told["mappings"]
          Described.new(name:, uuid: settings["uuid"], shards: settings["number_of_shards"].to_i,
                        replicas: settings["number_of_replicas"].to_i, meta: mappings.fetch("_meta", {}),
                        identity: @layout.identity(mappings.fetch("properties", {})),
                        blocked: settings.dig("blocks", "write") == "true")
        end

        # Return the index that the alias names; create it if it is missing and the layout permits it.
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
          checked(found)
        end

        # @return [Described] the index that the alias names
        def existing
          checked(described)
        end

        # @param most [Integer] the maximum number of clauses that a query may have
        # @return [Integer] the number of clauses that a query may have
        def most_clauses(most)
          path = "/_cluster/settings?include_defaults=true&flat_settings=true"
          told = ask("GET", path, accept: [OpenSearchClient::FORBIDDEN])
          found = LEVELS.filter_map { |level| told[level][CLAUSES] if told[level].is_a?(::Hash) }.first
          [most, (found || DEFAULT_CLAUSES).to_i].min
        end

        # @return [Hash{String=>VectorSource}] the stored sources of vector fields
        def sources
          own_meta.fetch("vectors", {}).transform_values { |model, origin| VectorSource.new(model, origin) }
        end

        # Store the sources of vectors next to the documents.
        #
        # @param sources [Hash{String=>VectorSource}]
        # @return [void]
        def keep_sources(sources)
          meta = { OwnLayout::MARK => { **own_meta, "vectors" => sources.transform_values(&:to_a) } }
          ask("PUT", "#{@path}/_mapping", { "_meta" => meta })
        end

        # Make all written documents visible to searches.
        #
        # @param name [String]
        # @return [void]
        def refresh(name)
          ask("POST", "/#{name}/_refresh")
        end

        # Copy the documents into a new index, point the alias to it, and return its name. The block returns the reader
        # of an index, given its path.
        #
        # Readers notice nothing. While the last changes are copied, writers are held up: they pause, as if the cluster
        # were busy. At the end the previous index is removed. If anything fails, it stays and becomes writable again.
        # If it is not known which index the alias names, the new one is removed only if the alias does not name it.
        #
        # @param shards [Integer, nil] the number of shards of the new index; nil for the same number as before
        # @param replicas [Integer, nil] the number of replicas of each shard; nil for the same number as before
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

        # Return the indexes that interrupted rebuilds have left, ascending, and remove them unless it is a trial.
        #
        # They were made by this library, have the next numbers of this alias, and no alias at all. They are removed in
        # one step with pointing the alias to the index in use: if a rebuild ends meanwhile, that index no longer
        # exists, and nothing is removed. A rebuild that is still at work fails. The index in use then takes changes
        # again, also if an interrupted cleaning has left nothing but its block.
        #
        # @param dry [Boolean] whether to change nothing
        # @return [Array<String>]
        def clean(dry)
          before = existing
          told = ask("GET", "/#{@name}-*?expand_wildcards=all")
          found = told.keys.select { |name| name != before.name && left?(name, told[name]) }.sort
          return found if dry

          remove(found, before.name) if found.any?
          ask("PUT", "/#{before.name}/_settings", WRITABLE) if found.any? || before.blocked?
          found
        end

        private

        # Remove indexes, unless the alias names another index than before.
        def remove(names, before)
          actions = [{ "add" => { "index" => before, "alias" => @name } },
                     *names.map { |name| { "remove_index" => { "index" => name } } }]
          ask("POST", "/_aliases", { "actions" => actions })
        end

        # Return whether an index without an alias is one that this library has made for the alias of this one.
        def left?(name, index)
          return false unless NUMBERED.match(name)&.[](1) == @name && index["aliases"].empty?

          index["mappings"].fetch("_meta", {}).key?(OwnLayout::MARK)
        end

        def ask(method, path, body = nil, **options)
          @client.ask(OpenSearchClient::Request.new(method, path, body, **options))
        end

        def checked(found)
          raise DocStoreError, "there is no index #{Base::Validation.describe(@name)}" unless found

          @layout.check(found.name, found.meta)
          found
        end

        def own_meta
          found = described
          found ? found.meta.fetch(OwnLayout::MARK, {}) : {}
        end

        # Create an index; return whether it did not exist before.
        def make(name, shards, replicas, named, meta)
          own = meta.fetch(OwnLayout::MARK, {})
          body = @layout.index(@client.engine, shards, replicas, named, own, @client.microseconds.to_s)
          error = ask("PUT", "/#{name}", body, accept: [BAD_REQUEST])["error"]
          if error.is_a?(::Hash) && error["type"] != THERE_ALREADY
            raise @client.failure("did not make the index #{Base::Validation.describe(name)}: #{error["reason"]}")
          end

          error.nil?
        end

        def raise_clauses(most)
          return if !@client.engine.raises_clauses? || most_clauses(most) == most

          ask("PUT", "/_cluster/settings", { "persistent" => { CLAUSES => most } })
        rescue DocStoreError => e
          Base::Log.warning("#{e.message}; the clauses of the lowest boosts of long questions are left out instead")
        end

        # Return the error for a new index whose name is already in use.
        def taken(before, name)
          shown = Base::Validation.describe(name)
          if (described&.name || before) != before
            return DocStoreError.new(
              "another reindex was at work: #{Base::Validation.describe(@name)} names #{shown} now"
            )
          end

          DocStoreError.new("the index #{shown} is there already: another reindex is at work, or was broken off; " \
                            "then run hybrid-search opensearch clean --index #{@name}")
        end

        # Copy everything into another index; from then on the previous index refuses writes.
        def copy_all(before, name)
          copy_properties(before.name, name)
          refresh(before.name)
          reader = yield "/#{before.name}"
          copies = yield "/#{name}"
          writer = OpenSearchWriter.new(@client, "/#{name}", copies, @layout, "false", named: false) do
            copy_properties(before.name, name)
          end
          last = reader.generations.sequences(before.shards).map(&:last).min
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
          made = @layout.index(@client.engine, 1, 1, "", {})["mappings"]["properties"]
          added = told[source]["mappings"]["properties"].reject do |name, _|
            made.key?(name) || name.start_with?(OwnLayout::IDENTITY)
          end
          ask("PUT", "/#{target}/_mapping", { "properties" => added })
        end

        # Make an index refuse writes, and wait for those in progress.
        def hold_up_writers(name)
          return if ask("PUT", "/#{name}/_block/write")["shards_acknowledged"] == true

          raise @client.failure("did not hold up all who write into #{Base::Validation.describe(name)}")
        end

        # Point the alias to another index, and remove the previous index in the same step.
        def swap(before, after)
          actions = [{ "add" => { "index" => after, "alias" => @name } }, { "remove_index" => { "index" => before } }]
          ask("POST", "/_aliases", { "actions" => actions }, writes: true)
        end

        # Undo a rebuild, and return whether the alias names the previous index.
        #
        # If so, the new index is removed and the previous one becomes writable again. The removal is one step with
        # pointing the alias to the previous index: if that index no longer exists, nothing happens.
        def undone?(problem, before, after)
          actions = [{ "add" => { "index" => before, "alias" => @name } }, { "remove_index" => { "index" => after } }]
          ask("POST", "/_aliases", { "actions" => actions }, accept: [OpenSearchClient::NOT_FOUND])
          return false if described&.name == after

          ask("PUT", "/#{before}/_settings", WRITABLE, accept: [OpenSearchClient::NOT_FOUND])
          true
        rescue DocStoreError => e
          raise UnknownOutcomeError, "#{problem.message}; this could not be undone: #{e.message}; " \
                                     "#{Base::Validation.describe(@name)} names the index " \
                                     "#{Base::Validation.describe(before)}, " \
                                     "which may refuse writers, or #{Base::Validation.describe(after)}"
        end

        # Return the name of the index that follows another one.
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
