# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module OpenSearch
      # Writes batches into an index that this library made: each document whole or not at all, and never over another
      # writer's (DOC-1).
      class OpenSearchWriter
        include Base::ShortInspect

        MOST_BYTES = 8_000_000
        MOST_ITEMS = 1_000
        CONFLICT = 409

        # One line of a bulk request, the document that follows it, if one does, and the id.
        Operation = Struct.new(:identifier, :action, :source)
        private_constant :Operation

        # @param client [OpenSearchClient] asks the cluster
        # @param index [String] the path of the alias, or of an index
        # @param reader [OpenSearchReader] reads the index
        # @param layout [OwnLayout] how documents lie in it
        # @param refresh [String] "true", "wait_for" or "false"
        # @param named [Boolean] whether it is an alias; what is none is then never made by writing
        def initialize(client, index, reader, layout, refresh, named: true)
          @client = client
          @index = index
          @reader = reader
          @layout = layout
          late = "&timeout=#{client.milliseconds}ms" # a cluster that does it later may undo what was written since
          @path = "#{index}/_bulk?refresh=#{refresh}#{late}#{"&require_alias=true" if named}"
          @properties = {}
        end

        # Add documents, of which none is stored.
        #
        # @param accepted [Array<Documents::StoredDocument>]
        # @return [Integer] how many were added
        def insert(accepted)
          stored = @reader.versions(accepted.map(&:identifier))
          Documents::Batch.check_new(accepted) { |identifier| stored.key?(identifier) }
          prepare(accepted)
          taken = carry_out(accepted.map { |document| created(document) })
          if taken.size == accepted.size && !repeated?(accepted, taken)
            Documents::Batch.check_new(accepted) { |identifier| taken.key?(identifier) }
          end
          raise meanwhile(taken, accepted.size) unless taken.empty?

          accepted.size
        end

        # Make documents what they become beside those that are stored, again where others write at the same time. The
        # block tells what they become, given them and what gives a stored one. One that is stored as it is to be is
        # left out only where no copy of the index can lose it any more.
        #
        # @param accepted [Array<Documents::StoredDocument>]
        # @return [Integer] how many were to be changed at first: one that conflicts, and is then as it was to be, is
        #   changed; a cluster that repeats an attempt has done it itself
        def change(accepted)
          given = accepted.to_h { |document| [document.identifier, document] }
          until_none_conflicts(given.keys) do |identifiers|
            stored = @reader.documents(identifiers)
            changed = yield(identifiers.map { |one| given[one] }, ->(one) { stored[one]&.document })
            prepare(changed)
            operations = changed.map { |document| replaced(document, stored[document.identifier]) }
            same = without(stored, changed)
            unsure = @reader.unsure(identifiers.filter_map { |one| [one, same[one].sequence] if same.key?(one) }.to_h)
            [operations + unsure.map { |one| replaced(same[one].document, same[one]) }, changed.size]
          end
        end

        # Remove documents in the version that was read: an attempt that comes late removes nothing newer. Of one that
        # is not there this is said to the cluster again, unless no copy of the index can have it.
        #
        # @param identifiers [Array<String>]
        # @return [Integer] how many were removed
        def delete(identifiers)
          until_none_conflicts(identifiers) do |some|
            stored = @reader.versions(some)
            there, missing = some.partition { |one| stored.key?(one) }
            unsure = @reader.unsure(missing.to_h { |one| [one, nil] })
            operations = there.map { |one| Operation.new(one, { "delete" => version(one, stored[one]) }) }
            [operations + unsure.map { |one| Operation.new(one, { "delete" => { "_id" => one } }) }, there.size]
          end
        end

        # Store documents as another index has them, over whatever there is.
        #
        # @param sources [Enumerable<Array(String, Hash)>] the ids, and what is stored of each
        # @return [void]
        def copy(sources)
          sources.each_slice(MOST_ITEMS) do |part|
            operations = part.map do |identifier, source|
              Operation.new(identifier, { "index" => { "_id" => identifier } }, source)
            end
            carry_out(operations)
          end
        end

        private

        # Carry out what the block gives for ids, again for those that conflict; gives the count of the first attempt.
        def until_none_conflicts(left)
          count = nil
          pausing = @client.pausing
          until left.empty?
            operations, changed = yield(left)
            count ||= changed
            left = carry_out(operations).keys
            next if left.empty?

            pausing.wait(@client.failure("has other writers at #{left.size} of these documents"))
          end
          count || 0
        end

        # Whether the cluster may have stored one of these documents itself, and then told that it is there: it repeats
        # an attempt where a primary has failed, and the document is then as it is to be.
        def repeated?(accepted, taken)
          stored = @reader.documents(taken.keys)
          others = Documents::Batch.replacements(accepted) { |one| stored[one]&.document }
          without(stored, others).any? { |one, same| @reader.outlived?(same, taken[one]) }
        end

        # What is stored but for some documents.
        def without(stored, documents)
          left_out = documents.to_h { |document| [document.identifier, true] }
          stored.reject { |identifier, _| left_out.key?(identifier) }
        end

        # Have the index know all fields that documents need.
        def prepare(documents)
          wanted = @layout.properties(documents)
          added = wanted.reject { |name, _| @properties.key?(name) }.sort.to_h
          return if added.empty?

          @client.ask(OpenSearchClient::Request.new("PUT", "#{@index}/_mapping", { "properties" => added }))
          added.each_key { |name| @properties[name] = true }
        end

        # Carry out operations; gives the ids of those that conflict with other writers', and the part of the index.
        def carry_out(operations)
          passed = {}
          progress = [0, operations.size]
          parts(operations).each do |part|
            pausing = @client.pausing
            unclear = false
            until part.empty?
              items = sent(part, progress)
              unclear ||= items.any? { |item| item.fetch("status", 0) >= OpenSearchClient::FAILED }
              again, conflicts = sorted(part, items, progress, unclear)
              passed.update(conflicts)
              wait(pausing, again, progress, unclear) unless again.empty?
              part = again.map(&:first)
            end
          end
          passed
        end

        # The operations to send again with what came of them, and those that conflict; the progress is how many are
        # done, and of how many.
        def sorted(operations, items, progress, unclear)
          again = []
          passed = {}
          failed = operations.zip(items).select { |_, item| item["error"].is_a?(::Hash) }
          progress[0] += operations.size - failed.size
          failed.each do |operation, item|
            if item["status"] == CONFLICT
              passed[operation.identifier] = item["error"]["shard"].to_s
            else
              raise ending(refused(operation, item["error"], progress), unclear) unless passing?(item)

              again << [operation, item]
            end
          end
          [again, passed]
        end

        def passing?(item)
          status = item["status"]
          status == OpenSearchClient::BUSY || OpenSearchClient::UNAVAILABLE.include?(status) ||
            item["error"]["type"] == OpenSearchClient::BLOCKED
        end

        # Pause before documents are sent again.
        def wait(pausing, again, progress, unclear)
          told = OpenSearchClient.words(again[0][1]["error"])
          pausing.wait(short("did not take #{again.size} documents: #{told}", progress))
        rescue DocStoreError => e
          raise ending(e, unclear)
        end

        # What is raised; it may be unclear whether a primary has begun with one of the documents.
        def ending(problem, unclear)
          unclear ? UnknownOutcomeError.new("#{problem.message}#{OpenSearchClient::UNKNOWN}") : problem
        end

        # What came of each operation.
        def sent(operations, progress)
          lines = operations.flat_map { |operation| [operation.action, operation.source].compact }
          items = answer(lines, progress)["items"]
          unless items.is_a?(::Array) && items.size == operations.size
            raise short("did not tell what came of all documents", progress)
          end

          items.map { |item| item.values.first }
        end

        def answer(lines, progress)
          @client.ask(OpenSearchClient::Request.new("POST", @path, lines, writes: true))
        rescue DocStoreError => e
          raise e.class, "#{e.message}#{told(progress)}"
        end

        def refused(operation, error, progress)
          shown = Base::Validation.describe(operation.identifier)
          short("refused the document #{shown}: #{OpenSearchClient.words(error)}", progress)
        end

        def short(what, progress)
          @client.failure("#{what}#{told(progress)}")
        end

        def told(progress)
          done, whole = progress
          whole > 1 ? "; #{done} of #{whole} documents are written" : ""
        end

        def meanwhile(taken, whole)
          DocStoreError.new("#{whole - taken.size} of #{whole} documents are stored; #{taken.size} were stored " \
                            "meanwhile, by another writer or in an attempt that the cluster repeated, " \
                            "#{Base::Validation.describe(taken.keys[0])} is the first")
        end

        def created(document)
          Operation.new(document.identifier, { "create" => { "_id" => document.identifier } }, @layout.source(document))
        end

        def replaced(document, before)
          return created(document) unless before

          action = { "index" => version(document.identifier, before.sequence) }
          Operation.new(document.identifier, action, @layout.source(document))
        end

        def version(identifier, sequence)
          { "_id" => identifier, "if_seq_no" => sequence[0], "if_primary_term" => sequence[1] }
        end

        # Operations in requests of a size that engines take.
        def parts(operations)
          parts = []
          size = MOST_BYTES
          operations.each do |operation|
            own = operation.source ? JSON.generate(operation.source).bytesize : 0
            if parts.empty? || size + own > MOST_BYTES || parts.last.size == MOST_ITEMS
              parts << []
              size = 0
            end
            parts.last << operation
            size += own
          end
          parts
        end
      end
    end
  end
end
