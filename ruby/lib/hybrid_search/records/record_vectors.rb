# frozen_string_literal: true

module HybridSearch
  module Records
    # Checks the vectors of records, and computes those of records that come without one (IDX-2).
    class RecordVectors
      include Base::ShortInspect

      # @param vector [Array<Float>]
      # @return [String] the field that contains it
      def self.field(vector)
        "q_#{vector.size}_vec"
      end

      # @param document [Hash{String=>Object}] a stored document
      # @return [Array<String>] its fields that contain vectors
      def self.fields_of(document)
        document.keys.select { |name| name.end_with?("_vec") }
      end

      # @param embedding [Embedding, nil] computes vectors; nil: only vectors of records are stored
      # @param title_weight [Float, nil] the share of the title in a vector; nil: only the content is embedded
      # @param any_vectors [Boolean] whether vectors that no question can find are accepted
      # @param observation [Base::Observation] receives an event for each request of vectors (OBS-1)
      def initialize(embedding, title_weight, any_vectors, observation)
        @embedding = embedding
        @title_weight = title_weight
        @any_vectors = any_vectors
        @observation = observation
      end

      # @return [Boolean] whether there is an embedding
      def makes?
        !@embedding.nil?
      end

      # @return [Boolean] whether a model makes vectors
      def needs_model?
        makes? && @embedding.needs_model?
      end

      # Refuse vectors of records that no question can find; called again when the embedding's dimension is known.
      #
      # @param records [Array<Hash{String=>Object}>] checked records; those without a vector are skipped
      # @param first [Integer] the place of the first record in its source, for messages
      # @return [void]
      # @raise [InvalidInputError] a zero vector
      # @raise [DimensionMismatchError] a vector of another dimension than the embedding's
      def check(records, first)
        records.each.with_index(first) { |record, index| check_record("records[#{index}]", record) }
      end

      # Refuse the vector of a record if no question can find it.
      #
      # @param name [String] the name of the record in messages
      # @param record [Hash{String=>Object}] a checked record
      # @return [void]
      def check_record(name, record)
        check_vector("#{name}.vector", record["vector"]) if record["vector"] && !@any_vectors
      end

      # Return the texts from which the vector of a record is made: its content, and its title if that has a share in
      # the vector. If one of them is blank, only the other one is used; if both are, there are no texts.
      #
      # @param record [Hash{String=>Object}]
      # @return [Array<String>]
      def texts(record)
        title = record.fetch("title", "")
        content = record["content"]
        return blank?(title) ? [] : [title] if blank?(content)

        @title_weight.nil? || blank?(title) ? [content] : [content, title]
      end

      # @param records [Array<Hash{String=>Object}>]
      # @return [Array<Array<Float>, nil>] their vectors, requested in one call; nil if there is nothing to embed, or no
      #   embedding
      def made_of(records)
        wanted = records.map { |record| @embedding ? texts(record) : [] }
        firsts = wanted.filter_map(&:first)
        vectors = encoded(firsts + wanted.filter_map { |texts| texts[1] }).map(&:dup)
        made = wanted.map { |texts| texts.empty? ? nil : vectors.shift }
        wanted.each_with_index do |texts, place|
          made[place] = weighted(vectors.shift, made[place]) if texts.size > 1
        end
        made
      end

      private

      def check_vector(name, vector)
        dimension = @embedding&.dimension
        if dimension && vector.size != dimension
          raise DimensionMismatchError, "#{name} must have #{dimension} components, as the embedding's have, " \
                                        "not #{vector.size}; any_vectors keeps it"
        end
        largest = vector.map(&:abs).max
        return unless (largest * largest).zero?

        raise InvalidInputError, "#{name} must not be zero: its squared norm is 0; any_vectors keeps it"
      end

      def encoded(texts)
        return [] if texts.empty?

        @observation.measure("embed", texts: texts.size, kind: "passage") do
          Base::Log.failures(EmbeddingError) { @embedding.encode(texts) }
        end
      end

      def weighted(of_title, of_content)
        share = 1.0 - @title_weight
        of_title.zip(of_content).map { |title, content| (@title_weight * title) + (share * content) }
      end

      def blank?(text)
        Base::Characters.strip(text.tr("\0", " ")).empty?
      end
    end
  end
end
