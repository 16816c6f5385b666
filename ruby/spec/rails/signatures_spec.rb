# frozen_string_literal: true

require "rbs"
require "support/rails_models"

RSpec.describe "Signatures of the integration", skip: RailsModels.missing do
  library = File.join(WarningsAsErrors::ROOT, "ruby/lib/hybrid_search")
  definitions = nil
  before(:context) do
    definitions = Signatures.definitions
    require "hybrid_search/rails/testing" if RailsModels.missing.nil?
  end

  # Classes that inherit from a class of Rails have more methods than those of the library.
  def modules_of(container)
    names = container.constants(false).grep_v(/Job\z|Railtie\z/)
    found = names.map { |name| container.const_get(name) }.grep(Module)
    [container, *found.select { |one| one.name.start_with?(container.name) }.flat_map { |one| modules_of(one) }]
  end

  def type_name(container)
    namespace, _, name = container.name.rpartition("::")
    RBS::TypeName.new(name: name.to_sym, namespace: RBS::Namespace.parse("::#{namespace}"))
  end

  def own_methods(target, library)
    names = target.instance_methods(false) + target.private_instance_methods(false)
    names.reject { |name| name.to_s.include?("RBS_TEST") } # methods of the checker
         .select { |name| target.instance_method(name).source_location&.first.to_s.start_with?(library) }
  end

  it "exist for every method" do
    containers = [HybridSearch::Rails, HybridSearch::Rails::Testing].flat_map { |top| modules_of(top) }.uniq
    expect(containers.size).to be > 30
    missing = containers.flat_map do |container|
      kinds = { container => definitions.build_instance(type_name(container)),
                container.singleton_class => definitions.build_singleton(type_name(container)) }
      kinds.flat_map do |target, definition|
        own_methods(target, library).reject { |name| definition.methods[name]&.defs&.any? }
                                    .map { |name| "#{target.inspect}##{name}" }
      end
    end
    expect(missing).to eq([])
  end
end
