"use strict";
const find = document.getElementById("find");
const none = document.getElementById("none");
const items = [...document.querySelectorAll("[data-find]")];
const sections = [...document.querySelectorAll("nav section, main .group")].filter((one) => one.querySelector("[data-find]"));

find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const item of items) {
    const matches = words.every((word) => item.dataset.find.includes(word));
    item.hidden = !matches;
    shown += matches;
  }
  for (const section of sections) {
    section.hidden = !section.querySelector("[data-find]:not([hidden])");
  }
  none.hidden = shown > 0;
});

const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", open);
open();
