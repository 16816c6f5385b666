'use strict';

// Ranked lists into one (FUS-1 … FUS-5).

const { InvalidInputError } = require('./errors');
const fusedLegs = require('./fused_legs');
const { NORMALIZERS, normalize } = require('./normalizer');
const numeric = require('./numeric');
const ordering = require('./ordering');
const validation = require('./validation');

const DEFAULTS = new Map([
  ['weighted_sum', new Map([['weights', '0.05,0.95']])],
  ['rrf', new Map([['k', 60n]])],
  ['auto', new Map()],
  ['min_max', new Map()],
]);
const LEG_METHODS = new Map([
  ['auto', fusedLegs.auto],
  ['min_max', fusedLegs.minMax],
]);

/** Weights out of a text with commas, or a list of numbers. */
function parseWeights(value, count) {
  let accepted = `${count} finite numbers, none negative, not all zero`;
  let numbers;
  if (validation.isText(value)) {
    accepted += ', in decimals with commas between';
    numbers = validation.text('weights', value).split(',').map(numeric.parseDecimal);
  } else if (Array.isArray(value)) {
    numbers = value.map((item) => (typeof item === 'bigint' || typeof item === 'number' ? Number(item) : null));
  } else {
    throw validation.failure('weights', value, `${accepted}, in decimals with commas between or in a list`);
  }
  const right = numbers.every((item) => item !== null && Number.isFinite(item) && item >= 0);
  if (numbers.length !== count || !right || !numbers.some((item) => item > 0)) {
    throw validation.failure('weights', value, accepted);
  }
  return numbers;
}

function weightedSum(rankings, weights, normalizer = 'min_max') {
  const lists = checked(rankings);
  const factors = parseWeights(weights, lists.length);
  const methods = checkedNormalizers(normalizer, lists.length);
  const fused = new Map();
  lists.forEach((ranking, index) => {
    const scores = normalize(ranking.map((entry) => entry[1]), methods[index]);
    ranking.forEach(([identifier], place) => {
      if (!Number.isFinite(scores[place])) {
        const shown = validation.describe(identifier);
        throw new InvalidInputError(
          `rankings[${index}]: the score of ${shown} is not finite under ${methods[index]}`,
        );
      }
      fused.set(identifier, (fused.get(identifier) ?? 0.0) + factors[index] * scores[place]);
    });
  });
  return ranked(fused);
}

function rrf(rankings, k = 60n) {
  const lists = checked(rankings);
  const constant = validation.number('k', k, 0n);
  const fused = new Map();
  for (const ranking of lists) {
    ranking.forEach(([identifier], index) => {
      fused.set(identifier, (fused.get(identifier) ?? 0.0) + 1.0 / (constant + (index + 1)));
    });
  }
  return ranked(fused);
}

/** A fusion expression: its params checked, defaults filled in. */
function expression(method, topn, params) {
  validation.choice('method', method, [...DEFAULTS.keys()]);
  validation.integer('topn', topn, 1n);
  const given = validation.mapping('params', params);
  const defaults = DEFAULTS.get(method);
  validation.known(`param of ${method}`, given.keys(), [...defaults.keys()]);
  const all = new Map([...defaults, ...given]);
  if (method === 'weighted_sum') parseWeights(all.get('weights'), 2);
  else if (method === 'rrf') validation.number('k', all.get('k'), 0n);
  return { method, topn, params: all };
}

/** A text leg and a dense leg by the scores of their first hundred: the fused list, and what each leg adds. */
function ofLegs(method, rankings) {
  const lists = checked(rankings);
  if (lists.length !== 2) {
    throw new InvalidInputError(`${method} fuses a text leg and a dense leg, not ${lists.length} rankings`);
  }
  const [text, dense] = lists.map((list) => ordering.rank(list));
  const legs = LEG_METHODS.get(method)(text, dense);
  return [ranked(fusedLegs.scores(legs, text, dense)), legs];
}

function fuse({ method, topn, params }, rankings) {
  if (LEG_METHODS.has(method)) return ofLegs(method, rankings)[0].slice(0, Number(topn));
  const byRank = method === 'rrf';
  const fused = byRank ? rrf(rankings, params.get('k')) : weightedSum(rankings, params.get('weights'), 'min_max');
  return fused.slice(0, Number(topn));
}

function ranked(fused) {
  for (const [identifier, score] of fused) {
    if (!Number.isFinite(score)) {
      throw new InvalidInputError(`the fused score of ${validation.describe(identifier)} is not finite`);
    }
  }
  return ordering.rank(fused);
}

function checked(rankings) {
  if (!Array.isArray(rankings)) throw validation.failure('rankings', rankings, 'a list of ranked lists');
  return rankings.map((ranking, index) => checkedList(`rankings[${index}]`, ranking));
}

function checkedList(name, ranking) {
  if (!Array.isArray(ranking)) throw validation.failure(name, ranking, 'a list of (id, score)');
  const entries = ranking.map((entry, index) => checkedEntry(`${name}[${index}]`, entry));
  const seen = new Set();
  for (const [identifier] of entries) {
    if (seen.has(identifier)) {
      throw new InvalidInputError(`${name} holds the id ${validation.describe(identifier)} twice`);
    }
    seen.add(identifier);
  }
  return entries;
}

function checkedEntry(name, entry) {
  if (!Array.isArray(entry) || entry.length !== 2) throw validation.failure(name, entry, 'an id and a score');
  const score = validation.number(`${name}[1]`, entry[1]);
  return [validation.text(`${name}[0]`, entry[0]), score];
}

function checkedNormalizers(normalizer, count) {
  if (!Array.isArray(normalizer)) return Array(count).fill(validation.choice('normalizer', normalizer, NORMALIZERS));
  if (normalizer.length !== count) {
    throw validation.failure('normalizer', normalizer, `one normalizer, or ${count} of them`);
  }
  return normalizer.map((item, index) => validation.choice(`normalizer[${index}]`, item, NORMALIZERS));
}

module.exports = { expression, fuse, ofLegs, parseWeights, rrf, weightedSum };
