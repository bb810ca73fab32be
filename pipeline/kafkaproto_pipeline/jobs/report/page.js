"use strict";
// Draws the report's figures, in the colours of the reader's setting; a zoom in one moves the time axes of all.
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const { figures, themes } = read("figures");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const options = { displayModeBar: false, responsive: true, doubleClick: "reset" };

  // A copy of a figure in which each role of a colour is replaced by its value.
  const painted = (value, theme, key = "") => {
    if (Array.isArray(value)) return key === "customdata" || key === "z" ? value : value.map((each) => painted(each, theme, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, painted(each, theme, name)]));
    }
    return typeof value === "string" && key.endsWith("color") || key === "colorscale" ? theme[value] ?? value : value;
  };

  const colour = () => {
    const theme = themes[dark.matches ? "dark" : "light"];
    for (const each of document.querySelectorAll(".legend [data-colour]")) {
      const value = theme[each.dataset.colour] ?? each.dataset.colour;
      if (Array.isArray(value)) {
        each.querySelectorAll("stop").forEach((stop, at) => {
          stop.setAttribute("offset", value[at][0]);
          stop.setAttribute("stop-color", value[at][1]);
        });
      } else each.style.color = value;
    }
    return theme;
  };

  const drawn = [];
  let following = false;
  const follow = (source, change) => {
    if (following) return;
    const from = change["xaxis.range[0]"] ?? change["xaxis.range"]?.[0];
    const to = change["xaxis.range[1]"] ?? change["xaxis.range"]?.[1];
    const whole = change["xaxis.autorange"];
    if (from === undefined && !whole) return;
    following = true;
    const moves = drawn.filter((each) => whole || each !== source).map((each) => {
      const range = whole ? each.wholeRange.slice() : [from, to];
      return Plotly.relayout(each, { "xaxis.range": range });
    });
    Promise.all(moves).finally(() => { following = false; });
  };

  const drawAll = async () => {
    const theme = colour();
    for (const [id, figure] of Object.entries(figures)) {
      const element = document.getElementById(id);
      const { data, layout } = painted(figure, theme);
      const first = !drawn.includes(element);
      if (!first) layout.xaxis.range = element.layout.xaxis.range;
      else element.wholeRange = figure.layout.xaxis.range.slice();
      await Plotly.react(element, data, layout, options);
      if (first) {
        element.on("plotly_relayout", (change) => follow(element, change));
        drawn.push(element);
      }
    }
  };
  dark.addEventListener("change", drawAll);
  drawAll();

  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const body = head.closest("table").tBodies[0];
      const at = head.cellIndex;
      const order = head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
      for (const each of head.parentElement.cells) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const sign = order === "descending" ? -1 : 1;
      const value = (row) => row.cells[at].dataset.value;
      const rows = [...body.rows].sort((a, b) => sign * value(a).localeCompare(value(b), "en", { numeric: true }));
      body.append(...rows);
    });
  }
})();
