'use strict';

// The total order of ranked lists (ORD-1, ORD-2).

/** Texts by code points; comparing strings with < goes by halves of UTF-16 and puts U+1F600 before U+FF41. */
function compareTexts(left, right) {
  const one = [...left];
  const other = [...right];
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = one[index].codePointAt(0) - other[index].codePointAt(0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** The higher score first; -0.0 equals 0.0. */
function compareScores(left, right) {
  if (left > right) return -1;
  return left < right ? 1 : 0;
}

/** Pairs of [id, score] by score descending, then id ascending. */
function rank(pairs) {
  return [...pairs].sort((one, other) => compareScores(one[1], other[1]) || compareTexts(one[0], other[0]));
}

/** Rows of [tier, score, stage-1 score, id]. */
function rankTiered(rows) {
  return [...rows].sort(
    (one, other) =>
      Number(one[0] - other[0]) ||
      compareScores(one[1], other[1]) ||
      compareScores(one[2], other[2]) ||
      compareTexts(one[3], other[3]),
  );
}

module.exports = { rank, rankTiered };
