'use strict';

// Arithmetic (NUM-1 … NUM-5): sums start at 0.0 and run from left to right.

const { exp } = require('./exponential');

const LONGEST_DECIMAL = 50;
const DECIMAL = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;
const NAN_BITS = '7ff8000000000000';

function toBits(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return Number.isNaN(value) ? NAN_BITS : bytes.toString('hex');
}

function fromBits(bits) {
  return Buffer.from(bits, 'hex').readDoubleBE();
}

/** The shortest decimal as `repr` writes it: digits as they are from 1e-4 up to 1e16, else with an exponent (NUM-5). */
function shortest(value) {
  if (Number.isNaN(value)) return 'nan';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}inf`;
  if (size === 0) return `${sign}0.0`;
  const [mantissa, power] = size.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

function sumLeft(values) {
  let total = 0.0;
  for (const value of values) total = total + value;
  return total;
}

function dot(left, right) {
  let total = 0.0;
  left.forEach((value, index) => {
    total = total + value * right[index];
  });
  return total;
}

function mean(values) {
  return values.length > 0 ? sumLeft(values) / values.length : 0.0;
}

/** The first of the lowest, and the first of the highest: of 0.0 and -0.0 the one that came first. */
function lowest(values) {
  return values.reduce((best, value) => (value < best ? value : best));
}

function highest(values) {
  return values.reduce((best, value) => (value > best ? value : best));
}

/** The double of an ASCII decimal number of at most 50 characters, or null. */
function parseDecimal(text) {
  const trimmed = text.replace(/^ +/, '').replace(/ +$/, '');
  const match = trimmed.length <= LONGEST_DECIMAL ? DECIMAL.exec(trimmed) : null;
  if (match === null) return null;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  if (!whole && !fraction) return null;
  const factor = sign === '-' ? -1.0 : 1.0;
  const magnitude = decimalMagnitude(whole.replace(/^0+/, ''), fraction, BigInt(exponent.replace('+', '')));
  if (magnitude === null) return factor * 0.0;
  return magnitude >= 309n ? factor * Infinity : Number(trimmed);
}

/** The m of 10^(m-1) <= value < 10^m; null for a value that counts as zero. */
function decimalMagnitude(whole, fraction, exponent) {
  const significant = fraction.replace(/^0+/, '');
  if (!whole && !significant) return null;
  const magnitude = exponent + BigInt(whole ? whole.length : significant.length - fraction.length);
  return magnitude <= -323n ? null : magnitude;
}

module.exports = { dot, exp, fromBits, highest, lowest, mean, parseDecimal, shortest, sumLeft, toBits };
