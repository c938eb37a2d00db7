// The choice of light or dark, the contents on small screens, and the search.
"use strict";

const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch (e) { /* it holds for this page */ }
});

const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
  const open = document.body.classList.toggle("open");
  menu.setAttribute("aria-expanded", open);
});
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "center" });

const input = document.getElementById("search");
const found = document.getElementById("found");
const lower = window.searchData.map(([words]) => words.toLowerCase());
let chosen = -1;

// The better of two matches: the whole, the beginning, a word, anywhere; then the shorter one.
function rank(text, query) {
  const at = text.indexOf(query);
  if (at < 0) return -1;
  if (text === query || text.startsWith(query + "(")) return 0;
  if (at === 0) return 1;
  return /\W/.test(text[at - 1]) ? 2 : 3;
}

function search() {
  const query = input.value.trim().toLowerCase();
  chosen = -1;
  const hits = [];
  if (query.length > 1) {
    lower.forEach((text, k) => {
      const value = rank(text, query);
      if (value >= 0) hits.push([value, text.length, k]);
    });
    hits.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  }
  found.replaceChildren(...hits.slice(0, 12).map(([, , k]) => {
    const [words, url, kind] = window.searchData[k];
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = document.body.dataset.root + "/" + url;
    link.textContent = words;
    const small = document.createElement("small");
    small.textContent = kind;
    link.append(small);
    item.append(link);
    return item;
  }));
  if (query.length > 1 && !hits.length) {
    const none = document.createElement("li");
    none.textContent = "Nothing found";
    found.replaceChildren(none);
  }
  found.hidden = query.length < 2;
}

input.addEventListener("input", search);
input.addEventListener("focus", search);
input.addEventListener("keydown", (event) => {
  const links = [...found.querySelectorAll("a")];
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : links.length)) % Math.max(links.length, 1);
    links.forEach((link, k) => link.classList.toggle("chosen", k === chosen));
    event.preventDefault();
  } else if (event.key === "Enter" && links.length) {
    location.href = links[Math.max(chosen, 0)].href;
  } else if (event.key === "Escape") {
    found.hidden = true;
    input.blur();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) found.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    input.focus();
    event.preventDefault();
  }
});
