'use strict';

// How much of a question's weight a document has (QRY-9).

const { InvalidInputError } = require('./errors');
const validation = require('./validation');

const SMALLEST = 1e-9;

/** The tokens of the question and its neighbours joined, with what each counts, in order of first appearance. */
function queryKeys(query) {
  validation.texts('query_tokens', query.map(([token]) => token));
  const keys = new Map();
  const add = (key, weight) => keys.set(key, (keys.get(key) ?? 0.0) + weight);
  query.forEach(([token, weight], index) => {
    add(token, 0.4 * Number(weight));
    if (index + 1 < query.length) {
      const [following, followingWeight] = query[index + 1];
      add(token + following, 0.6 * larger(Number(weight), Number(followingWeight)));
    }
  });
  return keys;
}

function larger(one, other) {
  return other > one ? other : one;
}

function similarities(keys, documents) {
  let total = SMALLEST;
  for (const weight of keys.values()) total = total + weight;
  return checked(documents).map((tokens) => {
    const present = new Set(tokens);
    for (let index = 1; index < tokens.length; index += 1) present.add(tokens[index - 1] + tokens[index]);
    let score = SMALLEST;
    for (const [key, weight] of keys) if (present.has(key)) score = score + weight;
    return score / total;
  });
}

function checked(documents) {
  if (!Array.isArray(documents)) throw validation.failure('docs_tokens', documents, 'a list of lists of texts');
  documents.forEach((tokens, index) => {
    if (!Array.isArray(tokens)) throw validation.failure(`docs_tokens[${index}]`, tokens, 'a list of texts');
    if (!tokens.every(validation.isText)) throw new InvalidInputError(`docs_tokens[${index}] must be a list of texts`);
  });
  return documents;
}

module.exports = { queryKeys, similarities };
