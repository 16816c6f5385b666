# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module OpenSearch
      # Writes batches into an index made by this library: each document as a whole or not at all, and never over a
      # concurrent write (DOC-1).
      class OpenSearchWriter
        include Base::ShortInspect

        MOST_BYTES = 8_000_000
        MOST_ITEMS = 1_000
        CONFLICT = 409
        # The type of the error for a field that the index does not know, as after it was removed and created again.
        UNMAPPED = "strict_dynamic_mapping_exception"

        # The id of a document, the action line of a bulk request, and the source line that follows it, if any.
        Operation = Struct.new(:identifier, :action, :source)
        private_constant :Operation

        # @param client [OpenSearchClient] sends requests to the cluster
        # @param index [String] the path of the alias or of an index
        # @param reader [OpenSearchReader] reads the index
        # @param layout [OwnLayout] the layout of the index's documents
        # @param refresh [String] "true", "wait_for" or "false"
        # @param named [Boolean] whether the path is that of an alias; a write then never creates a missing index
        # @yield adds the fields that an index misses; without a block, those are added that this writer has used
        def initialize(client, index, reader, layout, refresh, named: true, &remap)
          @client = client
          @index = index
          @reader = reader
          @layout = layout
          late = "&timeout=#{client.milliseconds}ms" # a cluster that writes later might undo newer changes
          @path = "#{index}/_bulk?refresh=#{refresh}#{late}#{"&require_alias=true" if named}"
          @properties = {}
          @remap = remap || -> { map(@properties) }
        end

        # Add documents, none of which is stored.
        #
        # @param accepted [Array<Documents::StoredDocument>]
        # @return [Integer] the number of added documents
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

        # Change documents, considering the stored ones; repeat those that conflict with concurrent writes. The block
        # returns the new form of documents, given these and a callable that returns stored ones.
        #
        # A document that is already in its new form is skipped only if no copy of the index can lose it any more.
        #
        # @param accepted [Array<Documents::StoredDocument>]
        # @return [Integer] the number of documents to change in the first attempt. A document that conflicts and is in
        #   its new form afterwards counts as changed, since a cluster may repeat an attempt itself
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

        # Remove documents in the version that was read, so that a late attempt removes no newer version.
        #
        # A missing document is removed again, unless no copy of the index can contain it.
        #
        # @param identifiers [Array<String>]
        # @return [Integer] the number of removed documents
        def delete(identifiers)
          until_none_conflicts(identifiers) do |some|
            stored = @reader.versions(some)
            there, missing = some.partition { |one| stored.key?(one) }
            unsure = @reader.unsure(missing.to_h { |one| [one, nil] })
            operations = there.map { |one| Operation.new(one, { "delete" => version(one, stored[one]) }) }
            [operations + unsure.map { |one| Operation.new(one, { "delete" => { "_id" => one } }) }, there.size]
          end
        end

        # Store documents as in another index, replacing existing ones.
        #
        # @param sources [Enumerable<Array(String, Hash)>] the ids and the stored sources
        # @return [void]
        def copy(sources)
          sources.each_slice(MOST_ITEMS) do |part|
            operations = part.map do |identifier, source|
              document = @layout.document(identifier, source, nil) # the source may be that of an earlier layout
              Operation.new(identifier, { "index" => { "_id" => identifier } }, @layout.source(document))
            end
            carry_out(operations)
          end
        end

        private

        # Carry out the operations that the block returns, again for conflicting ids; return the count of the first
        # attempt.
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

        # Return whether the cluster may have stored one of these documents itself, and then reported it as existing.
        #
        # A cluster repeats an attempt after a primary has failed; the document then has its new form already.
        def repeated?(accepted, taken)
          stored = @reader.documents(taken.keys)
          others = Documents::Batch.replacements(accepted) { |one| stored[one]&.document }
          without(stored, others).any? { |one, same| @reader.outlived?(same, taken[one]) }
        end

        # Return the stored documents except the given ones.
        def without(stored, documents)
          left_out = documents.to_h { |document| [document.identifier, true] }
          stored.reject { |identifier, _| left_out.key?(identifier) }
        end

        # Add the fields that documents need to the index.
        def prepare(documents)
          wanted = @layout.properties(documents, @client.engine)
          added = wanted.reject { |name, _| @properties.key?(name) }.sort.to_h
          return if added.empty?

          map(added)
          @properties.update(added)
        end

        # Add fields to the index.
        def map(properties)
          body = { "dynamic" => OwnLayout::STRICT, "properties" => properties }
          @client.ask(OpenSearchClient::Request.new("PUT", "#{@index}/_mapping", body))
        end

        # Carry out operations; return the ids of those that conflict with concurrent writes, with their shards.
        def carry_out(operations)
          passed = {}
          progress = [0, operations.size]
          parts(operations).each do |part|
            pausing = @client.pausing
            unclear = false
            mapped = false
            until part.empty?
              items = sent(part, progress)
              unclear ||= items.any? { |item| item.fetch("status", 0) >= OpenSearchClient::FAILED }
              again, conflicts = sorted(part, items, progress, unclear, mapped)
              passed.update(conflicts)
              wait(pausing, again, progress, unclear) unless again.empty?
              @remap.call if (unmapped = again.any? { |_, item| unmapped?(item) })
              mapped ||= unmapped
              part = again.map(&:first)
            end
          end
          passed
        end

        # Return the operations to repeat with their results, and the conflicting ones. The progress is the number of
        # written documents and of all documents.
        def sorted(operations, items, progress, unclear, mapped)
          again = []
          passed = {}
          failed = operations.zip(items).select { |_, item| item["error"].is_a?(::Hash) }
          progress[0] += operations.size - failed.size
          failed.each do |operation, item|
            if item["status"] == CONFLICT
              passed[operation.identifier] = item["error"]["shard"].to_s
            elsif passing?(item) || (unmapped?(item) && !mapped)
              again << [operation, item]
            else
              raise ending(refused(operation, item["error"], progress), unclear)
            end
          end
          [again, passed]
        end

        def passing?(item)
          status = item["status"]
          status == OpenSearchClient::BUSY || OpenSearchClient::UNAVAILABLE.include?(status) ||
            item["error"]["type"] == OpenSearchClient::BLOCKED
        end

        def unmapped?(item)
          item["error"]["type"] == UNMAPPED
        end

        # Pause before documents are sent again.
        def wait(pausing, again, progress, unclear)
          told = OpenSearchClient.words(again[0][1]["error"])
          pausing.wait(short("did not take #{again.size} documents: #{told}", progress))
        rescue DocStoreError => e
          raise ending(e, unclear)
        end

        # Return the error to raise; `unclear` is whether a primary may have begun to write one of the documents.
        def ending(problem, unclear)
          unclear ? UnknownOutcomeError.new("#{problem.message}#{OpenSearchClient::UNKNOWN}") : problem
        end

        # Send operations and return the result of each.
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

        # Split operations into requests of a size that engines accept.
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
