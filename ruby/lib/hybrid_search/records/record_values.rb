# frozen_string_literal: true

module HybridSearch
  module Records
    # The keys and values of a record (IDX-1, IDX-4): every value is checked before it is used.
    module RecordValues
      KEYS = %w[
        id content title keywords questions tags page_rank doc_id document_name kb_id parent positions available
        metadata vector
      ].freeze
      OWN_ATTRIBUTES = "; own attributes belong in metadata"

      module_function

      # @param place [String] the name of the record in messages: `records[3]`
      # @param record [Object] the given record
      # @return [Hash{String=>Object}] the values of the record, without those that are nil
      # @raise [InvalidInputError] an unknown key, a missing or empty id, no content, or a value of the wrong type
      def whole(place, record)
        given = given(place, record)
        raise InvalidInputError, "#{place} has no content" if given["content"].nil?

        checked(place, given).compact
      end

      # @param record [Object] the given record
      # @return [Hash{String=>Object}] its checked texts that are cut into tokens
      # @raise [InvalidInputError] the record cannot become a document; {#whole} states the reason
      def texts(record)
        given = given("record", record)
        keys = RecordFields::TEXTS.map(&:first).reject { |key| given[key].nil? }
        keys.to_h { |key| [key, exactly(CHECKS.fetch(key).call(key, given[key]))] }
      end

      # @param place [String]
      # @param record [Object] the given value
      # @return [Hash{String=>Object}] the values of a record that changes another one: its id and the keys that change,
      #   nil for removed ones
      # @raise [InvalidInputError] as {#whole}; but content may be missing, though not nil
      def change(place, record)
        given = given(place, record)
        raise InvalidInputError, "#{place}.content cannot be removed" if given.key?("content") && given["content"].nil?

        checked(place, given)
      end

      # @param place [String]
      # @param record [Object] the given value
      # @return [Hash{String=>Object}] an object with any keys
      # @raise [InvalidInputError] the value is something else; for a model of Active Record the message states what to
      #   pass
      def object(place, record)
        Base::Validation.mapping(place, record)
      rescue InvalidInputError => e
        raise unless Base::ObjectChecks.has?(record, "attributes")

        raise InvalidInputError, "#{e.message}; give its attributes: records.map(&:attributes)"
      end

      def given(place, record)
        given = object(place, record)
        Base::Validation.known("document field", given.keys, KEYS, OWN_ATTRIBUTES)
        raise InvalidInputError, "#{place} has no id" if given["id"].nil?

        given
      end
      private_class_method :given

      def checked(place, given)
        CHECKS.keys.select { |key| given.key?(key) }.to_h do |key|
          [key, given[key].nil? ? nil : CHECKS.fetch(key).call("#{place}.#{key}", given[key])]
        end
      end
      private_class_method :checked

      # Return texts of exactly the class String.
      def exactly(value)
        value.is_a?(::Array) ? value.map { |text| ::String.new(text) } : ::String.new(value)
      end
      private_class_method :exactly

      def identifier(name, value)
        Stores::Documents::StoredDocument.accept_identifier(name, Base::InputValues.identifier(name, value))
      end
      private_class_method :identifier

      def reference(name, value)
        Stores::Documents::StoredDocument.short(name, Base::InputValues.identifier(name, value))
      end
      private_class_method :reference

      def tags(name, value)
        Base::Validation.mapping(name, value).to_h do |tag, number|
          [tag, Base::Validation.number(Base::Validation.member(name, tag), number)]
        end
      end
      private_class_method :tags

      def positions(name, value)
        unless value.is_a?(::Array)
          raise Base::Validation.failure(name, value, "a list of integers, or of lists of integers")
        end

        value.each_with_index.map do |item, index|
          place = "#{name}[#{index}]"
          item.is_a?(::Array) ? positions(place, item) : Base::Validation.integer(place, item)
        end
      end
      private_class_method :positions

      # Key → its check, in the order in which they are checked.
      CHECKS = {
        "id" => method(:identifier),
        "doc_id" => method(:reference),
        "kb_id" => method(:reference),
        "parent" => method(:reference),
        "content" => Base::Validation.method(:text),
        "title" => Base::Validation.method(:text),
        "document_name" => Base::Validation.method(:text),
        "keywords" => Base::Validation.method(:texts),
        "questions" => Base::Validation.method(:texts),
        "tags" => method(:tags),
        "page_rank" => Base::Validation.method(:number),
        "positions" => method(:positions),
        "available" => Base::Validation.method(:boolean),
        "metadata" => Base::InputValues.method(:attributes),
        "vector" => Base::Validation.method(:vector)
      }.freeze
      private_constant :CHECKS
    end
  end
end
