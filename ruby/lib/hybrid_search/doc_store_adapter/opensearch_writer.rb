# frozen_string_literal: true

require "json"

module HybridSearch
  module Storing
    # Writes batches into an index that this library made: each document whole or not at all, and never over another
    # writer's (DOC-1).
    class OpenSearchWriter
      include ShortInspect

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
        @path = "#{index}/_bulk?refresh=#{refresh}#{"&require_alias=true" if named}"
        @properties = {}
      end

      # Add documents, of which none is stored.
      #
      # @param accepted [Array<StoredDocument>]
      # @return [Integer] how many were added
      def insert(accepted)
        stored = @reader.stored_ids(accepted.map(&:identifier))
        Batch.check_new(accepted) { |identifier| stored.key?(identifier) }
        prepare(accepted)
        taken = carry_out(accepted.map { |document| created(document) }, accepted.size)
        Batch.check_new(accepted) { |identifier| taken.include?(identifier) } if taken.size == accepted.size
        raise meanwhile(taken, accepted.size) unless taken.empty?

        accepted.size
      end

      # Make documents what they become beside those that are stored, again where others write at the same time. The
      # block tells what they become, given them and what gives a stored one.
      #
      # @param accepted [Array<StoredDocument>]
      # @return [Integer] how many were to be changed at first: one that conflicts, and is then as it was to be, is
      #   changed; a cluster that repeats an attempt has done it itself
      def change(accepted, &)
        left = accepted
        written = nil
        pausing = @client.pausing
        until left.empty?
          again, count = changed(left, &)
          written ||= count
          left = left.select { |document| again.include?(document.identifier) }
          next if left.empty?

          pausing.wait(@client.failure("has other writers at #{left.size} of these documents"))
        end
        written || 0
      end

      # Remove documents.
      #
      # @param identifiers [Array<String>]
      # @return [Integer] how many were removed
      def delete(identifiers)
        operations = identifiers.map { |identifier| Operation.new(identifier, { "delete" => { "_id" => identifier } }) }
        operations.size - carry_out(operations, operations.size, gone: "not_found").size
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
          carry_out(operations, operations.size)
        end
      end

      private

      # The ids of those that conflict with other writers', and how many were to be changed.
      def changed(documents)
        stored = @reader.documents(documents.map(&:identifier))
        found = yield(documents, ->(identifier) { stored[identifier]&.document })
        prepare(found)
        operations = found.map { |document| replaced(document, stored[document.identifier]) }
        [carry_out(operations, found.size), found.size]
      end

      # Have the index know all fields that documents need.
      def prepare(documents)
        wanted = @layout.properties(documents)
        added = wanted.reject { |name, _| @properties.key?(name) }.sort.to_h
        return if added.empty?

        @client.ask(OpenSearchClient::Request.new("PUT", "#{@index}/_mapping", { "properties" => added }))
        added.each_key { |name| @properties[name] = true }
      end

      # Carry out operations; gives the ids of those that conflict with other writers', or found nothing.
      def carry_out(operations, whole, gone: nil)
        passed = []
        done = 0
        parts(operations).each do |part|
          pausing = @client.pausing
          until part.empty?
            again, conflicts, written = sorted(part, sent(part, done, whole), gone, done, whole)
            passed.concat(conflicts)
            done += written
            wait(pausing, again, done, whole) unless again.empty?
            part = again.map(&:first)
          end
        end
        passed
      end

      # The operations to send again with what went wrong, the ids of those that conflict, and how many are done.
      def sorted(operations, items, gone, done, whole)
        again = []
        passed = []
        operations.zip(items) do |operation, item|
          error = item["error"]
          if item["status"] == CONFLICT || (gone && item["result"] == gone)
            passed << operation.identifier
          elsif error.is_a?(::Hash)
            written = done + items.count { |one| one["error"].nil? }
            raise refused(operation, error, written, whole) unless passing?(item["status"], error)

            again << [operation, error]
          end
        end
        [again, passed, operations.size - again.size - passed.size]
      end

      def passing?(status, error)
        status == OpenSearchClient::BUSY || OpenSearchClient::UNAVAILABLE.include?(status) ||
          error["type"] == OpenSearchClient::BLOCKED
      end

      def wait(pausing, again, done, whole)
        told = OpenSearchClient.words(again[0][1])
        pausing.wait(short("did not take #{again.size} documents: #{told}", done, whole))
      end

      # What came of each operation.
      def sent(operations, done, whole)
        lines = operations.flat_map { |operation| [operation.action, operation.source].compact }
        items = @client.ask(OpenSearchClient::Request.new("POST", @path, lines, writes: true))["items"]
        unless items.is_a?(::Array) && items.size == operations.size
          raise short("did not tell what came of all documents", done, whole)
        end

        items.map { |item| item.values.first }
      rescue UnknownOutcomeError => e
        raise UnknownOutcomeError, "#{e.message}#{told(done, whole)}"
      end

      def refused(operation, error, done, whole)
        shown = Validation.describe(operation.identifier)
        short("refused the document #{shown}: #{OpenSearchClient.words(error)}", done, whole)
      end

      def short(what, done, whole)
        @client.failure("#{what}#{told(done, whole)}")
      end

      def told(done, whole)
        whole > 1 ? "; #{done} of #{whole} documents are written" : ""
      end

      def meanwhile(taken, whole)
        DocStoreError.new("#{whole - taken.size} of #{whole} documents are stored; #{taken.size} were stored " \
                          "meanwhile, by another writer or in an attempt that the cluster repeated, " \
                          "#{Validation.describe(taken[0])} is the first")
      end

      def created(document)
        Operation.new(document.identifier, { "create" => { "_id" => document.identifier } }, @layout.source(document))
      end

      def replaced(document, before)
        return created(document) unless before

        sequence, term = before.sequence
        action = { "_id" => document.identifier, "if_seq_no" => sequence, "if_primary_term" => term }
        Operation.new(document.identifier, { "index" => action }, @layout.source(document))
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
