# frozen_string_literal: true

# jieba's algorithm in its plain form: hashes, compared pairs and copied paths. The fast one is compared
# with it.
class SimpleSegmenter
  MIN_FLOAT = -3.14e100
  PREVIOUS = { "B" => "ES", "M" => "MB", "S" => "SE", "E" => "BM" }.freeze

  # @param frequencies [Hash{String=>Integer}] words and their prefixes
  def initialize(frequencies, total)
    @frequencies = frequencies
    @total = total
    model = HybridSearch::Text::HiddenMarkovModel.parameters
    lowest = model.start[1]
    real = ->(number) { number == lowest ? MIN_FLOAT : number }
    @start = "BMES".chars.zip(model.start.map(&real)).to_h
    @steps = %w[EB SB BM MM BE ME ES SS].zip(model.steps.map(&real)).to_h
    @emissions = "BMES".chars.zip(model.emissions.map(&real).each_slice(4).to_a.transpose).to_h
  end

  def cut(block)
    words = []
    run = +""
    start = 0
    ends = route(block)
    while start < block.length
      word = block[start..ends[start]]
      if word.length == 1
        run << word
      else
        words.concat(run_words(run)) << word
        run = +""
      end
      start = ends[start] + 1
    end
    words.concat(run_words(run))
  end

  def route(text)
    best = { text.length => [0.0, 0] }
    (text.length - 1).downto(0) do |start|
      ends = (start...text.length).take_while { |last| @frequencies.key?(text[start..last]) }
                                  .select { |last| @frequencies[text[start..last]].positive? }
      ends = [start] if ends.empty?
      best[start] = ends.map { |last| [weight(text[start..last]) + best[last + 1][0], last] }.max
    end
    (0...text.length).map { |start| best[start][1] }
  end

  def model_words(run)
    words = []
    labels(run).each_with_index do |label, index|
      words << +"" if words.empty? || label == "B" || label == "S" || labels(run)[index - 1].match?(/[ES]/)
      words.last << run[index]
    end
    words
  end

  private

  def weight(word)
    frequency = @frequencies[word] || 0
    Math.log(frequency.zero? ? 1 : frequency) - Math.log(@total)
  end

  def run_words(run)
    return run.chars if run.length < 2 || (@frequencies[run] || 0).positive?

    model_words(run)
  end

  def labels(run)
    column = "BMES".chars.to_h { |state| [state, [@start[state] + emission(state, run[0]), [state]]] }
    run.chars.drop(1).each do |character|
      column = "BMES".chars.to_h { |state| [state, step(column, state, emission(state, character))] }
    end
    "ES".chars.map { |state| [column[state][0], state, column[state][1]] }.max[2]
  end

  def step(column, state, emission)
    sum, before = PREVIOUS[state].chars.map { |from| [column[from][0] + @steps[from + state] + emission, from] }.max
    [sum, column[before][1] + [state]]
  end

  def emission(state, character)
    @emissions[state][character.ord - HybridSearch::Text::HiddenMarkovModel::FIRST]
  end
end
