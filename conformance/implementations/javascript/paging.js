'use strict';

// Pages over scored candidates, block by block (RET-3, RET-4, RET-6).

const ordering = require('./ordering');
const validation = require('./validation');

const LARGEST_PAGE = 1024n;
const MOST_FETCHED_AGAIN = 8;
const DEFAULTS = { topk: 1024n, similarity_threshold: 0.2, vector_similarity_weight: 0.3 };

/** How many candidates a block holds: about 64, always a whole number of pages. */
function rerankWindow(pageSize, top, withModel) {
  if (pageSize <= 1) return withModel ? Math.min(30, top) : 30;
  const size = Math.ceil(64 / pageSize) * pageSize;
  return withModel ? Math.min(size, Math.ceil(top / pageSize) * pageSize) : size;
}

class Pages {
  constructor(candidates, withModel, options, pageSize) {
    validation.known('option', options.keys(), Object.keys(DEFAULTS));
    const option = (name) => (options.has(name) ? options.get(name) : DEFAULTS[name]);
    this.pageSize = Number(validation.integer('page_size', pageSize, 1n, LARGEST_PAGE));
    this.top = Number(validation.integer('topk', option('topk'), 1n));
    this.threshold = validation.number('similarity_threshold', option('similarity_threshold'));
    this.weight = validation.number('vector_similarity_weight', option('vector_similarity_weight'), 0.0, 1.0);
    this.candidates = candidates.slice(0, this.top).map(([identifier, score]) => [identifier, Number(score)]);
    this.window = rerankWindow(this.pageSize, this.top, withModel);
  }

  /** The candidates of the block that begins at `first`, in order, those that pass the threshold. */
  block(first) {
    const ranking = ordering.rank(this.candidates.slice(first, first + this.window));
    return this.weight === 0 ? ranking : ranking.filter(([, score]) => score >= this.threshold);
  }

  page(number) {
    const offset = (number - 1) * this.pageSize;
    const first = Math.floor(offset / this.window) * this.window;
    const passing = this.block(first);
    const begin = offset - first;
    const end = begin + this.pageSize;
    return {
      hits: passing.slice(begin, end),
      windowTotal: passing.length,
      hasMore: end < passing.length || first + this.window < this.candidates.length,
    };
  }

  walk() {
    const pages = [this.page(1)];
    while (pages[pages.length - 1].hasMore) pages.push(this.page(pages.length + 1));
    return pages;
  }

  full() {
    const blocks = [];
    for (let first = 0; first < this.candidates.length; first += this.window) blocks.push(...this.block(first));
    return blocks;
  }

  /** Whether some of the pages, fetched again one by one and from the last to the first, are the same. */
  same(walked) {
    const step = Math.ceil(walked.length / MOST_FETCHED_AGAIN);
    const numbers = walked.map((_, index) => index + 1).filter((_, index) => index % step === 0);
    return numbers.reverse().every((number) => {
      const [again, before] = [this.page(number).hits.flat(), walked[number - 1].hits.flat()];
      return again.length === before.length && again.every((part, index) => part === before[index]);
    });
  }

  table() {
    const walked = this.walk();
    return new Map([
      ['page_size', BigInt(this.pageSize)],
      ['full', this.full().map(([identifier]) => identifier)],
      ['pages', walked.map((page) => page.hits.map(([identifier]) => identifier))],
      ['similarity', walked.flatMap((page) => page.hits.map(([, score]) => score))],
      ['window_totals', walked.map((page) => BigInt(page.windowTotal))],
      ['has_more', walked.map((page) => page.hasMore)],
      ['same', this.same(walked)],
    ]);
  }
}

module.exports = { Pages, rerankWindow };
