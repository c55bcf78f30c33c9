// Names for screen readers where the theme has an icon only, and no list semantics inside signatures.
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  document.querySelectorAll("nav summary").forEach(function (summary) {
    var link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", "Pages below " + link.textContent.trim());
  });
  // A formula that scrolls can be reached with the keyboard.
  document.querySelectorAll("div.math").forEach(function (formula) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  });
  document.querySelectorAll(".sig dl").forEach(function (list) {
    list.setAttribute("role", "presentation");
  });
});
