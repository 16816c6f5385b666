# frozen_string_literal: true

module HybridSearch
  module Text
    # Stems English words (TXT-4) by the Snowball "english" algorithm, also called Porter2, of Snowball 3.1.
    #
    # R1 is the region after the first non-vowel that follows a vowel, and R2 is the R1 of R1; they begin at `p1` and
    # `p2`. A y at the start of a word or after a vowel is not a vowel, and is written Y meanwhile. Safe to share
    # between threads.
    class Stemmer
      include Base::ShortInspect

      # The maximum number of cached stems; the next one clears the cache.
      CACHE_SIZE = 32_768
      # Longer words are not cached, so that the memory of a cache is bounded.
      CACHED_LENGTH = 40

      ENGLISH_WORD = /\A[a-z]+\z/
      private_constant :ENGLISH_WORD

      # Words whose stem follows no rule.
      IRREGULAR = {
        "andes" => "andes", "atlas" => "atlas", "bias" => "bias", "cosmos" => "cosmos", "early" => "earli",
        "gently" => "gentl", "howe" => "howe", "idly" => "idl", "news" => "news", "only" => "onli",
        "singly" => "singl", "skies" => "sky", "skis" => "ski", "sky" => "sky", "ugly" => "ugli"
      }.freeze
      # Beginnings after which R1 starts, whichever place the rule finds.
      R1_PREFIX = /\A(?:arsen|commun|emerg|gener|inter|later|organ|past|univers)/
      # Words in -ing that are not forms of a verb.
      NOUN_IN_ING = /\A(?:even|cann|inn|earr|herr|out)ing\z/
      # Verbs in -eed whose past form is written the same way.
      VERB_IN_EED = /\A(?:succ|proc|exc)eed(?:ly)?\z/
      # Short syllables at the end, and the words that count as one.
      SHORT_END = /[^aeiouy][aeiouy][^aeiouywxY]\z|\A[aeiouy][^aeiouy]\z|past\z/
      private_constant :IRREGULAR, :R1_PREFIX, :NOUN_IN_ING, :VERB_IN_EED, :SHORT_END

      # Suffixes and their replacements, for suffixes in R1; the longest one that fits is taken. Where the letter before
      # the suffix matters, {stem} checks it.
      STEP2 = {
        "tional" => "tion", "enci" => "ence", "anci" => "ance", "abli" => "able", "entli" => "ent",
        "izer" => "ize", "ization" => "ize", "ational" => "ate", "ation" => "ate", "ator" => "ate",
        "alism" => "al", "aliti" => "al", "alli" => "al", "fulness" => "ful", "fulli" => "ful",
        "ousli" => "ous", "ousness" => "ous", "iveness" => "ive", "iviti" => "ive", "biliti" => "ble",
        "bli" => "ble", "ogist" => "og", "ogi" => "og", "lessli" => "less", "li" => ""
      }.freeze
      STEP3 = {
        "tional" => "tion", "ational" => "ate", "alize" => "al", "icate" => "ic", "iciti" => "ic", "ical" => "ic",
        "ful" => "", "ness" => "", "ative" => ""
      }.freeze
      STEP4 = %w[ic ance ence able ible ate ive ize iti al ism ion er ous ant ent ment ement]
              .to_h { |suffix| [suffix, ""] }.freeze
      private_constant :STEP2, :STEP3, :STEP4

      def initialize
        @cache = {}
        @lock = ::Mutex.new
        freeze
      end

      # @param word [String]
      # @return [String] the stem of a word of `[a-z]` only; any other text is returned unchanged
      # @raise [InvalidInputError] `word` is not a text, or not valid UTF-8 (UNI-2)
      def stem(word)
        checked = Base::Validation.text("word", word)
        checked.match?(ENGLISH_WORD) ? stem_english(checked) : checked
      end

      # @param word [String] known to contain only `[a-z]`
      # @return [String] its stem
      def stem_english(word)
        stem = @lock.synchronize { @cache[word] }
        return stem if stem

        stem = compute(word).freeze
        return stem if word.length > CACHED_LENGTH

        @lock.synchronize do
          @cache.clear if @cache.size >= CACHE_SIZE
          @cache[word] = stem
        end
      end

      private

      def compute(word)
        irregular = IRREGULAR[word]
        return irregular if irregular
        return word if word.length < 3

        marked = word.sub(/\Ay/, "Y").gsub(/[aeiouy]y/) { |pair| "#{pair[0]}Y" }
        p1, p2 = regions(marked)
        stem = step1c(step1b(step1a(marked), p1))
        stem = step2(stem, p1)
        stem = step3(stem, p1, p2)
        stem = step4(stem, p2)
        step5(stem, p1, p2).tr("Y", "y")
      end

      def regions(word)
        p1 = word[R1_PREFIX]&.length || after_vowel_and_consonant(word, 0)
        [p1, after_vowel_and_consonant(word, p1)]
      end

      def after_vowel_and_consonant(word, start)
        consonant = word.index(/(?<=[aeiouy])[^aeiouy]/, start + 1) if start < word.length
        consonant ? consonant + 1 : word.length
      end

      # Remove endings of plurals: -sses, -ied, -ies, -s.
      def step1a(word)
        return word[0...-2] if word.end_with?("sses")
        return word.length > 4 ? word[0...-2] : word[0...-1] if word.end_with?("ied", "ies")
        return word if word.end_with?("ss", "us") || !word.end_with?("s")

        word[0...-2].match?(/[aeiouy]/) ? word[0...-1] : word
      end

      # Remove endings of verbs: -eed, -eedly, -ed, -edly, -ing, -ingly.
      def step1b(word, p1)
        suffix = word[/(?:eed|ed|ing)(?:ly)?\z/]
        return word if suffix.nil?
        return step1b_eed(word, suffix, p1) if suffix.start_with?("eed")
        return "#{word[0]}ie" if word.match?(/\A[^aeiouy]ying\z/)
        return word if word.match?(NOUN_IN_ING)

        stem = word.delete_suffix(suffix)
        stem.match?(/[aeiouy]/) ? mend_verb(stem, p1) : word
      end

      def step1b_eed(word, suffix, p1)
        return word if word.length - suffix.length < p1 || word.match?(VERB_IN_EED)

        "#{word.delete_suffix(suffix)}ee"
      end

      # Restore the e of a verb whose ending was removed, or undouble its last letter.
      def mend_verb(stem, p1)
        return "#{stem}e" if stem.end_with?("at", "bl", "iz")
        return stem.match?(/\A[aeo]..\z/) ? stem : stem[0...-1] if stem.match?(/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)\z/)

        stem.length == p1 && stem.match?(SHORT_END) ? "#{stem}e" : stem
      end

      def step1c(word)
        word.match?(/.[^aeiouy][yY]\z/) ? "#{word[0...-1]}i" : word
      end

      def step2(word, p1)
        suffix = longest_suffix(word, STEP2, 7)
        return word if suffix.nil? || !begins_in?(word, suffix, p1)
        return word if suffix == "ogi" && !word.end_with?("logi")
        return word if suffix == "li" && !word.match?(/[cdeghkmnrt]li\z/)

        word.delete_suffix(suffix) + STEP2.fetch(suffix)
      end

      def step3(word, p1, p2)
        suffix = longest_suffix(word, STEP3, 7)
        return word if suffix.nil? || !begins_in?(word, suffix, p1)
        return word if suffix == "ative" && !begins_in?(word, suffix, p2)

        word.delete_suffix(suffix) + STEP3.fetch(suffix)
      end

      def step4(word, p2)
        suffix = longest_suffix(word, STEP4, 5)
        return word if suffix.nil? || !begins_in?(word, suffix, p2)
        return word if suffix == "ion" && !word.end_with?("sion", "tion")

        word.delete_suffix(suffix)
      end

      def step5(word, p1, p2)
        shorter = word[0...-1]
        return word if shorter.length < p1 || !word.end_with?("e", "ll")
        return shorter if shorter.length >= p2

        word.end_with?("e") && !shorter.match?(SHORT_END) ? shorter : word
      end

      def begins_in?(word, suffix, start)
        word.length - suffix.length >= start
      end

      def longest_suffix(word, suffixes, longest)
        length = [longest, word.length].min
        while length.positive?
          suffix = word[-length, length]
          return suffix if suffixes.key?(suffix)

          length -= 1
        end
        nil
      end
    end
  end
end
