"use strict";
// Draws the report's figures. All that the reader can choose is in `chosen`; a figure is made anew from that.
(() => {
  const { figures, themes, maps, marks, limits } = JSON.parse(document.getElementById("figures").textContent);
  const byId = (id) => document.getElementById(id);
  const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isNarrow = window.matchMedia("(max-width: 700px)");
  const options = { displayModeBar: false, responsive: true, doubleClick: false };
  const chosen = { isDark: null, range: null, topic: "", kind: "", hasMarks: true };

  const isDark = () => chosen.isDark ?? systemIsDark.matches;
  const matches = (topic) => topic.toLowerCase().includes(chosen.topic);
  const named = (topic, partition) => partition === null ? topic : `${topic}-${partition}`;
  const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  // Plotly understands some HTML in its texts; what comes from the log is shown as it is.
  const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const shortened = (name, most) => {
    if (name.length <= most) return name;
    const tail = (most - 1) >> 1;
    return `${name.slice(0, most - 1 - tail)}…${name.slice(name.length - tail)}`;
  };

  // A copy of a figure in which each role of a colour is replaced by its value.
  const painted = (value, theme, key = "") => {
    if (Array.isArray(value)) return key === "customdata" || key === "z" ? value : value.map((each) => painted(each, theme, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, painted(each, theme, name)]));
    }
    return typeof value === "string" && key.endsWith("color") || key === "colorscale" ? theme[value] ?? value : value;
  };

  const paintLegends = (theme) => {
    for (const each of document.querySelectorAll(".legend [data-colour]")) {
      const value = theme[each.dataset.colour] ?? each.dataset.colour;
      if (Array.isArray(value)) {
        each.querySelectorAll("stop").forEach((stop, at) => {
          stop.setAttribute("offset", value[at][0]);
          stop.setAttribute("stop-color", value[at][1]);
        });
      } else each.style.color = value;
    }
  };

  // Puts rows into a heat map of replicas in sync.
  const fill = ([map, crosses], layout, rows, texts) => {
    map.y = rows.map((_, at) => at);
    map.customdata = [];
    map.z = rows.map(([topic, partition, first, end, runs], at) => {
      const name = escaped(named(topic, partition));
      const shares = map.x.map((_, bin) => first <= bin && bin < end ? 1 : null);
      const details = map.x.map(() => [name, "all in sync"]);
      for (const [from, count, share, text, isLeaderless] of runs) {
        for (let bin = from; bin < from + count; bin++) {
          shares[bin] = share;
          details[bin] = [name, texts[text]];
          if (isLeaderless) {
            crosses.x.push(map.x[bin]);
            crosses.y.push(at);
          }
        }
      }
      map.customdata.push(details);
      return shares;
    });
    layout.height += limits.rowPx * rows.length;
    Object.assign(layout.yaxis, { range: [rows.length - 0.5, -0.5], tickvals: map.y });
    layout.meta = { lanes: rows.map(([topic, partition]) => named(topic, partition)) };
  };

  // Lanes are labelled as far as there is room.
  const label = (layout) => {
    const letters = isNarrow.matches ? limits.fewLetters : limits.letters;
    if (layout.meta) layout.yaxis.ticktext = layout.meta.lanes.map((name) => escaped(shortened(name, letters)));
    if (isNarrow.matches) Object.assign(layout.margin, { l: Math.min(layout.margin.l, limits.narrowMarginPx), r: 12 });
  };

  const milliseconds = (time) =>
    typeof time === "number" ? time : Date.parse(time.length > 10 ? `${time.slice(0, 23).replace(" ", "T")}Z` : time);

  // The changes in the shown time; those that would be too close to each other to be told apart are one.
  const groupedMarks = (range, widthPx) => {
    const [from, to] = range.map(milliseconds);
    const apartMs = (to - from) * limits.markPx / Math.max(widthPx, 1);
    const groups = [];
    for (const [at, count, texts] of marks) {
      if (at < from || at > to) continue;
      const last = groups.at(-1);
      if (last && at - last.at < apartMs) {
        last.count += count;
        last.texts.push(...texts.slice(0, limits.markTexts - last.texts.length));
      } else groups.push({ at, count, texts: texts.slice(0, limits.markTexts) });
    }
    return groups;
  };

  const markText = ({ count, texts }) => {
    const lines = texts.map((text) => escaped(shortened(text, limits.markLetters)));
    const more = count - texts.length;
    if (count > 1) lines.unshift(`<b>${counted(count, "change")}</b>`);
    return [...lines, ...more ? [`and ${more.toLocaleString("en")} more`] : []].join("<br>");
  };

  // A band above the plot with a head for each group of changes, and a thin line from there through the plot.
  const addMarks = (data, layout, theme, widthPx) => {
    const groups = groupedMarks(layout.xaxis.range, widthPx - layout.margin.l - layout.margin.r);
    const innerPx = layout.height - layout.margin.t - layout.margin.b;
    const top = innerPx / (innerPx + limits.bandPx);
    for (const axis of [layout.yaxis, layout.yaxis2]) {
      if (axis) axis.domain = (axis.domain ?? [0, 1]).map((each) => each * top);
    }
    layout.height += limits.bandPx;
    layout.yaxis3 = {
      domain: [1 - limits.headPx / (innerPx + limits.bandPx), 1], range: [0, 1], fixedrange: true, showgrid: false, zeroline: false, ticks: "", ticklabelstandoff: 8,
      tickvals: [0.5], ticktext: ["changes "], tickfont: { size: 11, color: theme["@mark"] },
    };
    const isOne = ({ count }) => count === 1;
    data.push({
      type: "scatter", mode: "markers+text", yaxis: "y3", cliponaxis: false,
      x: groups.map(({ at }) => at),
      y: groups.map(() => 0.5),
      marker: {
        symbol: groups.map((each) => isOne(each) ? "triangle-down" : "circle"),
        size: groups.map((each) => isOne(each) ? 9 : each.count > 99 ? 21 : 15),
        color: theme["@mark"], opacity: 1, line: { width: 0 },
      },
      text: groups.map((each) => isOne(each) ? "" : each.count > 999 ? `${Math.round(each.count / 1000)}k` : String(each.count)),
      textposition: "middle center",
      textfont: { size: 9, color: theme["@on mark"] },
      hovertext: groups.map(markText),
      hoverinfo: "text",
    });
    layout.shapes = groups.map(({ at }) => ({
      type: "line", xref: "x", yref: "paper", x0: at, x1: at, y0: 0, y1: top,
      line: { color: theme["@mark"], width: 1, dash: "dot" }, opacity: 0.4,
    }));
  };

  const rowsOf = (id) => maps[id].rows.filter(([topic]) => matches(topic));

  const figureOf = (id, theme) => {
    const { data, layout } = painted(figures[id], theme);
    if (maps[id]) fill(data, layout, rowsOf(id).slice(0, limits.rows), maps[id].texts);
    label(layout);
    if (chosen.range) layout.xaxis.range = chosen.range.slice();
    if (chosen.hasMarks && marks.length) addMarks(data, layout, theme, byId(id).clientWidth);
    return { data, layout };
  };

  const waiting = new Set();
  const drawn = new Set();
  let isDrawing = false;
  const draw = async (ids) => {
    ids.forEach((id) => waiting.add(id));
    if (isDrawing) return;
    isDrawing = true;
    try {
      for (const id of waiting) {
        waiting.delete(id);
        const element = byId(id);
        element.hidden = Boolean(maps[id]) && !rowsOf(id).length;
        if (element.hidden) continue;
        const { data, layout } = figureOf(id, themes[isDark() ? "dark" : "light"]);
        element.style.height = `${layout.height}px`;
        await Plotly.react(element, data, layout, options);
        if (drawn.has(id)) continue;
        drawn.add(id);
        element.on("plotly_relayout", zoom);
        element.on("plotly_doubleclick", () => zoom({ "xaxis.autorange": true }));
      }
    } finally {
      isDrawing = false;
    }
  };
  const drawAll = () => draw(Object.keys(figures));

  // A zoom in one plot is one in all.
  const zoom = (change) => {
    const from = change["xaxis.range[0]"] ?? change["xaxis.range"]?.[0];
    const to = change["xaxis.range[1]"] ?? change["xaxis.range"]?.[1];
    if (from === undefined && !change["xaxis.autorange"]) return;
    chosen.range = change["xaxis.autorange"] ? null : [from, to];
    drawAll();
  };

  const paint = () => {
    if (chosen.isDark !== null) document.documentElement.style.colorScheme = chosen.isDark ? "dark" : "light";
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    paintLegends(themes[isDark() ? "dark" : "light"]);
    drawAll();
  };

  // Says which rows of a heat map are shown, if not all of them.
  const tellShown = (id) => {
    const all = maps[id].rows.length;
    const found = rowsOf(id).length;
    const those = `${counted(all, maps[id].noun)} with replicas out of sync`;
    const most = found > limits.rows ? `; the ${limits.rows} worst of them are shown.` : ".";
    const more = all > limits.rows ? `The ${limits.rows} worst of ${those}: a search by topic finds the others.` : "";
    byId(`${id}-shown`).textContent = chosen.topic ? `Found ${found.toLocaleString("en")} of ${those}${most}` : more;
  };

  const isOfKind = ({ kind, group }) => ["", `kind ${kind}`, `group ${group}`].includes(chosen.kind);

  // Shows the first rows of a table that match; it says how many there are.
  const arrange = (table) => {
    const rows = [...table.tBodies[0].rows];
    const isEvents = table.id === "events";
    const found = rows.filter((row) => matches(row.dataset.topic) && (!isEvents || isOfKind(row.dataset)));
    const most = Number(table.dataset.most);
    for (const row of rows) row.hidden = true;
    for (const row of found.slice(0, most)) row.hidden = false;
    const shown = byId(`${table.id}-shown`);
    const first = found.length > most ? `, the first ${most} shown` : "";
    const all = counted(rows.length, table.dataset.noun);
    if (chosen.topic || isEvents && chosen.kind) shown.textContent = `Found ${found.length.toLocaleString("en")} of ${all}${first}.`;
    else shown.textContent = first && `${all}${first}: a search by topic finds the others.`;
    return found;
  };

  const search = () => {
    const topics = new Set();
    const partitions = new Set();
    let events = 0;
    for (const id of Object.keys(maps)) {
      tellShown(id);
      for (const [topic, partition] of rowsOf(id)) {
        topics.add(topic);
        if (partition !== null) partitions.add(named(topic, partition));
      }
    }
    for (const table of document.querySelectorAll("table[data-most]")) {
      const found = arrange(table);
      if (table.id === "events") events = found.length;
      for (const row of found) {
        topics.add(row.dataset.topic);
        if (row.dataset.partition) partitions.add(named(row.dataset.topic, row.dataset.partition));
      }
    }
    const found = `${counted(topics.size, "topic")}, ${counted(partitions.size, "partition")}, ${counted(events, "event")} found`;
    byId("found").textContent = chosen.topic ? found : "";
  };

  byId("theme").addEventListener("click", () => {
    chosen.isDark = !isDark();
    paint();
  });
  byId("search")?.addEventListener("input", (event) => {
    chosen.topic = event.target.value.trim().toLowerCase();
    search();
    draw(Object.keys(maps));
  });
  byId("kind")?.addEventListener("change", (event) => {
    chosen.kind = event.target.value;
    search();
  });
  byId("marks")?.addEventListener("change", (event) => {
    chosen.hasMarks = event.target.checked;
    drawAll();
  });
  systemIsDark.addEventListener("change", paint);
  window.addEventListener("resize", drawAll);

  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const table = head.closest("table");
      const at = head.cellIndex;
      const order = head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
      for (const each of head.parentElement.cells) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const sign = order === "descending" ? -1 : 1;
      const value = (row) => row.cells[at].dataset.value;
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => sign * value(a).localeCompare(value(b), "en", { numeric: true }));
      table.tBodies[0].append(...rows);
      arrange(table);
    });
  }

  search();
  paint();
})();
