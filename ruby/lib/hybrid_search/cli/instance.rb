# frozen_string_literal: true

module HybridSearch
  module Cli
    # One instance of the input of `locate` (CNV-6).
    class Instance
      include Base::Value

      TEXTS = %w[problem_statement issue description prompt text].freeze

      # @return [String, nil] the name of its line of the output; nil if it has none
      attr_reader :identifier
      # @return [String, nil] the first of {TEXTS} that is not blank; nil if all are
      attr_reader :text
      # @return [String, nil] the folder of its repository; nil if it is not stated
      attr_reader :repo_name
      # @return [Object] its vector, if it has one
      attr_reader :query_vector
      # @return [String, nil] the reason why it is invalid; nil if it is valid
      attr_reader :problem

      class << self
        # @param line [RecordLine]
        # @return [Instance] the instance of a line
        def of(line)
          content = line.content
          return new(problem: "#{line.place}: #{line.reason}") if content.nil?

          identifier = content["instance_id"]
          unless identifier.is_a?(::String) && !identifier.empty?
            return new(problem: "#{line.place}: instance_id must be a text that is not empty")
          end

          new(identifier:, text: text(content), repo_name: repo(content), query_vector: content["query_vector"])
        end

        private

        def text(content)
          content.values_at(*TEXTS).find { |text| text.is_a?(::String) && !Base::Characters.strip(text).empty? }
        end

        # Return `repo_name`, else `repo` with two underscores in place of its slash, as folders are named.
        def repo(content)
          return content["repo_name"] if content["repo_name"].is_a?(::String)

          content["repo"].is_a?(::String) ? content["repo"].gsub("/", "__") : nil
        end
      end

      def initialize(identifier: nil, text: nil, repo_name: nil, query_vector: nil, problem: nil)
        @identifier = identifier
        @text = text
        @repo_name = repo_name
        @query_vector = query_vector
        @problem = problem
        freeze
      end

      # @return [String, nil] the repository, derived from an instance's name: `django_django` for
      #   `django__django-12113`
      def repository
        identifier&.sub(/-[0-9]+\z/, "")&.gsub("__", "_")
      end
    end
  end
end
