// Search results: pages for users before design decisions and the changelog.
var Scorer = {
  score: function (result) {
    var page = result[0];
    var score = result[4];
    if (page.startsWith("decisions/") || page === "changelog") return score - 50;
    return page.startsWith("models/") || page.startsWith("tutorials/") ? score + 3 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
