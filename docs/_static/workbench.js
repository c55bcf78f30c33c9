// The embedded workbench starts when the reader presses its button, or when a link names a robot (?robot=ID).
(function () {
  "use strict";

  function open(box, robot) {
    var frame = document.createElement("iframe");
    frame.title = "symoro workbench, robot " + robot;
    frame.src = box.dataset.workbench + "?robot=" + encodeURIComponent(robot);
    box.replaceChildren(frame);
    box.classList.add("is-open");
    frame.focus();
  }

  document.addEventListener("DOMContentLoaded", function () {
    var box = document.querySelector("[data-workbench]");
    if (!box) return;
    var button = box.querySelector("button");
    if (location.protocol === "file:") {
      button.disabled = true;
      button.textContent = "The workbench needs a web server";
      return;
    }
    var named = new URLSearchParams(location.search).get("robot");
    button.addEventListener("click", function () { open(box, box.dataset.robot); });
    if (named) open(box, named);
  });
})();
