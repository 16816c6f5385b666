'use strict';

// Checks of arguments, with the messages of the reference (ERR-1).

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { InvalidText } = require('./codec');
const { InvalidInputError } = require('./errors');
const numeric = require('./numeric');

const SHOWN_CHARACTERS = 60;
const SHOWN_BITS = 200;
/** Words of other libraries with the names for them: a table that all languages read. */
const HABITS = join(__dirname, '../../../python_ref/hybrid_search/data/habits.json');

function isText(value) {
  return typeof value === 'string' || value instanceof InvalidText;
}

function shownText(value) {
  return typeof value === 'string' ? value : value.shown();
}

/** How a value is shown in a message. */
function describe(value) {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return describeInteger(value);
  if (typeof value === 'number') return numeric.shortest(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Map) return `an object of ${value.size}`;
  const characters = [...shownText(value)];
  const cut = characters.length > SHOWN_CHARACTERS;
  return JSON.stringify(cut ? `${characters.slice(0, SHOWN_CHARACTERS).join('')}…` : characters.join(''));
}

function describeInteger(value) {
  const bits = (value < 0n ? -value : value).toString(2).length;
  return bits <= SHOWN_BITS ? value.toString() : `an integer of ${bits} bits`;
}

function failure(name, value, accepted) {
  return new InvalidInputError(`${name} must be ${accepted}, not ${describe(value)}`);
}

function text(name, value) {
  if (!isText(value)) throw failure(name, value, 'a text');
  if (value instanceof InvalidText) throw new InvalidInputError(`${name} is not valid UTF-8 text`);
  return value;
}

function texts(name, value) {
  if (!Array.isArray(value)) throw failure(name, value, 'a list of texts');
  return value.map((item, index) => text(`${name}[${index}]`, item));
}

function bounds(minimum, maximum) {
  if (minimum !== undefined && maximum !== undefined) return ` from ${describe(minimum)} to ${describe(maximum)}`;
  return minimum === undefined ? '' : ` of at least ${describe(minimum)}`;
}

/** An integer (BigInt) within bounds, both inclusive. */
function integer(name, value, minimum, maximum) {
  const accepted = `an integer${bounds(minimum, maximum)}`;
  if (typeof value !== 'bigint') throw failure(name, value, accepted);
  if (value < minimum || (maximum !== undefined && value > maximum)) throw failure(name, value, accepted);
  return value;
}

/** A finite number within bounds, both inclusive, as a float. */
function number(name, value, minimum, maximum) {
  const accepted = `a finite number${bounds(minimum, maximum)}`;
  const result = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : NaN;
  const inside = (minimum === undefined || result >= minimum) && (maximum === undefined || result <= maximum);
  if (!Number.isFinite(result) || !inside) throw failure(name, value, accepted);
  return result;
}

function choice(name, value, choices) {
  if (!choices.includes(value)) throw failure(name, value, `one of ${choices.join(', ')}`);
  return value;
}

function mapping(name, value) {
  if (!(value instanceof Map)) throw failure(name, value, 'an object');
  for (const key of value.keys()) text(`a key of ${name}`, key);
  return value;
}

/** Refuses names that are not known, with the nearest one that is. */
function known(what, given, accepted) {
  for (const name of given) {
    if (accepted.includes(name)) continue;
    const shown = isText(name) ? shownText(name) : describe(name);
    const hint = nearest(shown, accepted);
    const suggestion = hint === null ? '.' : `; did you mean ${describe(hint)}?`;
    throw new InvalidInputError(`unknown ${what} ${describe(shown)}${suggestion} Known: ${accepted.join(', ')}`);
  }
}

function nearest(name, candidates) {
  const length = [...name].length;
  let best = null;
  let bestDistance = Math.max(1, Math.floor(length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(length - [...candidate].length) >= bestDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  if (bestDistance === 1 && length > 1) return best;
  const habits = JSON.parse(readFileSync(HABITS, 'utf-8'));
  return (Object.hasOwn(habits, name) ? habits[name] : []).find((each) => candidates.includes(each)) ?? best;
}

/** The Levenshtein distance, by code points. */
function editDistance(left, right) {
  const columns = [...right];
  let previous = [0, ...columns.map((_, column) => column + 1)];
  [...left].forEach((a, row) => {
    const current = [row + 1];
    columns.forEach((b, column) => {
      const replaced = previous[column] + (a === b ? 0 : 1);
      current.push(Math.min(previous[column + 1] + 1, current[column] + 1, replaced));
    });
    previous = current;
  });
  return previous[columns.length];
}

module.exports = { choice, describe, editDistance, failure, integer, isText, known, mapping, number, text, texts };
