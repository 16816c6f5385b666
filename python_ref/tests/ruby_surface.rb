# frozen_string_literal: true

# Prints, as JSON, the public surface of the gem: its public constants, and for each class and module the public methods
# with the names of their parameters.
require "hybrid_search"
require "json"

# The names of a method's parameters; those that only catch what is refused are left out.
def parameters(method)
  left_out = [%i[rest more], %i[keyrest record]]
  named = method.parameters.reject do |kind, name|
    kind == :block || %i[unknown *].include?(name) || left_out.include?([kind, name])
  end
  named.map { |_, name| name.to_s }
end

# The modules that a class is made of, whose methods are its own.
def parts(container)
  container.included_modules.select { |part| part.name&.match?(/\AHybridSearch::.*::Index[A-Z]/) }
end

def methods_of(container)
  found = {}
  found["new"] = parameters(container.instance_method(:initialize)) if container.is_a?(Class)
  [container, *parts(container)].each do |owner|
    owner.public_instance_methods(false).each { |name| found[name] = parameters(owner.instance_method(name)) }
  end
  container.singleton_class.public_instance_methods(false).each do |name|
    found[name] = parameters(container.singleton_class.instance_method(name))
  end
  found
end

def surface(container, prefix = "")
  container.constants(false).sort.each_with_object({}) do |name, found|
    value = container.const_get(name)
    next unless value.is_a?(Module)
    next if value.name != "#{container.name}::#{name}" # a class of Ruby's own

    found["#{prefix}#{name}"] = methods_of(value)
    found.merge!(surface(value, "#{prefix}#{name}::"))
  end
end

puts JSON.generate({ "constants" => HybridSearch.constants.sort, "surface" => surface(HybridSearch) })
