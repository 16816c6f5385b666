'use strict';

// e^x for x <= 0, correctly rounded: with integers of 192 binary places, rounded once. The last bit counts (NUM-3):
// Math.exp differs from the C library's more often. The C library is not correctly rounded either, but of a thousand
// numbers it gives another last bit for less than one.

const PLACES = 192n;
const ONE = 1n << PLACES;
const LN2 = naturalLogarithmOfTwo();
const SMALLEST_EXPONENT = -1022;

/** 2 * atanh(1/3) = 2 * (1/3 + 1/(3 * 3^3) + 1/(5 * 3^5) + …). */
function naturalLogarithmOfTwo() {
  let sum = 0n;
  let power = ONE / 3n;
  for (let odd = 1n; power > 0n; odd += 2n) {
    sum += power / odd;
    power /= 9n;
  }
  return 2n * sum;
}

/** A double as an integer with PLACES binary places; exact down to 2^-PLACES. */
function toFixed(value) {
  let exponent = 0;
  let mantissa = value;
  while (!Number.isInteger(mantissa) && exponent < 1100) {
    mantissa *= 2;
    exponent += 1;
  }
  return (BigInt(mantissa) << PLACES) >> BigInt(exponent);
}

function series(rest) {
  let sum = 0n;
  let term = ONE;
  for (let index = 1n; term > 0n; index += 1n) {
    sum += term;
    term = (term * rest) >> PLACES;
    term /= index;
  }
  return sum;
}

/** value / 2^PLACES * 2^exponent as a double, halves to even, once. */
function round(value, exponent) {
  const kept = 53 - Math.max(0, SMALLEST_EXPONENT - exponent);
  if (kept < 0) return 0;
  const cut = PLACES - BigInt(kept - 1);
  const half = 1n << (cut - 1n);
  let whole = value >> cut;
  const lost = value - (whole << cut);
  if (lost > half || (lost === half && (whole & 1n) === 1n)) whole += 1n;
  let result = Number(whole);
  for (let power = exponent - (kept - 1); power < 0; power += 500) result *= 2 ** Math.max(power, -500);
  return result;
}

function exp(value) {
  if (value > 0) throw new RangeError('only for numbers up to 0');
  if (value > -(2 ** -54)) return 1;
  if (value < -746) return 0;
  const fixed = toFixed(value);
  const exponent = fixed / LN2 - 1n;
  return round(series(fixed - exponent * LN2), Number(exponent));
}

module.exports = { exp };
