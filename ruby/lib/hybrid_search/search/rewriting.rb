# frozen_string_literal: true

module HybridSearch
  module Search
    # The rewrite of one request: a user's callable may change question and filters before the search (RWR-1).
    #
    # The callable is called for a first page and for pages by number. A page after a cursor has the question and the
    # filters that the cursor carries, so a walk stays the same even if the callable would return another answer now.
    class Rewriting
      include Base::ShortInspect

      PARTS = %w[question filters].freeze
      # The maximum number of code points that a cursor contains of a rewrite.
      LONGEST = 16_384
      ACCEPTED = "a text, an object of question and filters, or null"
      NO_JSON = "the answer of the rewrite must be plain data, as JSON at most #{LONGEST} characters".freeze
      FAILED = "the rewrite of a question failed; it was searched as given"
      WARNING = "searched as given: the rewrite failed: %s"

      # @param request [SearchRequest] the request as given, with a callable
      # @param filters [Hash, nil] the filters as given
      # @param codec [CursorCodec] reads the request's cursor
      def initialize(request, filters, codec)
        @request = request
        @filters = filters
        @codec = codec
      end

      # @yieldparam question [String]
      # @yieldparam filters [Hash, nil]
      # @yieldreturn [SearchRequest] the request of another question and other filters
      # @return [SearchRequest] the request to search with
      # @raise [InvalidCursorError] the cursor is not accepted, or contains something that no rewrite makes
      def request(&)
        return @request if QueryBuilders::QuestionWords.blank?(@request.retrieval.question)

        @request.cursor.nil? ? called(&) : walked(&)
      end

      private

      def called(&)
        begin
          answer = @request.rewrite.call(@request.retrieval.question.dup)
        rescue StandardError => e
          return failed(Base::Validation.foreign_error(e))
        end
        carried = carried(answer)
        carried.nil? ? @request : built(carried, parts(carried), &)
      rescue InvalidInputError => e
        failed(e.message)
      end

      def walked(&)
        carried = @codec.decode(@request.cursor).rewritten
        return @request if carried.nil?

        begin
          built(carried, parts(carried), &)
        rescue InvalidInputError
          raise InvalidCursorError, CursorCodec::MALFORMED
        end
      end

      # Return the result of the callable as JSON; nil if the question stays and no filters are added.
      def carried(answer)
        return if answer.nil?

        parts = answer.is_a?(::String) ? { "question" => answer } : answer
        raise Base::Validation.failure("the answer of the rewrite", answer, ACCEPTED) unless parts.is_a?(::Hash)

        Base::Validation.known("part of a rewrite", parts.keys, PARTS)
        parts = parts.transform_keys(&:to_s)
        given = PARTS.filter_map { |name| [name, parts[name]] unless parts[name].nil? }.to_h
        given.delete("question") if given["question"] == @request.retrieval.question
        Base::JsonWriter.write(given) unless given.empty?
      rescue JSON::JSONError, EncodingError
        raise InvalidInputError, NO_JSON
      end

      # Return the parts of the written form. The search uses these, so that every page has the same.
      def parts(carried)
        parts = carried.length > LONGEST ? nil : Base::StrictJson.parse_object(carried)
        raise InvalidInputError, NO_JSON if parts.nil?

        Base::Validation.known("part of a rewrite", parts.keys, PARTS)
        if parts.key?("question") &&
           QueryBuilders::QuestionWords.blank?(Base::Validation.text("question", parts["question"]))
          raise InvalidInputError, "the question of the rewrite is blank"
        end

        parts
      end

      def built(carried, parts)
        asked = @request.retrieval
        question = parts.fetch("question", asked.question)
        added = parts["filters"]
        filters = @filters.nil? || added.nil? ? added || @filters : { "all" => [@filters, added] }
        rewritten = Rewritten.new(
          carried:,
          asked: { "given" => { "question" => asked.question, "filters" => asked.filters } },
          explained: { "rewritten" => { "question" => question, "filters" => added } }
        )
        yield(question, filters).with_rewritten(rewritten)
      end

      # Return the request as given, with a warning; the log contains no word of the question or the result.
      def failed(reason)
        Base::Log.warning(FAILED)
        @request.with_rewritten(Rewritten.new(warnings: [format(WARNING, reason)]))
      end
    end
  end
end
