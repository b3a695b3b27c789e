"use strict";
// Sorts tables by a column, unfolds all, and unfolds for paper.  The page is
// whole without it.
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].textContent;
      const rows = [...table.tBodies[0].rows].map((row) => {
        const text = key(row);
        return { row, text, number: text === "" ? NaN : parseFloat(text) };
      });
      rows.sort((a, b) => {
        const none = Number.isNaN(a.number) - Number.isNaN(b.number);
        const order = Number.isNaN(a.number) && Number.isNaN(b.number)
          ? a.text.localeCompare(b.text) : a.number - b.number;
        return none || (up ? order : -order);
      });
      table.tBodies[0].append(...rows.map((each) => each.row));
    });
  });
}
const folds = [...document.querySelectorAll("details")];
const all = document.getElementById("unfold");
all.hidden = false;
all.addEventListener("click", () => {
  const open = folds.some((fold) => !fold.open);
  folds.forEach((fold) => { fold.open = open; });
});
let before = [];
addEventListener("beforeprint", () => {
  before = folds.map((fold) => fold.open);
  folds.forEach((fold) => { fold.open = true; });
});
addEventListener("afterprint", () => {
  folds.forEach((fold, i) => { fold.open = before[i]; });
});
