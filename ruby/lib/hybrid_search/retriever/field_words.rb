# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Maps the field names of filters, orders and facets to the fields of a store (RET-8): the names of records, paths
    # into `metadata` and `tags`, and the fields of a RAGFlow index.
    class FieldWords < Stores::Filters::FilterNames
      # The names of records → the fields that store their values unchanged.
      WORDS = {
        "id" => "id",
        "content" => "content_with_weight",
        "keywords" => "important_kwd",
        "questions" => "question_kwd",
        "page_rank" => "pagerank_fea",
        "doc_id" => "doc_id",
        "document_name" => "docnm_kwd",
        "kb_id" => "kb_id",
        "parent" => "mom_id",
        "positions" => "position_int",
        "available" => "available_int"
      }.freeze
      # Names of records whose values are stored in another form, or are objects.
      EXISTENCE_WORDS = { "title" => "title_tks", "tags" => "tag_feas", "metadata" => "metadata" }.freeze
      CONDITION_WORDS = %w[not any all must_not].freeze
      ATTRIBUTES = "metadata."
      TAGS = "tags."
      IDENTIFIERS = %w[id doc_id kb_id parent].freeze

      # Fields of a RAGFlow index whose names do not contain a type.
      STORE_FIELDS = %w[img_id mom_id source_id uid create_time].freeze
      # The endings of the names of all other fields of a RAGFlow index.
      TYPE_MARKS = %w[
        _kwd _tks _ltks _int _long _ulong _short _flt _fea _feas _dt _nst _obj _bin _vec _with_weight
      ].freeze

      OWN_VALUES = "a text, a number, true or false, a date, a time, or a list of these"
      FILTERED_BY_PATH = "; own attributes are filtered by their path, like metadata.lang"
      FOUND_BY_PATH = "; own attributes are known by their path, like metadata.lang"

      # @param place [String] the place of the name, for messages
      # @param name [String] the name
      # @return [Stores::Filters::FilterField]
      # @raise [InvalidInputError] the name is none of these
      def field(place, name)
        return made("available_int", "flag") if name == "available"
        return made(name, "availability") if name == "available_int"
        return made(EXISTENCE_WORDS[name], "existence") if EXISTENCE_WORDS.key?(name)

        field = field_of(name)
        unless field
          what = place == "filters" ? "filter" : "filter of #{place}"
          words = WORDS.keys + EXISTENCE_WORDS.keys + (CONDITION_WORDS - [name])
          Base::Validation.known(what, [name], words, FILTERED_BY_PATH)
        end
        return made(field, "value") unless IDENTIFIERS.include?(name)

        kind = field == "id" ? "identifier" : "value"
        Stores::Filters::FilterField.new(field, kind) { |at, value| Base::InputValues.identifier(at, value) }
      end

      # @param what [String] the kind of name, for messages: "facet" …
      # @param name [String] the name
      # @return [String] the field of the store that contains the values of the name
      # @raise [InvalidInputError] the name is none of these
      def name(what, name)
        field = field_of(name)
        Base::Validation.known(what, [name], WORDS.keys, FOUND_BY_PATH) unless field
        field
      end

      private

      def made(field, kind)
        Stores::Filters::FilterField.new(field, kind) { |place, value| plain(place, value) }
      end

      def field_of(name)
        return WORDS[name] if WORDS.key?(name)
        return name.split(".", -1).none?(&:empty?) ? name : nil if name.start_with?(ATTRIBUTES)
        return name == TAGS ? nil : "tag_feas.#{name.delete_prefix(TAGS)}" if name.start_with?(TAGS)

        name if STORE_FIELDS.include?(name) || (name.end_with?(*TYPE_MARKS) && !TYPE_MARKS.include?(name))
      end

      # Return a value in the form in which it is stored; null, lists and objects are left to the reader of filters.
      def plain(place, value)
        case value
        when nil, ::Array, ::Hash then value
        else Base::InputValues.plain(place, value, OWN_VALUES)
        end
      end
    end
  end
end
