# frozen_string_literal: true

# Operations over `Base::Characters` (UNI-1).

characters = HybridSearch::Base::Characters

Conformance.operation("characters.strip") { |_params, given, _trace| characters.strip(given["text"]) }

Conformance.operation("characters.split_white") { |_params, given, _trace| characters.split_white(given["text"]) }

Conformance.operation("characters.member") do |params, given, _trace|
  character_class = characters.character_class(params["class"])
  given["text"].each_char.select { |character| character_class.include?(character) }
end

Conformance.operation("characters.ranges") do |params, _given, _trace|
  characters.character_class(params["class"]).ranges
end
