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
const ask = makeSearch(window.searchData);
let chosen = -1;

function search() {
  const query = input.value.trim();
  chosen = -1;
  found.replaceChildren(...ask(query, 12).map(([words, url, kind]) => {
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
  if (query.length > 1 && !found.hasChildNodes()) {
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
