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

state = lambda do |segmenter, given, trace|
  texts = given.fetch("texts", [])
  terms = given.fetch("terms", []).map { |term| [segmenter.frequency(term), segmenter.tag(term)] }
  trace.stage("look up", terms)
  routes = texts.map { |text| segmenter.cut(text, hmm: false) }
  trace.stage("route", routes)
  {
    "cut" => texts.map { |text| segmenter.cut(text) },
    "without_model" => routes,
    "elsewhere" => texts.map { |text| shared.cut(text) },
    "terms" => terms,
    "total" => segmenter.dictionary.total
  }
end

Conformance.operation("segmenter.cut") do |params, given, trace|
  segmenter = with_words.call(params["user_words"])
  words = segmenter.cut(given["text"], **options_of.call(params))
  trace.stage("route", segmenter.cut(given["text"], hmm: false)) if params["options"].fetch("hmm", true)
  words
end

Conformance.operation("segmenter.lengths") do |params, given, _trace|
  given["parts"].map do |part|
    given["sizes"].map do |size|
      text = (part * size)[0, size]
      words = shared.cut(text, **params.fetch("options", {}).transform_keys(&:to_sym))
      [words.size, words.last(2), words.join == text]
    end
  end
end

Conformance.operation("segmenter.cut_for_search") do |params, given, trace|
  segmenter = with_words.call(params["user_words"])
  words = segmenter.cut_for_search(given["text"], **options_of.call(params))
  trace.stage("tokenise", segmenter.cut(given["text"], **options_of.call(params)))
  words
end

Conformance.operation("segmenter.best_route_without_whole") do |params, given, trace|
  segmenter = with_words.call(params["user_words"])
  route = segmenter.best_route_without_whole(given["token"])
  trace.stage("route", route)
  { "route" => route, "rejoined" => segmenter.rejoin_latin(route) }
end

Conformance.operation("segmenter.suggest_frequency") do |params, given, trace|
  segmenter = with_words.call(params["user_words"])
  found = given["words"].map { |word| segmenter.suggest_frequency(word) }
  trace.stage("route", given["words"].map { |word| segmenter.cut(word, hmm: false) })
  found
end

Conformance.operation("segmenter.add_word") do |params, given, trace|
  segmenter = HybridSearch::Segmenter.new
  given["words"].each { |entry| add.call(segmenter, entry, options_of.call(params)) }
  state.call(segmenter, given, trace)
end

Conformance.operation("segmenter.load_user_dict") do |_params, given, trace|
  segmenter = HybridSearch::Segmenter.new
  if given.key?("path")
    segmenter.load_user_dict(given["path"])
    next state.call(segmenter, given, trace)
  end
  content = given.key?("hex") ? [given["hex"]].pack("H*") : given["content"]
  Dir.mktmpdir do |folder|
    path = File.join(folder, FILE_NAME)
    File.binwrite(path, content)
    segmenter.load_user_dict(path)
  rescue HybridSearch::ConfigurationError => e
    raise HybridSearch::ConfigurationError, e.message.gsub(path, FILE_NAME)
  end
  state.call(segmenter, given, trace)
end
