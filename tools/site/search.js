// What the search finds, apart from the page it is shown on, so that a test can ask it too: any interpreter of the
// JavaScript of 2009 will do.
"use strict";

// data.entries: [words, URL, kind] of each page, section and name; data.index: word -> [entry, weight, entry, weight ...]
// of the text of pages and sections, a weight being at most 100.
function makeSearch(data) {
  var lower = data.entries.map(function (entry) { return entry[0].toLowerCase(); });
  var known = Object.keys(data.index).sort();

  // The better of two matches: the whole name, its beginning, a word's, what the text says (4), the middle of a word.
  function rankOfName(text, query) {
    var at = text.indexOf(query);
    if (at < 0) return -1;
    if (text === query || text.indexOf(query + "(") === 0) return 0;
    if (at === 0) return 1;
    return /[^a-z0-9]/.test(text.charAt(at - 1)) ? 2 : 5;
  }

  // entry -> how much it says of words that begin so. A word that stands in few places says more than one in many.
  function mentions(beginning) {
    var found = {};
    known.forEach(function (word) {
      if (word.indexOf(beginning) !== 0) return;
      var list = data.index[word];
      var rare = Math.log(1 + data.entries.length / (list.length / 2));
      var whole = word === beginning ? 1 : 0.5;
      for (var k = 0; k < list.length; k += 2) {
        found[list[k]] = (found[list[k]] || 0) + whole * rare * list[k + 1];
      }
    });
    lower.forEach(function (text, k) {
      var rank = rankOfName(text, beginning);
      if (rank >= 0 && rank < 4) found[k] = (found[k] || 0) + 400;
    });
    return found;
  }

  // [entry ...], the best first: names, then what has all the words (or the most of them),
  // then names with the query somewhere inside.
  return function (text, most) {
    var query = text.trim().toLowerCase().replace(/\s+/g, " ");
    if (query.length < 2) return [];
    var best = {};
    var has = {};  // entry -> [of how many words it speaks, how much]
    query.split(" ").map(mentions).forEach(function (found) {
      Object.keys(found).forEach(function (k) {
        has[k] = has[k] ? [has[k][0] + 1, has[k][1] + found[k]] : [1, found[k]];
      });
    });
    var mostWords = Object.keys(has).reduce(function (high, k) { return Math.max(high, has[k][0]); }, 0);
    Object.keys(has).forEach(function (k) {
      if (has[k][0] === mostWords) best[k] = [4, -has[k][1], Number(k)];
    });
    lower.forEach(function (name, k) {
      var rank = rankOfName(name, query);
      if (rank >= 0 && !(best[k] && best[k][0] < rank)) best[k] = [rank, name.length, k];
    });
    var hits = Object.keys(best).map(function (k) { return best[k]; });
    hits.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]; });
    var seen = {};  // a page of many names is shown once
    return hits.map(function (hit) { return data.entries[hit[2]]; }).filter(function (entry) {
      var first = !seen[entry[1]];
      seen[entry[1]] = true;
      return first;
    }).slice(0, most);
  };
}
