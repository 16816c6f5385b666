# frozen_string_literal: true

# Operations over the segmenter and its dictionary (TXT-2, TXT-5, TXT-6).

require "tmpdir"

FILE_NAME = "user.txt"

shared = HybridSearch::Segmenter.new

add = lambda do |segmenter, entry, options = {}|
  word, *details = entry
  segmenter.add_word(word, **%i[frequency tag].first(details.size).zip(details).to_h, **options)
end

with_words = lambda do |user_words|
  next shared if user_words.empty?

  HybridSearch::Segmenter.new.tap { |made| user_words.each { |entry| add.call(made, entry) } }
end

options_of = ->(params) { params["options"].transform_keys(&:to_sym) }

state = lambda do |segmenter, given|
  texts = given.fetch("texts", [])
  {
    "cut" => texts.map { |text| segmenter.cut(text) },
    "without_model" => texts.map { |text| segmenter.cut(text, hmm: false) },
    "elsewhere" => texts.map { |text| shared.cut(text) },
    "terms" => given.fetch("terms", []).map { |term| [segmenter.frequency(term), segmenter.tag(term)] },
    "total" => segmenter.dictionary.total
  }
end

Conformance.operation("segmenter.cut") do |params, given, _trace|
  with_words.call(params["user_words"]).cut(given["text"], **options_of.call(params))
end

Conformance.operation("segmenter.cut_for_search") do |params, given, _trace|
  with_words.call(params["user_words"]).cut_for_search(given["text"], **options_of.call(params))
end

Conformance.operation("segmenter.best_route_without_whole") do |params, given, _trace|
  segmenter = with_words.call(params["user_words"])
  route = segmenter.best_route_without_whole(given["token"])
  { "route" => route, "rejoined" => segmenter.rejoin_latin(route) }
end

Conformance.operation("segmenter.suggest_frequency") do |params, given, _trace|
  segmenter = with_words.call(params["user_words"])
  given["words"].map { |word| segmenter.suggest_frequency(word) }
end

Conformance.operation("segmenter.add_word") do |params, given, _trace|
  segmenter = HybridSearch::Segmenter.new
  given["words"].each { |entry| add.call(segmenter, entry, options_of.call(params)) }
  state.call(segmenter, given)
end

Conformance.operation("segmenter.load_user_dict") do |_params, given, _trace|
  segmenter = HybridSearch::Segmenter.new
  if given.key?("path")
    segmenter.load_user_dict(given["path"])
    next state.call(segmenter, given)
  end
  content = given.key?("hex") ? [given["hex"]].pack("H*") : given["content"]
  Dir.mktmpdir do |folder|
    path = File.join(folder, FILE_NAME)
    File.binwrite(path, content)
    segmenter.load_user_dict(path)
  rescue HybridSearch::ConfigurationError => e
    raise HybridSearch::ConfigurationError, e.message.gsub(path, FILE_NAME)
  end
  state.call(segmenter, given)
end
