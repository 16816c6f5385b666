# frozen_string_literal: true

module HybridSearch
  module Search
    # The options of fragments (DOC-10).
    class FragmentOptions
      include Base::Value

      FIELDS = %w[content title document_name keywords questions].freeze
      OF_METADATA = "metadata."
      NAMES = %w[fields tags size count].freeze
      LARGEST_SIZE = 100_000
      LARGEST_COUNT = 1000
      private_constant :FIELDS, :NAMES, :LARGEST_SIZE, :LARGEST_COUNT

      # @return [Array<String>] the names of the texts in records
      attr_reader :fields
      # @return [Array(String, String)] the texts before and after a match
      attr_reader :tags
      # @return [Integer] the maximum number of code points of a fragment, without tags
      attr_reader :size
      # @return [Integer] the maximum number of fragments of a field
      attr_reader :count

      # @param value [Object]
      # @return [FragmentOptions] the options of an object
      # @raise [InvalidInputError] a name is unknown, or a value is not accepted
      def self.of(value)
        given = Base::Validation.mapping("fragments", value)
        Base::Validation.known("part of fragments", given.keys, NAMES)
        read = {}
        read[:fields] = read_fields(given["fields"]) if given.key?("fields")
        read[:tags] = read_tags(given["tags"]) if given.key?("tags")
        { "size" => LARGEST_SIZE, "count" => LARGEST_COUNT }.each do |name, largest|
          next unless given.key?(name)

          read[name.to_sym] = Base::Validation.integer("fragments.#{name}", given[name], 1, largest)
        end
        new(**read)
      end

      def self.read_fields(value)
        fields = value.is_a?(::String) ? [value] : Base::Validation.names("fragments.fields", value)
        raise Base::Validation.failure("fragments.fields", value, "a list of one or more names") if fields.empty?

        fields.each_with_index do |field, place|
          next if FIELDS.include?(field) || (field.start_with?(OF_METADATA) && field.length > OF_METADATA.length)

          accepted = "one of #{FIELDS.join(", ")}, or #{OF_METADATA}NAME"
          shown = Base::Validation.describe(field)
          raise InvalidInputError, "fragments.fields[#{place}] must be #{accepted}, not #{shown}"
        end
        fields.uniq
      end
      private_class_method :read_fields

      def self.read_tags(value)
        tags = Base::Validation.texts("fragments.tags", value)
        raise Base::Validation.failure("fragments.tags", value, "two texts") if tags.size != 2

        tags
      end
      private_class_method :read_tags

      def initialize(fields: %w[title content], tags: Stores::Queries::Highlight::TAGS, size: 150, count: 3)
        @fields = fields.freeze
        @tags = tags.freeze
        @size = size
        @count = count
        freeze
      end
    end

    # Makes the fragments of hits: pieces of their texts with the matches marked (DOC-10).
    class Fragments
      include Base::ShortInspect

      # The characters after which a long sentence is cut.
      BREAKS = " \t\n，、,：:"
      private_constant :BREAKS

      # @param options [FragmentOptions] the fields, tags and sizes of the fragments
      # @param keywords [Array<String>] the words to mark
      def initialize(options, keywords)
        @options = options
        @highlight = Stores::Queries::Highlight.new(keywords, options.tags)
        size = options.size
        @piece = /.{1,#{size}}\z|.{0,#{size - 1}}[#{BREAKS}]|.{#{size}}/m
        freeze
      end

      # @param texts [Hash{String=>Object}] the parts of a hit by their names
      # @return [Hash{String=>Array<String>}] field → its first fragments with a match; fields without one are omitted
      def of(texts)
        made = @options.fields.to_h { |field| [field, of_field(values(texts, field))] }
        made.reject { |_, fragments| fragments.empty? }
      end

      private

      def of_field(values)
        values.lazy.flat_map { |value| fragments(value).lazy }.first(@options.count)
      end

      # Return the fragments of a text: each begins with a piece that has a match, and takes the next ones that fit.
      def fragments(text)
        Enumerator.new do |found|
          pieces = Stores::Queries::Highlight.raw_sentences(text).flat_map { |sentence| sentence.scan(@piece) }
          place = 0
          while place < pieces.size
            if @highlight.mark_piece(pieces[place]).nil?
              place += 1
              next
            end

            first = place
            place = after(pieces, first)
            marked = @highlight.mark_piece(Base::Characters.strip(pieces[first...place].join))
            found << marked unless marked.nil?
          end
        end
      end

      # Return the place after the pieces that fit into a fragment.
      def after(pieces, first)
        place = first + 1
        length = pieces[first].length
        while place < pieces.size && length + pieces[place].length <= @options.size
          length += pieces[place].length
          place += 1
        end
        place
      end

      # Return the texts of a field: one, those of a list, or no text.
      def values(texts, field)
        value = texts[field]
        if field.start_with?(FragmentOptions::OF_METADATA)
          steps = field.delete_prefix(FragmentOptions::OF_METADATA).split(".", -1)
          value = steps.reduce(texts["metadata"]) { |part, step| part.is_a?(::Hash) ? part[step] : nil }
        end
        (value.is_a?(::Array) ? value : [value]).grep(::String)
      end
    end
  end
end
