'use strict';

// Values as they come and go (CNF-4). Integers are BigInt here and floats are numbers, so that 1 and 1.0 stay apart;
// objects are Maps; a text that is no UTF-8 is an InvalidText.

const numeric = require('./numeric');

const LARGEST_PLAIN = 2n ** 53n;

class InvalidText {
  constructor(hex) {
    this.hex = hex;
  }

  /** The text with a question mark for every byte that belongs to no valid character. */
  shown() {
    const bytes = Buffer.from(this.hex, 'hex');
    let text = '';
    for (let at = 0; at < bytes.length; ) {
      const length = [1, 2, 3, 4].find((size) => isCharacter(bytes.subarray(at, at + size), size)) ?? 0;
      text += length > 0 ? bytes.toString('utf8', at, at + length) : '?';
      at += Math.max(1, length);
    }
    return text;
  }
}

function isCharacter(bytes, size) {
  if (bytes.length !== size) return false;
  const text = bytes.toString('utf8');
  return [...text].length === 1 && Buffer.from(text, 'utf8').equals(bytes);
}

function has(value, ...keys) {
  const own = Object.keys(value);
  return own.length === keys.length && keys.every((key) => Object.hasOwn(value, key));
}

function decode(value) {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(decode);
  if (value === null || typeof value !== 'object') return value;
  if (has(value, 'bits', 'decimal')) return numeric.fromBits(value.bits);
  if (has(value, 'integer')) return BigInt(value.integer);
  if (has(value, 'utf8')) return new InvalidText(value.utf8);
  if (has(value, 'entries')) return new Map(value.entries.map(([key, item]) => [decode(key), decode(item)]));
  return new Map(Object.entries(value).map(([key, item]) => [key, decode(item)]));
}

function encode(value) {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return { bits: numeric.toBits(value), decimal: numeric.shortest(value) };
  if (typeof value === 'bigint') return encodeInteger(value);
  if (value instanceof InvalidText) return { utf8: value.hex };
  if (Array.isArray(value)) return value.map(encode);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, encode(item)]));
  throw new TypeError(`${String(value)} is not plain data`);
}

function encodeInteger(value) {
  const plain = value < LARGEST_PLAIN && value > -LARGEST_PLAIN;
  return plain ? Number(value) : { integer: value.toString() };
}

module.exports = { InvalidText, decode, encode };
