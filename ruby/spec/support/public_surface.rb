# frozen_string_literal: true

# The methods of the library that users can call, by reflection, and their signatures.
#
# Public are the modules that `HybridSearch.constants` shows and all that can be reached from them by constants; of each
# its constants, its public methods, also those of modules of ours that it includes, and how it is made.
class PublicSurface
  LIBRARY = "HybridSearch"

  def initialize(definitions)
    @definitions = definitions
    @seen = {}
  end

  # @return [Array<String>] `Owner#method`, `Owner.method`, `Owner::CONSTANT`
  def members
    types.keys.sort
  end

  # @return [Array<String>] the members with a part that has no type
  def untyped
    types.select { |_, parts| parts.any? { |part| untyped?(part) } }.keys.sort
  end

  # @return [Boolean] whether `untyped`, or `top`, is anywhere in a type
  def untyped?(type)
    case type
    when RBS::Types::Bases::Any, RBS::Types::Bases::Top then true
    when RBS::Types::Alias then of_name(type) { [@definitions.expand_alias2(type.name, type.args)] }
    when RBS::Types::Interface then of_name(type) { interface(type.name) } || parts(type).any? { |part| untyped?(part) }
    else parts(type).any? { |part| untyped?(part) }
    end
  end

  private

  # The result for a name is computed once; a recursive type has the result of its other parts.
  def of_name(type)
    key = type.to_s
    return @seen[key] if @seen.key?(key)

    @seen[key] = false
    @seen[key] = yield.any? { |part| untyped?(part) }
  end

  def interface(name)
    @definitions.build_interface(name).methods.each_value.flat_map(&:method_types)
  end

  # All types within a type.
  def parts(type)
    case type
    when RBS::MethodType, RBS::Types::Proc then [*type.type.each_type, *(type.block && parts(type.block))]
    when RBS::Types::Block then type.type.each_type.to_a
    else type.respond_to?(:each_type) ? type.each_type.to_a : []
    end
  end

  def types
    @types ||= public_modules.reduce({}) do |found, container|
      found.merge(constants(container), methods(container, false), methods(container, true))
    end
  end

  # Tests open the internals; users do not see them. The native kernels are another gem's.
  def public_modules(container = HybridSearch, seen = [container])
    internal = container.const_defined?(:INTERNAL, false) ? container.const_get(:INTERNAL) : []
    (container.constants(false) - internal - [:Native]).each do |name|
      value = container.const_get(name)
      next if !value.is_a?(Module) || seen.include?(value) || !value.name.start_with?(LIBRARY)

      seen << value
      public_modules(value, seen)
    end
    seen
  end

  # A constant without a signature counts as one without a type.
  def constants(container)
    plain = container.constants(false).reject { |name| container.const_get(name).is_a?(Module) }
    plain.to_h do |name|
      entry = @definitions.env.constant_decls[type_name("#{container}::#{name}")]
      ["#{container}::#{name}", [entry ? entry.decl.type : RBS::Types::Bases::Any.new(location: nil)]]
    end
  end

  def methods(container, singleton)
    return {} unless singleton || container.is_a?(Class) || container.public_instance_methods(false).any?

    type = type_name(container.name)
    definition = singleton ? @definitions.build_singleton(type) : @definitions.build_instance(type)
    public_names(container, singleton).to_h do |name, owner|
      ["#{owner}#{singleton ? "." : "#"}#{name}", definition.methods.fetch(name).method_types]
    end
  end

  # The names of public methods that are defined in this library, each with its module.
  def public_names(container, singleton)
    target = singleton ? container.singleton_class : container
    names = target.public_instance_methods
    names += [:initialize] if !singleton && container.is_a?(Class)
    found = names.reject { |name| name.to_s.include?("RBS_TEST") }.map { |name| target.instance_method(name) }
    found = found.select(&:source_location).to_h { |method| [method.name, method.owner] }
    found.select { |_, owner| owner.inspect.match?(/\A(?:#<Class:)?#{LIBRARY}\b/o) }
         .transform_values { |owner| owner.inspect[/\A(?:#<Class:)?([\w:]+)/, 1] }
  end

  def type_name(path)
    namespace, _, name = path.rpartition("::")
    RBS::TypeName.new(name: name.to_sym, namespace: RBS::Namespace.parse("::#{namespace}"))
  end
end
