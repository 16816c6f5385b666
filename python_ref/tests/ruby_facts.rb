# frozen_string_literal: true

# Reads the Ruby files named on the command line and prints, as JSON, what the architecture test asks of each: the
# constants it refers to (`Text::Stemmer`), the classes, modules and methods it defines, the methods it calls and the
# operators it uses; each as a pair of name and line. Classes and modules come again with the modules around them
# (`HybridSearch::Text::Stemmer`), and with the classes that `Struct.new` makes.
require "json"
require "ripper"

# Walks the syntax tree of one file.
class Facts
  attr_reader :constants, :classes, :paths, :calls, :operators, :methods

  def initialize(source)
    @constants = []
    @classes = []
    @paths = []
    @modules = []
    @calls = []
    @operators = []
    @methods = []
    walk(Ripper.sexp(source) || raise("does not parse"))
  end

  def to_h
    { constants:, classes:, paths:, calls:, operators:, methods: }
  end

  private

  def walk(node)
    return unless node.is_a?(Array)
    return node.each { |child| walk(child) } unless node.first.is_a?(Symbol)

    visit(node)
    return if node.first == :top_const_ref # ::Integer, Ruby's own
    return if node.first == :const_path_ref && constant(node) # told as a whole

    within(node) { node.drop(1).each { |child| walk(child) } }
  end

  # Note the path of a class or module, and walk its body with that path.
  def within(node, &)
    case node
    in [:class | :module, [:const_ref, [:@const, name, [line, _]]], *]
      @modules.push(name)
      paths << [@modules.join("::"), line]
      yield
      @modules.pop
    in [:assign, [:var_field, [:@const, name, [line, _]]], value] if struct?(value)
      paths << [[*@modules, name].join("::"), line]
      yield
    else yield
    end
  end

  # Whether a value is `Struct.new(…)` or `Class.new(…)`, with or without a block.
  def struct?(value)
    case value
    in [:method_add_block | :method_add_arg, call, _] then struct?(call)
    in [:call, [:var_ref, [:@const, "Struct" | "Class" | "Module", _]], _, [:@ident, "new", _]] then true
    else false
    end
  end

  def visit(node)
    # rubocop:disable Lint/DuplicateBranch -- alternatives of one pattern cannot bind names
    case node
    in [:class | :module, [:const_ref, [:@const, name, [line, _]]], *] then classes << [name, line]
    in [:const_path_ref, _, [_, _, [line, _]]] if constant(node) then constants << [constant(node), line]
    in [:var_ref, [:@const, name, [line, _]]] then constants << [name, line]
    in [:def, [_, name, [line, _]], *] then methods << [name, line]
    in [:defs, _, _, [_, name, [line, _]], *] then methods << [name, line]
    in [:alias, [:symbol_literal, [_, name, [line, _]]], *] then methods << [name, line]
    in [:call | :command_call, _, _, [:@ident | :@const, name, [line, _]], *] then calls << [name, line]
    in [:fcall | :vcall | :command, [:@ident, name, [line, _]], *] then calls << [name, line]
    in [:symbol, [_, name, [line, _]]] then calls << [":#{name}", line]
    in [:binary, [:@int, *], Symbol, [:@int, *]] then nil # a constant, 2**53
    in [:binary, left, Symbol => operator, _] then operators << [operator, line_of(left)]
    in [:opassign, _, [:@op, operator, [line, _]], _] then operators << [operator, line]
    else nil
    end
    # rubocop:enable Lint/DuplicateBranch
  end

  # The whole name of a constant, within HybridSearch; nil if it begins with something else than a constant.
  def constant(node)
    case node
    in [:var_ref, [:@const, name, _]] then name
    in [:const_path_ref, base, [_, name, _]]
      outer = constant(base)
      outer && (outer == "HybridSearch" ? name : "#{outer}::#{name}")
    else nil
    end
  end

  def line_of(node)
    return 0 unless node.is_a?(Array)
    return node[2][0] if node[0].is_a?(Symbol) && node[0].start_with?("@")

    node.each do |child|
      line = line_of(child)
      return line if line.positive?
    end
    0
  end
end

puts JSON.generate(ARGV.to_h { |path| [path, Facts.new(File.read(path, encoding: "UTF-8")).to_h] })
