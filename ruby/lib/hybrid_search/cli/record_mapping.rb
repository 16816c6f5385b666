# frozen_string_literal: true

module HybridSearch
  module Commanding
    # From the keys that people have to those of records: `--map` and `--other-keys` (CUR-5).
    class RecordMapping
      include ShortInspect

      METADATA = "metadata"
      REFUSE = "refuse"
      DROP = "drop"
      private_constant :METADATA, :REFUSE, :DROP

      # @param pairs [Array<String>] `key=source` each; a source leads into objects by dots, unless a key has that very
      #   name
      # @param other_keys [String] what becomes of keys that no pair names and no record has: "refuse" leaves them where
      #   they are refused, "metadata" moves them there, "drop" drops them
      # @raise [UsageError] a pair that is none, an unknown key, or a key given twice
      def initialize(pairs, other_keys)
        @sources = {}
        @other_keys = other_keys
        pairs.each do |pair|
          key, _, source = pair.partition("=")
          raise UsageError, "--map must be KEY=NAME, not #{Validation.describe(pair)}" if key.empty? || source.empty?

          Validation.known("key of --map", [key], DocumentBuilder::RECORD_KEYS) unless key.start_with?("#{METADATA}.")
          raise UsageError, "--map gives #{key} twice" if @sources.key?(key)

          @sources[key] = source
        end
      end

      # @param given [Hash{String=>Object}]
      # @return [Hash{String=>Object}] the record of an object
      def record(given)
        return given if @sources.empty? && @other_keys == REFUSE

        record, others = parted(given)
        @sources.each { |key, source| put(record, others, key, found(given, source)) }
        unless others.empty?
          own = record[METADATA]
          record[METADATA] = own.is_a?(::Hash) ? own.merge(others) : own || others
        end
        record
      end

      private

      # The keys that records have, and the others that are kept.
      def parted(given)
        used = @sources.values.map { |source| given.key?(source) ? source : source.split(".").first }
        record = {}
        others = {}
        given.each do |name, value|
          next if used.include?(name) && !@sources.key?(name)

          if DocumentBuilder::RECORD_KEYS.include?(name) || @other_keys == REFUSE
            record[name] = value
          elsif @other_keys != DROP
            others[name] = value
          end
        end
        [record, others]
      end

      def put(record, others, key, value)
        if key.start_with?("#{METADATA}.")
          others[key.delete_prefix("#{METADATA}.")] = value unless value.nil?
        elsif value.nil?
          record.delete(key)
        else
          record[key] = value
        end
      end

      # What a source leads to, nil if there is nothing.
      def found(given, source)
        return given[source] if given.key?(source)

        source.split(".", -1).inject(given) { |value, part| value.is_a?(::Hash) ? value[part] : nil }
      end
    end
  end
end
