# frozen_string_literal: true

module HybridSearch
  module Base
    # Raises a NoMethodError for an unknown method that suggests the name that was probably meant (ERR-1), as in
    # `page.results`; did you mean "hits"? A class extends this module for its own class methods.
    module KnownNames
      # The owners of the methods that every object, class or list has.
      OF_RUBY = [::BasicObject, ::Kernel, ::Object, ::Module, ::Class, ::Enumerable].freeze
      private_constant :OF_RUBY

      private

      def method_missing(name, *)
        names = known_names
        hint = Validation.nearest(name.to_s, names)
        advice = hint ? "; did you mean #{hint.inspect}?" : ". Known: #{names.join(", ")}"
        message = "unknown method of #{is_a?(::Module) ? self : self.class} #{name.to_s.inspect}#{advice}"
        problem = NoMethodError.new(message, name, receiver: self)
        problem.set_backtrace(caller)
        raise problem
      end

      # Return false: `method_missing` handles no method.
      def respond_to_missing?(*)
        false
      end

      def known_names
        names = public_methods.reject { |name| OF_RUBY.include?(method(name).owner) || name.to_s.include?("__") }
        names += self.class.send(:known_names) if self.class.singleton_class.include?(KnownNames)
        names.map(&:to_s).sort
      end
    end
  end
end
