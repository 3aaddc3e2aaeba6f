// The slider for the passes of a scheme. Without this script all passes are visible. This file must
// not contain special characters of XML.
(function () {
  "use strict";
  function list(selector, root) {
    return Array.prototype.slice.call((root || document).querySelectorAll(selector));
  }

  function prepare(steps) {
    var step = list(".step", steps);
    var slider = steps.querySelector(".slider");
    if (!slider) { return; }
    var range = slider.querySelector("input");
    var output = slider.querySelector("output");
    var button = list("button", slider);
    function choose(number) {
      number = Math.min(Math.max(number, 1), step.length);
      range.value = number;
      output.textContent = number + " of " + step.length;
      range.setAttribute("aria-valuetext", "pass " + output.textContent);
      button[0].disabled = number === 1;
      button[1].disabled = number === step.length;
      step.forEach(function (each, index) {
        each.classList.toggle("current", index + 1 === number);
      });
    }
    function showAll(all) {
      steps.classList.toggle("chosen", !all);
      steps.classList.toggle("all", all);
      button[2].setAttribute("aria-pressed", String(all));
    }
    range.addEventListener("input", function () { showAll(false); choose(Number(range.value)); });
    [-1, 1].forEach(function (by, index) {
      button[index].addEventListener("click", function () {
        showAll(false);
        choose(Number(range.value) + by);
      });
    });
    button[2].addEventListener("click", function () {
      showAll(!steps.classList.contains("all"));
    });
    steps.addEventListener("page-step", function (event) {
      choose(step.indexOf(event.detail) + 1);
    });
    steps.addEventListener("page-all", function (event) { showAll(event.detail); });
    slider.hidden = false;
    showAll(false);
    choose(1);
  }

  // Opens the element that the address names, and all elements around it.
  function follow() {
    var target = document.getElementById(location.hash.slice(1));
    if (!target) { return; }
    for (var at = target; at; at = at.parentElement) {
      if (at.tagName.toLowerCase() === "details") { at.open = true; }
    }
    if (target.classList.contains("step")) {
      target.closest(".steps").dispatchEvent(new CustomEvent("page-step", {detail: target}));
    }
    target.scrollIntoView();
  }

  list(".steps").forEach(prepare);
  list("button.open-all").forEach(function (button) {
    var words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", function () {
      var open = button.textContent === words;
      list("details").forEach(function (details) { details.open = open; });
      list(".steps").forEach(function (steps) {
        steps.dispatchEvent(new CustomEvent("page-all", {detail: open}));
      });
      button.textContent = open ? "Close all" : words;
    });
  });
  window.addEventListener("hashchange", follow);
  follow();
}());
