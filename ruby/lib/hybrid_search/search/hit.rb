# frozen_string_literal: true

module HybridSearch
  # The parts of a hit's score: raw and normalised; nil for a part that does not exist (IDX-6).
  class Scores
    include Base::Value
    include Base::KnownNames

    # @return [Float, nil] the score of the text leg, of any size
    attr_reader :bm25
    # @return [Float, nil] the cosine of the question's vector and the document's, -1 to 1
    attr_reader :cosine
    # @return [Float, nil] the part of the text leg on a scale of 0 to 1
    attr_reader :text
    # @return [Float, nil] the part of the dense leg on a scale of 0 to 1; the cosine after a rerank by tokens and
    #   vectors
    attr_reader :vector
    # @return [Float, nil] the rerank model's score
    attr_reader :rerank

    def initialize(bm25: nil, cosine: nil, text: nil, vector: nil, rerank: nil)
      @bm25 = bm25
      @cosine = cosine
      @text = text
      @vector = vector
      @rerank = rerank
      freeze
    end
  end

  # One hit of a search, with the names of records (IDX-6).
  #
  #   hit.content            # a part by its method
  #   hit["metadata"]        # a value of {#to_h} by its name
  #   case hit
  #   in { content:, score:, scores: { cosine: } } then …
  #   end
  class Hit
    include Base::Value
    include Base::KnownNames

    ALWAYS = %w[id doc_id title content score scores document_name keywords positions metadata].freeze
    SOMETIMES = %w[kb_id parent questions tags page_rank highlight fragments fields vector tokens context children
                   others duplicates].freeze
    # The number of characters of a title or a content that an inspection shows.
    SHOWN = 60
    NAMES = [*ALWAYS, *SOMETIMES].freeze
    private_constant :ALWAYS, :SOMETIMES, :SHOWN, :NAMES

    # @return [String] the id of the document
    attr_reader :id
    # @return [String] the id of the document that it is part of
    attr_reader :doc_id
    # @return [String] its title, "" if it has none
    attr_reader :title
    # @return [String] its text
    attr_reader :content
    # @return [Float, nil] the score that determines its rank, relative to the best candidate; nil with `match_all`
    attr_reader :score
    # @return [Scores] the parts of the score
    attr_reader :scores
    # @return [String] the name of the document that it is part of
    attr_reader :document_name
    # @return [Array<String>] its keywords
    attr_reader :keywords
    # @return [Array<String>] the questions that it answers
    attr_reader :questions
    # @return [Array] its positions in the document
    attr_reader :positions
    # @return [Hash{String=>Object}] its own attributes
    attr_reader :metadata
    # @return [String, nil] the knowledge base it belongs to
    attr_reader :kb_id
    # @return [String, nil] the id of its parent
    attr_reader :parent
    # @return [Hash{String=>Float}, nil] name → number
    attr_reader :tags
    # @return [Float, nil] its page rank
    attr_reader :page_rank
    # @return [String, nil] the content with matches in `<em>`, if requested (DOC-4)
    attr_reader :highlight
    # @return [Hash{String=>Array<String>}, nil] field → pieces of its text with the matches marked, if requested
    #   (DOC-10)
    attr_reader :fragments
    # @return [Hash{String=>Object}] further stored fields, such as those of a RAGFlow index
    attr_reader :fields
    # @return [Array<Float>, nil] its vector, if requested and stored
    attr_reader :vector
    # @return [Array<String>, nil] the tokens of its content, if requested
    attr_reader :tokens
    # @return [Hash{String=>Array<Hash>}, nil] the records `before` and `after` it in its document, if requested
    attr_reader :context
    # @return [Array<String>] the ids of hits that it replaces, if parents were requested
    attr_reader :children
    # @return [Integer, nil] the number of other hits with its value of `collapse`, if requested
    attr_reader :others
    # @return [Array<String>] the ids of hits that are folded into it, if requested
    attr_reader :duplicates

    def initialize(id:, doc_id:, title:, content:, score:, scores:, document_name: "", keywords: [], questions: [],
                   positions: [], metadata: {}, kb_id: nil, parent: nil, tags: nil, page_rank: nil, highlight: nil,
                   fragments: nil, fields: {}, vector: nil, tokens: nil, context: nil, children: [], others: nil,
                   duplicates: [])
      @id = id
      @doc_id = doc_id
      @title = title
      @content = content
      @score = score
      @scores = scores
      @document_name = document_name
      @keywords = keywords
      @questions = questions
      @positions = positions
      @metadata = metadata
      @kb_id = kb_id
      @parent = parent
      @tags = tags
      @page_rank = page_rank
      @highlight = highlight
      @fragments = fragments
      @fields = fields
      @vector = vector
      @tokens = tokens
      @context = context
      @children = children
      @others = others
      @duplicates = duplicates
      freeze
    end

    # Return the hit as data. `kb_id`, `parent`, `questions`, `tags`, `page_rank` and `fields` are present if the
    # document has them; `highlight`, `fragments`, `vector`, `tokens`, `context`, `children`, `others` and `duplicates`
    # if they were requested.
    #
    # @return [Hash{String=>Object}] the hit as plain data, with the names of records
    def to_h
      plain = ALWAYS.to_h { |name| [name, public_send(name)] }
      SOMETIMES.each do |name|
        value = public_send(name)
        plain[name] = value unless [nil, [], {}].include?(value)
      end
      plain["scores"] = scores.to_h
      plain.transform_values { |value| plain(value) }
    end

    # @return [Array<String>] the names of {#to_h}
    def keys
      to_h.keys
    end

    # @param name [String, Symbol]
    # @return [Object, nil] a part as plain data by its name; nil if it is missing
    # @raise [InvalidInputError] a hit has no such part
    def [](name)
      unless name.is_a?(::String) || name.is_a?(::Symbol)
        shown = Base::Validation.describe(name)
        raise InvalidInputError, "a hit is not a list: hit.content or hit[\"content\"], hit.score, not #{shown}"
      end
      Base::Validation.known("part of a hit", [name], NAMES)
      to_h[name.to_s]
    end

    # @return [String] one short line
    def inspect
      shown = score.nil? ? "no score" : Base::Numeric.fixed4(score)
      "#<#{self.class} #{id.inspect}: #{shown}, #{start(title.empty? ? content : title).inspect}>"
    end

    private

    def start(text)
      line = text.gsub(/[[:space:]]+/, " ").strip
      line.length <= SHOWN ? line : "#{line[0, SHOWN]}…"
    end

    def plain(value)
      case value
      when ::Hash then value.transform_values { |item| plain(item) }
      when ::Array then value.dup
      else value
      end
    end
  end
end
