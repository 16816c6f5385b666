# frozen_string_literal: true

module HybridSearch
  module Rails
    # Makes the records of an index from one record of a model: one record, or one for each passage.
    #
    # The record's id is the `doc_id`, the tenant is the `kb_id`. The method `search_data` of a model, if it exists,
    # adds to the options of the macro and overrides them; its keys are those of records, and names of `metadata`.
    class RecordMaker
      include Base::ShortInspect

      KEYS = (Records::RecordValues::KEYS - %w[id doc_id kb_id parent metadata]).freeze
      private_constant :KEYS

      # @param options [ModelOptions]
      def initialize(options)
        @options = options
        @chunker = Chunker.new(**options.chunk.except(:format)) if options.chunk.is_a?(::Hash)
      end

      # @param model_record [ActiveRecord::Base]
      # @return [Boolean] whether the record is indexed
      def indexed?(model_record)
        @options.if.all? { |condition| value(model_record, condition) } &&
          @options.unless.none? { |condition| value(model_record, condition) }
      end

      # @param model_record [ActiveRecord::Base] a stored record
      # @return [Array<Hash{String=>Object}>] its records, in the form of {Index#add}
      # @raise [ConfigurationError] the record has no content, or `search_data` has a name that is not declared
      def records(model_record)
        record = whole(model_record)
        case @options.chunk
        when nil then [{ "id" => record["doc_id"], **record }]
        when ::Hash then cut(record)
        else numbered(record, value(model_record, @options.chunk))
        end
      end

      private

      def whole(model_record)
        data = @options.texts.to_h { |name, source| [name.to_s, text(name, model_record, source)] }
        found = model_record.respond_to?(:search_data) ? search_data(model_record) : {}
        names = @options.metadata - found.keys.map(&:to_s)
        data["metadata"] = names.to_h { |name| [name, model_record.public_send(name)] }
        data = merged(model_record, data, found)
        if data["content"].nil?
          raise ConfigurationError, "#{model_record.class} has no content: give hybrid_search content:, or define " \
                                    "search_data with the key content"
        end

        tenant = @options.tenant && model_record.public_send(@options.tenant)
        { "doc_id" => model_record.id.to_s, "kb_id" => Tenant.text(tenant), **data }.compact
      end

      def search_data(model_record)
        data = model_record.search_data
        return data if data.is_a?(::Hash)

        raise ConfigurationError, "search_data of #{model_record.class} must return an object, not " \
                                  "#{Base::Validation.describe(data)}"
      end

      def merged(model_record, data, found)
        found.each do |name, value|
          key = name.to_s
          if key == "metadata"
            value.each { |each, own| data["metadata"][declared(model_record, each.to_s)] = own }
          elsif KEYS.include?(key)
            data[key] = plain(key, value)
          else
            data["metadata"][declared(model_record, key)] = value
          end
        end
        data
      end

      def declared(model_record, name)
        return name if @options.metadata.include?(name)

        hint = Base::Validation.nearest(name, [*KEYS, *@options.metadata])
        raise ConfigurationError,
              "search_data of #{model_record.class} has the key #{Base::Validation.describe(name)}, " \
              "which metadata: does not declare#{hint ? "; did you mean #{hint}?" : ""}"
      end

      def text(name, model_record, source)
        values = source.is_a?(::Array) ? source.map { |each| value(model_record, each) } : value(model_record, source)
        return ::Kernel.Array(values).map { |each| plain(name, each) } if %i[keywords questions].include?(name)

        values.is_a?(::Array) ? values.filter_map { |each| plain(name, each) }.join("\n\n") : plain(name, values).to_s
      end

      # Return rich text, numbers and symbols as texts.
      def plain(name, value)
        return value.to_plain_text if value.respond_to?(:to_plain_text)

        %w[content title].include?(name.to_s) && !value.nil? ? value.to_s : value
      end

      def value(model_record, source)
        return model_record.public_send(source) if source.is_a?(::Symbol)

        source.arity.zero? ? model_record.instance_exec(&source) : source.call(model_record)
      end

      def cut(record)
        format = @options.chunk.fetch(:format, "text").to_s
        made = @chunker.chunk_records({ "id" => record["doc_id"], **record }, format:)
        made.empty? ? numbered(record, []) : made
      end

      def numbered(record, passages)
        list = ::Kernel.Array(passages)
        list = [""] if list.empty?
        list.each_with_index.map do |passage, place|
          { "id" => "#{record["doc_id"]}##{place + 1}", **record, **passage_of(passage) }
        end
      end

      def passage_of(passage)
        return { "content" => passage.to_s } unless passage.is_a?(::Hash)

        Base::Validation.known("key of a passage", passage.keys, KEYS)
        passage.transform_keys(&:to_s)
      end
    end
  end
end
