// Typeset the formulas of the page with KaTeX.
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  document.querySelectorAll(".math[data-formula]").forEach(function (element) {
    katex.render(element.textContent, element, { displayMode: element.tagName === "DIV", throwOnError: false });
  });
});
