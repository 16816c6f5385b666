# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # Divides a Markdown text into sections, line by line, by CommonMark and its tables as far as cutting requires
    # (CHK-3).
    class MarkdownReader
      include Base::ShortInspect

      FRONT_MATTER = /\A---[ \t]*\z/
      FRONT_MATTER_END = /\A(?:---|\.\.\.)[ \t]*\z/
      KINDS = { text: :prose, quote: :prose, table: :lines, code: :lines }.freeze
      TAB_STOP = MarkdownLines::TAB_STOP
      private_constant :FRONT_MATTER, :FRONT_MATTER_END, :KINDS, :TAB_STOP

      def initialize
        @sections = []
        @section = nil
        @path = []
        @bare = nil # level of the last heading, while the section has only headings
        @items = [] # first content columns of the list items that are still open
        @fence = nil
        @open = []
        @kind = :text
        @level = Section::BLOCK
        @page = nil
      end

      # @param lines [Array<SourceLine>]
      # @return [Array<Section>] the sections of a text in order
      def sections(lines)
        begun = front_matter(lines)
        add(Passage.new(lines.first(begun), Section::BLOCK, :lines)) if begun.positive?
        lines.each_with_index { |line, index| read(line) if index >= begun }
        close
        @sections
      end

      private

      def read(line)
        fence = @fence
        if fence
          read_code(line, fence)
        elsif Base::Characters.strip(line.text).empty?
          close
        else
          turn_page(line.page) unless @page == line.page
          read_text(line, MarkdownLines.indent(line.text))
        end
      end

      def read_code(line, opened)
        @open << line
        close if MarkdownLines.closes?(line.text, opened)
      end

      # Read a line that is neither blank nor in fenced code.
      def read_text(line, columns)
        return if (columns < TAB_STOP || @items.any?) && begin_block(line, columns)

        continue(line, columns)
      end

      # Read a line that begins a block itself; return whether it does.
      def begin_block(line, columns)
        fence = MarkdownLines.fence(line.text)
        if fence
          begin_passage(:code, placed(columns), line)
          @fence = fence
          return true
        end
        return true if read_heading(line, columns)

        if MarkdownLines.break?(line.text)
          begin_passage(:code, placed(columns), line)
          close
          return true
        end
        begin_item_or_quote(line, columns)
      end

      def begin_item_or_quote(line, columns)
        item = MarkdownLines.item(line.text, columns)
        if item && (@items.any? || item.interrupts || !open?(:text, :quote))
          begin_item(item, columns, line)
          return true
        end
        return false if !MarkdownLines.quote?(line.text) || open?(:quote, :table)

        begin_passage(:quote, placed(columns), line)
        true
      end

      # Read a heading, if the line is one outside list items; return whether it is.
      def read_heading(line, columns)
        return false if @items.any? && columns >= @items.fetch(0)

        level, text = MarkdownLines.heading(line.text)
        if level
          close
          begin_section(level, text, [line])
          return true
        end
        level = MarkdownLines.underline(line.text)
        return false if level.nil? || @items.any? || !open?(:text)

        read_underline(level, line)
        true
      end

      def read_underline(level, line)
        text = @open.map(&:text).join(" ")
        lines = [*@open, line]
        @open = []
        begin_section(level, text, lines)
      end

      # Read a line that does not begin a block itself.
      def continue(line, columns)
        if table_head?(line)
          begin_table(line)
        elsif @open.empty?
          level = placed(columns)
          begin_passage(columns >= TAB_STOP && level == Section::BLOCK ? :code : :text, level, line)
        elsif open?(:code) && columns < TAB_STOP
          begin_passage(:text, Section::BLOCK, line)
        else
          @open << line
        end
      end

      def table_head?(line)
        open?(:text, :quote) && MarkdownLines.delimiter_row?(line.text) && @open.fetch(-1).text.include?("|")
      end

      def begin_table(line)
        head = @open.fetch(-1)
        @open = @open[0...-1]
        level = @open.empty? ? @level : inner_level
        begin_passage(:table, level, head)
        @open << line
      end

      def begin_item(item, columns, line)
        level = Section::BLOCK
        if @items.any?
          placed(columns)
          level = Section::ITEM + [@items.size, Section::DEEPEST_ITEM].min
        end
        begin_passage(:text, level, line)
        @items << item.content
      end

      # Close the list items that a line of this indent is outside of; return the level of the boundary before it.
      def placed(columns)
        @items.pop while @items.any? && columns < @items.fetch(-1)
        inner_level
      end

      def inner_level
        @items.any? ? Section::ITEM + [@items.size, Section::DEEPEST_ITEM].min : Section::BLOCK
      end

      def open?(*kinds)
        @open.any? && kinds.include?(@kind)
      end

      def begin_passage(kind, level, line)
        close
        @kind = kind
        @level = level
        @open << line
      end

      def close
        if @open.any?
          add(Passage.new(@open, @level, KINDS.fetch(@kind)))
          @bare = nil
        end
        @open = []
        @fence = nil
      end

      def turn_page(page)
        close
        @page = page
        @section = nil
        @bare = nil
      end

      # Begin a section with a heading, or add the heading to a section that has only headings above this one.
      def begin_section(level, text, lines)
        bare = @bare
        @section = nil if bare.nil? || bare >= level
        @items.clear
        @path.pop while @path.any? && @path.fetch(-1)[0] >= level
        shown = Base::Characters.split_white(text).join(" ")[0, MarkdownLines::LONGEST_HEADING].to_s
        @path << [level, shown] unless shown.empty?
        @bare = level
        add(Passage.new(lines, Section::BLOCK, :heading)).headings = headings
      end

      def add(passage)
        section = @section
        if section.nil?
          section = Section.new(headings, passage.lines.fetch(0).page)
          @section = section
          @sections << section
        end
        section.passages << passage
        section
      end

      def headings
        @path.map(&:last).freeze
      end

      # Return the number of lines of front matter at the beginning of a text, up to the closing line; 0 without any.
      def front_matter(lines)
        return 0 if lines.size < 2 || !lines.fetch(0).text.match?(FRONT_MATTER)
        return 0 if Base::Characters.strip(lines.fetch(1).text).empty?

        index = lines.each_index.find { |place| place.positive? && lines.fetch(place).text.match?(FRONT_MATTER_END) }
        index ? index + 1 : 0
      end
    end
  end
end
