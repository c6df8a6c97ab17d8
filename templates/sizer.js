// The sizer: what a reader changes goes into the report's own traces. A what-if, which changes no verdict.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const section = document.getElementById("sizer");
  const island = document.getElementById("sizer-facts");
  if (!section || !island) return;
  const { ZERO, amount, compare, evaluate, filled, isZero, memory, minus, plus, ratio, read } = ficheSizer;
  const facts = JSON.parse(island.textContent);
  const { style, words, labels } = facts;
  const nodes = facts.nodes.split(" ").map((told) => {
    const [operation, ...places] = told.split(":");
    const [low, high] = told.split("~");
    if (places.length) return [operation, ...places.map(Number)];
    return high === undefined ? told : [low, high || null];
  });
  for (const each of facts.cases) {
    each.rows = facts.once[each.rows].map(([label, place, now, kind]) => ({ label: labels[label], place, now, kind }));
    each.left_out = facts.once[each.left_out];
  }
  for (const key of ["rooms", "inputs"]) {
    const [keys, ...rows] = facts[key];
    facts[key] = rows.map((row) => Object.fromEntries(keys.map((name, place) => [name, row[place]])));
  }
  const say = (key, fillings = {}) => filled(words[key], fillings);
  const LARGEST = 10n ** 15n;
  const BYTES = {
    B: 1n, KiB: 2n ** 10n, MiB: 2n ** 20n, GiB: 2n ** 30n, TiB: 2n ** 40n,
    kB: 10n ** 3n, MB: 10n ** 6n, GB: 10n ** 9n, TB: 10n ** 12n,
  };
  const state = { ...facts.start, formats: {}, typed: new Map() };
  const fields = new Map();

  // --- Elements -------------------------------------------------------------------------------------------

  function made(tag, attributes = {}, ...children) {
    const svg = ["svg", "rect", "line"].includes(tag);
    const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function choice(id, label, options, taken, now = "") {
    const select = made("select", { id }, ...options.map(([value, text]) => new Option(text, value, false, value === now)));
    select.addEventListener("change", () => taken(select.value));
    return made("div", { class: "sizer-field" }, made("label", { for: id }, label), select);
  }

  // --- What a reader typed --------------------------------------------------------------------------------

  // [value, ""] or [null, what is wrong]; an unknown that is left empty stays unknown.
  function understood(input, text) {
    const plain = text.trim();
    if (plain === "") return [null, input.value === "" ? "" : say("empty")];
    const [value, wrong] = input.unit === "B" ? bytes(plain) : count(plain);
    if (wrong) return [null, wrong];
    if (value < BigInt(input.least)) return [null, say("too_small", { least: input.least })];
    const largest = input.unit === "B" ? BYTES.TiB * 1024n : LARGEST;
    if (value > largest) {
      const told = input.unit === "B" ? memory(ratio(largest), style) : ficheSizer.rounded(ratio(largest), 0, style);
      return [null, say("too_large", { most: told })];
    }
    return [value, ""];
  }

  const digits = (text) => text.replace(/(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))/g, "");

  function count(text) {
    const whole = digits(text);
    return /^\d{1,40}$/.test(whole) ? [BigInt(whole), ""] : [null, say("no_count")];
  }

  function bytes(text) {
    const [, whole, sign, rest = "", unit] = /^(\d{1,40})(?:(.)(\d{1,30}))?\s*([kKMGT]?i?B)$/.exec(digits(text)) ?? [];
    if (whole === undefined || !(unit in BYTES) || (sign !== undefined && sign !== style.decimal)) {
      return [null, say("no_bytes")];
    }
    const value = ratio(BigInt(whole + rest) * BYTES[unit], 10n ** BigInt(rest.length));
    return value.d === 1n ? [value.n, ""] : [null, say("no_whole_byte")];
  }

  // --- What is computed -----------------------------------------------------------------------------------

  // What stands in for what in the load of an owner; null where a format is not computed for it.
  function changes(owner) {
    const found = new Map();
    for (const [input, value] of state.typed) {
      for (const place of input.places) found.set(place, [ratio(value), ratio(value)]);
    }
    for (const format of facts.formats) {
      const option = format.options.find(({ name }) => name === state.formats[format.key]);
      if (!option) continue;
      const own = option.by.find((each) => each.owner === owner);
      if (!own) return null;
      for (const [place, instead] of own.pairs) found.set(place, instead);
    }
    return found;
  }

  // Bounds at places of a load, as it is and as it would be: null, and why, where there is no answer.
  function answered(owner, places) {
    const now = evaluate(nodes, new Map(), places);
    if (fields.size && [...fields.values()].some((field) => field.wrong)) return { now, then: null, why: "" };
    const changed = changes(owner);
    if (changed === null) return { now, then: null, why: say("no_format") };
    try {
      return { now, then: evaluate(nodes, changed, places), why: "" };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { now, then: null, why: say("no_result") };
    }
  }

  // The need of one device against what it has, by the arithmetic of the rule, in words that are no verdict.
  function compared(room, least, most) {
    if (!least && !most) return say("silent");
    const have = room.have;
    const [low, high] = [room.low && read(room.low), room.high && read(room.high)];
    if (least && high && compare(least[0], high) > 0) {
      return say("above", { need: memory(least[0], style), have, gap: memory(minus(least[0], high), style) });
    }
    const kept = most && most[1] && plus(most[1], read(room.guard));
    if (kept && low && compare(kept, low) <= 0) {
      return say("within", { need: memory(most[1], style), have, gap: memory(minus(low, most[1]), style) });
    }
    if (least) return say("between", { need: amount([least[0], most ? most[1] : null], style), have });
    if (!most[1]) return say("endless", { have });
    return say("between", { need: say("up_to", { amount: memory(most[1], style) }), have });
  }

  // --- What is drawn --------------------------------------------------------------------------------------

  const share = (value, whole) => (isZero(whole) ? 0 : Number((value.n * whole.d * 1000n) / (value.d * whole.n)) / 10);

  // One bar on the scale of its table: what is sure, what may be added; a line where the fiche stands.
  function bar([low, high], whole, marks) {
    const far = high ?? low;
    const shape = (name, at, width) => made("rect", { class: name, x: `${at}%`, y: 3, width: `${width}%`, height: 10 });
    const drawn = made("svg", { class: "sizer-bar", "aria-hidden": "true", focusable: "false", width: "100%", height: 16 });
    drawn.append(shape("sure", 0, share(low, whole)));
    drawn.append(shape("may", share(low, whole), Math.max(share(far, whole) - share(low, whole), 0)));
    for (const mark of marks) {
      const at = `${Math.min(share(mark, whole), 99.7)}%`;
      drawn.append(made("line", { x1: at, x2: at, y1: 0, y2: 16 }));
    }
    return drawn;
  }

  const largestOf = (bounds) => bounds.flat().filter(Boolean).reduce((a, b) => (compare(b, a) > 0 ? b : a), ZERO);

  function table(id, caption, titles, rows) {
    const head = titles.map(([title, kind]) => made("th", { scope: "col", class: kind }, title));
    return made(
      "div", { class: "scroll", role: "region", tabindex: 0, "aria-labelledby": `caption-${id}` },
      made(
        "table", { id: `table-${id}` }, made("caption", { id: `caption-${id}` }, caption),
        made("thead", {}, made("tr", {}, ...head)), made("tbody", {}, ...rows),
      ),
    );
  }

  function items() {
    const own = facts.cases.filter(({ owner }) => owner === state.owner);
    const shown = own.find((each) => each.case === state.case) ?? own[0];
    const { now, then, why } = answered(state.owner, shown.rows.map(({ place }) => place));
    const whole = largestOf([...now, ...(then ?? [])]);
    const rows = shown.rows.map((row, at) => {
      const after = then ? amount(then[at], style) : why;
      const moved = then !== null && after !== row.now;
      return made(
        "tr", { class: row.kind ?? "" }, made("th", { scope: "row" }, row.label), made("td", { class: "n" }, row.now),
        made("td", { class: moved ? "n whatif moved" : "n whatif" }, after),
        made("td", { class: "scale" }, then ? bar(then[at], whole, [now[at][1] ?? now[at][0]]) : ""),
      );
    });
    const titles = [[say("item"), ""], [say("now"), "n"], [say("then"), "n whatif"], [say("scale"), "scale"]];
    const left = shown.left_out.length ? [made("p", { class: "note" }, say("left_out", { items: shown.left_out.join("; ") }))] : [];
    const last = shown.rows.length - 1;
    const told = then ? say("said", { case: shown.label, then: amount(then[last], style), now: shown.rows[last].now }) : "";
    return [told, [table("sizer-items", say("items", { case: shown.label }), titles, rows), ...left]];
  }

  function rooms() {
    const shown = facts.rooms.filter((room) => room.case === state.case);
    if (!shown.length) return [];
    const found = shown.map((room) => {
      const places = [room.least, room.most].filter((place) => place !== null);
      const { now, then, why } = answered(room.owner, places);
      const split = (values) => [room.least === null ? null : values[0], room.most === null ? null : values[values.length - 1]];
      return { room, now: split(now), then: then && split(then), why };
    });
    const ends = found.flatMap(({ room, now, then }) => [
      ...now, ...(then ?? []), [room.low, room.high].map((end) => (end ? read(end) : null)),
    ]);
    const whole = largestOf(ends.filter(Boolean));
    const rows = found.map(({ room, now, then, why }) => {
      const before = compared(room, ...now);
      const after = then ? compared(room, ...then) : why;
      const marks = [room.low, room.high].filter(Boolean).map(read);
      const need = then && [then[0] ? then[0][0] : ZERO, then[1] ? then[1][1] : null];
      return made(
        "tr", {}, made("th", { scope: "row" }, made("code", {}, room.candidate), room.device ? ` ${room.device}` : ""),
        made("td", {}, before), made("td", { class: then && after !== before ? "whatif moved" : "whatif" }, after),
        made("td", { class: "scale" }, need ? bar(need, whole, marks) : ""),
      );
    });
    const titles = [[say("candidate"), ""], [say("now"), ""], [say("then"), "whatif"], [say("scale"), "scale"]];
    return [table("sizer-rooms", say("rooms"), titles, rows), made("p", { class: "note" }, say("rooms_note"))];
  }

  // --- The page -------------------------------------------------------------------------------------------

  const banner = made("p", { class: "sizer-banner" });
  const said = made("p", { role: "status", "aria-live": "polite" });
  const results = made("div", { class: "sizer-results" });
  const controls = made("div", { class: "sizer-controls" });
  const reset = made("button", { type: "button" }, say("reset"));

  function refresh() {
    const wrong = [...fields.values()].some((field) => field.wrong);
    const formats = facts.formats.filter(({ key }) => state.formats[key]).map(({ label }) => label);
    const names = [...[...state.typed.keys()].map(({ full }) => full), ...formats];
    const [told, tables] = items();
    section.classList.toggle("changed", names.length > 0 || wrong);
    said.textContent = wrong ? say("invalid") : names.length ? `${say("changed", { names: names.join(", ") })} ${told}` : say("unchanged");
    results.replaceChildren(...tables, ...rooms());
  }

  function entry(input, place) {
    const id = `sizer-input-${place}`;
    const box = made("input", { id, type: "text", inputmode: input.unit === "B" ? "text" : "numeric", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-told` });
    const told = made("span", { id: `${id}-told`, class: "sizer-told" });
    const label = input.unit && input.unit !== "B" ? `${input.label} (${input.unit})` : input.label;
    const field = { input, box, told, wrong: "", whole: made("div", { class: "sizer-field" }, made("label", { for: id }, label), box, told) };
    field.take = () => {
      const [value, wrong] = understood(input, box.value);
      const changed = value !== null && (input.value === "" || value !== understood(input, input.value)[0]);
      field.wrong = wrong;
      state.typed.delete(input);
      if (changed) state.typed.set(input, value);
      told.textContent = wrong || (changed ? say("was", { value: input.now || say("unknown") }) : "");
      field.whole.classList.toggle("changed", changed);
      field.whole.classList.toggle("wrong", Boolean(wrong));
      if (wrong) box.setAttribute("aria-invalid", "true");
      else box.removeAttribute("aria-invalid");
    };
    box.value = input.value;
    box.placeholder = input.value === "" ? say("unknown") : "";
    box.addEventListener("input", () => { field.take(); refresh(); });
    input.full = input.case ? `${input.case}: ${input.label}` : input.label;
    fields.set(id, field);
    return field;
  }

  function fieldset(legend, parts, kind = "") {
    return made("fieldset", { class: kind }, made("legend", {}, legend), ...parts);
  }

  function build() {
    const entries = facts.inputs.map(entry);
    const of = (group) => entries.filter(({ input }) => input.group === group);
    const selects = facts.formats.map((format) => {
      const options = [["", format.now], ...format.options.map(({ name }) => [name, name])];
      return choice(`sizer-${format.key}`, format.label, options, (name) => { state.formats[format.key] = name; mark(); refresh(); });
    });
    const mark = () => selects.forEach((select, at) => select.classList.toggle("changed", Boolean(state.formats[facts.formats[at].key])));
    const looks = [];
    const cases = facts.cases.filter(({ owner }) => owner === state.owner);
    const sets = new Map(cases.map((each) => [each.case, fieldset(each.case ? each.label : say("of_load"), of("case").filter(({ input }) => input.case === each.case).map(({ whole }) => whole))]));
    const look = () => sets.forEach((set, name) => { set.hidden = name !== state.case || set.children.length < 2; });
    if (cases.length > 1) looks.push(choice("sizer-case", say("case"), cases.map((each) => [each.case, each.case]), (name) => { state.case = name; look(); refresh(); }, state.case));
    if (facts.owners.length > 1) looks.push(choice("sizer-owner", say("load"), facts.owners.map(({ owner, label }) => [owner, label]), (name) => { state.owner = name; refresh(); }));
    const model = [...of("model").map(({ whole }) => whole), ...selects];
    if (selects.length) model.push(made("p", { class: "note" }, say("other_formats")));
    if (looks.length) controls.append(fieldset(say("look"), looks));
    controls.append(...sets.values());
    if (model.length) controls.append(fieldset(say("model"), model));
    if (of("kept").length) controls.append(fieldset(say("kept"), of("kept").map(({ whole }) => whole), "kept"));
    reset.addEventListener("click", () => {
      state.formats = {};
      for (const select of selects) select.querySelector("select").value = "";
      for (const field of entries) { field.box.value = field.input.value; field.take(); }
      mark();
      refresh();
    });
    banner.append(made("strong", {}, say("banner")), " ", say("lead"));
    look();
  }

  build();
  refresh();
  section.querySelector(".unscripted")?.remove();
  section.append(made("div", { class: "sizer" }, banner, made("div", { class: "sizer-said" }, said, reset), made("div", { class: "sizer-grid" }, controls, results)));
});
