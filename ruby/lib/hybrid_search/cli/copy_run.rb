# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Cli
    # Copies the documents of one store into another (CUR-5).
    #
    # Documents that the target already contains, equal in every bit, are not written again. A run after a killed one
    # therefore continues it.
    class CopyRun
      include Base::ShortInspect

      # The largest integers, in bits, that are written in decimal digits.
      MOST_BITS = 10_000
      BOTH = "both"
      ORIGINS = %w[index records].freeze
      private_constant :MOST_BITS, :BOTH, :ORIGINS

      # @param source [DocStoreAdapter] the store to read
      # @param target [DocStoreAdapter] the store to write
      # @param batch_size [Integer] the number of documents to read and write at once
      # @param progress [Progress] shows the progress
      def initialize(source, target, batch_size, progress)
        @source = source
        @target = target
        @batch_size = batch_size
        @progress = progress
        @counts = { "documents" => 0, "copied" => 0, "unchanged" => 0 }
      end

      # Copy all documents and compare both stores.
      #
      # @return [Hash{String=>Object}] the counts and the digest
      # @raise [DocStoreError] the source changed meanwhile, or the target has other documents
      def run
        before = @source.generation
        keep_models
        identifiers = identifiers_of(@source)
        copied = copied(identifiers)
        keep_models
        if @source.generation != before
          raise DocStoreError, "the source has changed during the copy; run it again to copy the changes"
        end

        check_others(identifiers)
        found = digest(identifiers)
        raise DocStoreError, "the target has other contents than the source: #{found}, not #{copied}" if found != copied

        { **@counts, "digest" => copied }
      end

      private

      # Copy documents; return their digest.
      def copied(identifiers)
        digest = Digest::SHA256.new
        identifiers.each_slice(@batch_size) { |names| copy(names, digest) }
        digest.hexdigest
      rescue Interrupt
        raise Interrupt, "interrupted; documents copied: #{@counts["documents"]}; run it again to continue"
      end

      def copy(names, digest)
        documents = @source.get_many(names)
        lines = documents.map { |document| line(document) }
        held = @target.get_many(names).map { |document| line(document) }
        changed = documents.each_index.filter_map { |place| documents[place] if lines[place] != held[place] }
        @target.upsert(changed) unless changed.empty?
        digest.update(lines.join)
        @counts["documents"] += names.size
        @counts["copied"] += changed.size
        @counts["unchanged"] += names.size - changed.size
        @progress.stored(@counts, @counts["documents"])
      end

      # Raise if the target has documents that the source does not have.
      def check_others(identifiers)
        others = identifiers_of(@target) - identifiers
        return if others.empty?

        raise DocStoreError, "the target has documents that the source does not have (#{others.size}, the first is " \
                             "#{Base::Validation.describe(others[0])}); copy into an empty store, or delete them"
      end

      # Return the digest of the target.
      def digest(identifiers)
        digest = Digest::SHA256.new
        identifiers.each_slice(@batch_size) do |names|
          @target.get_many(names).each { |document| digest.update(line(document)) }
        end
        digest.hexdigest
      end

      # Store the models and origins of the vectors of the source in the target.
      def keep_models
        (@source.vector_fields || {}).each do |field, facts|
          origins = facts["origin"] == BOTH ? ORIGINS : [facts["origin"]].compact
          origins.each { |origin| @target.keep_vector_model(field, facts["model"], origin) }
        end
      end

      # Return all ids in ascending order.
      def identifiers_of(store)
        store.rank([]).map(&:first)
      end

      # Return a document as a line of JSON in one form for all stores and both languages.
      def line(document)
        document.nil? ? "\n" : "#{Base::JsonWriter.write(sorted(document))}\n"
      end

      def sorted(value)
        case value
        when ::Hash then value.keys.sort.to_h { |key| [key, sorted(value[key])] }
        when ::Array then value.map { |item| sorted(item) }
        when ::Integer then value.abs.bit_length > MOST_BITS ? value.to_s(16) : value
        else value
        end
      end
    end
  end
end
