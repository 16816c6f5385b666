# frozen_string_literal: true

module HybridSearch
  module Records
    # Maps the keys of other objects to those of records (IDX-3, CUR-5).
    class RecordMapping
      include Base::ShortInspect

      METADATA = "metadata"
      REFUSE = "refuse"
      DROP = "drop"
      # The accepted ways to treat keys that no record has.
      OTHER_KEYS = [REFUSE, METADATA, DROP].freeze

      # @param sources [Hash{String=>String}] key of a record, or `metadata.x` => the place of its value. Dots lead into
      #   objects, unless the object has a key of exactly that name
      # @param other_keys [String] what to do with keys that are neither a source nor a key of records: "refuse" leaves
      #   them in the record, which is then refused; "metadata" moves them into the metadata; "drop" drops them
      def initialize(sources, other_keys)
        @sources = sources
        @other_keys = other_keys
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

      # Return the keys that records have, and the other keys that remain.
      def parted(given)
        used = @sources.values.map { |source| given.key?(source) ? source : source.split(".").first }
        record = {}
        others = {}
        given.each do |name, value|
          next if used.include?(name)

          if RecordValues::KEYS.include?(name) || @other_keys == REFUSE
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

      # Return the value at a source, nil if it is missing.
      def found(given, source)
        return given[source] if given.key?(source)

        source.split(".", -1).inject(given) { |value, part| value.is_a?(::Hash) ? value[part] : nil }
      end
    end
  end
end
