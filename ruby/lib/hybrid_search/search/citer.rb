# frozen_string_literal: true

module HybridSearch
  module Search
    # Finds the sources of an answer's sentences (CIT-2, CIT-3).
    class Citer
      include Base::ShortInspect

      # The default mark; RAGFlow's is ` [ID:{index}]`.
      MARK = " [{number}]"
      PLACEHOLDERS = %w[{number} {index} {id}].freeze
      FIRST_THRESHOLD = 0.63
      THRESHOLD_FACTOR = 0.8
      LAST_THRESHOLD = 0.3
      NEAR_THE_BEST = 0.99
      MOST_OF_A_SENTENCE = 4
      # The number of sentences that are embedded at once.
      AT_ONCE = 64
      # A sentence, the similarity that its sources exceed, and the most similar of them.
      Cited = Struct.new(:sentence, :lowest, :sources)
      private_constant :PLACEHOLDERS, :FIRST_THRESHOLD, :THRESHOLD_FACTOR, :LAST_THRESHOLD, :NEAR_THE_BEST,
                       :MOST_OF_A_SENTENCE, :AT_ONCE, :Cited

      # @param store [DocStoreAdapter] the documents
      # @param query_builder [QueryBuilder] reads texts
      # @param embedding [Embedding, nil] makes vectors; without one only the terms count
      def initialize(store, query_builder, embedding)
        @store = store
        @query_builder = query_builder
        @embedding = embedding
        freeze
      end

      # Return an answer with its sources; see {IndexSearches#cite}.
      #
      # @return [CitedAnswer]
      def cite(answer, hits, mark, vector_similarity_weight)
        text = Base::Validation.text("answer", answer)
        template = Base::Validation.text("mark", mark)
        unless PLACEHOLDERS.any? { |placeholder| template.include?(placeholder) }
          raise Base::Validation.failure("mark", mark, "a text with {number}, {index} or {id}")
        end

        weight = Base::Validation.number("vector_similarity_weight", vector_similarity_weight, 0, 1)
        sources = CitationSources.citation_sources(@store, hits, !@embedding.nil?)
        found = sources.empty? ? [] : found(AnswerSentences.answer_sentences(text), sources, weight)
        threshold = FIRST_THRESHOLD
        while threshold > LAST_THRESHOLD
          cited = found.select { |one| one.lowest >= threshold }
          return answer(text, cited, template, threshold) unless cited.empty?

          threshold *= THRESHOLD_FACTOR
        end
        CitedAnswer.new(text:)
      end

      private

      # Return the sentences to which a source is similar.
      def found(sentences, sources, weight)
        held = sources.map { |source| QueryBuilders::QueryKeys.held_keys(tokens(source.content)) }
        vectors = nil
        sentences.each_slice(AT_ONCE).flat_map do |slice|
          batch = slice.map { |one| [one, tokens(one.text)] }.reject { |_, tokens| tokens.empty? }
          encoded = encoded(batch.map { |one, _| one.text })
          vectors ||= vectors(sources, held, encoded.first.size) unless encoded.empty?
          batch.each_with_index.filter_map do |(sentence, tokens), place|
            keys = @query_builder.query_keys(tokens)
            similarities = held.map { |one| keys.similarity_of(one) }
            similarities = hybrid(similarities, encoded[place], vectors, weight) unless vectors.nil?
            cited = cited(sentence, sources, similarities)
            cited if cited.lowest > LAST_THRESHOLD
          end
        end
      end

      def tokens(text)
        @query_builder.tokenizer.tokenize(QueryBuilders::QuestionWords.remove_question_words(text))
      end

      def encoded(texts)
        @embedding.nil? ? [] : @embedding.encode(texts)
      end

      # Return the vector of each source and its norm.
      def vectors(sources, held, dimension)
        made = CitationSources.source_vectors(sources, held.map { |keys| !keys.empty? }, @embedding, dimension)
        made.map { |vector| vector && [vector, Base::Numeric.norm(vector)] }
      end

      # Return the weighted similarities of terms and vectors; only those of the terms if the cosines have the sum 0.
      #
      # @param terms [Array<Float>] the similarity of the terms of each source
      # @param vector [Array<Float>] the vector of the sentence
      # @param others [Array<Array(Array<Float>, Float), nil>] the vector of each source and its norm
      # @param weight [Float] the share of the vectors
      def hybrid(terms, vector, others, weight)
        length = Base::Numeric.norm(vector)
        cosines = others.map do |other, norm|
          other.nil? ? 0.0 : Base::Numeric.cosine_of(other, norm, vector, length)
        end
        return terms if Base::Numeric.sum_left(cosines).zero?

        share = 1.0 - weight
        terms.zip(cosines).map { |term, cosine| (weight * cosine) + (share * term) }
      end

      def cited(sentence, sources, similarities)
        lowest = similarities.max * NEAR_THE_BEST
        near = similarities.each_index.select { |place| similarities[place] > lowest }
        near = near.sort_by { |place| [-similarities[place], place] }.first(MOST_OF_A_SENTENCE)
        cited = near.map do |place|
          CitedSource.new(number: sources[place].number, id: sources[place].id, similarity: similarities[place])
        end
        Cited.new(sentence, lowest, cited)
      end

      # Return the answer with a mark after the first sentence of each source.
      def answer(text, cited, template, threshold)
        marked = {}
        parts = []
        place = 0
        spans = cited.map do |one|
          sentence = one.sentence
          one.sources.each do |source|
            next if marked.key?(source.number)

            marked[source.number] = true
            parts << text[place...sentence.end] << mark(template, source)
            place = sentence.end
          end
          CitedSpan.new(start: sentence.start, end: sentence.end, text: sentence.text, sources: one.sources)
        end
        CitedAnswer.new(text: [*parts, text[place..]].join, spans:, threshold:)
      end

      def mark(template, source)
        values = [source.number.to_s, (source.number - 1).to_s, source.id]
        PLACEHOLDERS.zip(values).reduce(template) { |text, (placeholder, value)| text.gsub(placeholder) { value } }
      end
    end
  end
end
