// Opening a number or a verdict: what decision.json knows of it, each number in it to be opened in turn.
(() => {
  const { say, word, told, make, decision, exact, encoded, decoded, show, routes, opens } = Page;
  const MOST = 40;

  let index = null;
  let uses = null;
  // Every number by its id: figures first, then the readings of pieces, which take the address around them.
  function numbers() {
    if (index !== null) return index;
    index = new Map(decision().figures.map((figure) => [figure.id, figure]));
    const waiting = [[decision(), {}]];
    while (waiting.length) {
      const [here, above] = waiting.pop();
      const around = Array.isArray(here) ? above : { ...above, ...(here.at ? { at: here.at } : {}), ...(here.counter ? { counter: here.counter } : {}) };
      for (const inner of Object.values(here)) if (inner && typeof inner === "object") waiting.push([inner, around]);
      if (typeof here.id !== "string" || here.sha256 || index.has(here.id)) continue;
      const value = here.value && typeof here.value === "object" ? here.value : {};
      const entry = { basis: here.kind_of_origin === "computed" ? "computed" : "observed", ...around, ...here, ...value };
      if (here.number !== undefined) entry.value = here.number;
      if (["bytes", "value", "low", "printed"].some((key) => typeof entry[key] === "string" || typeof entry[key] === "number")) index.set(here.id, entry);
    }
    return index;
  }

  function users(id) {
    if (uses === null) {
      uses = new Map();
      for (const figure of decision().figures) {
        for (const input of figure.inputs ?? []) uses.set(input, [...(uses.get(input) ?? []), figure.id]);
      }
    }
    return uses.get(id) ?? [];
  }

  const mark = (kind) => make("i", { class: kind[0] }, word(`mark.${kind}`));
  const link = (id, shown = id) => make("a", { href: `#figure-${encoded(id)}` }, shown);
  const rows = (listed) => make("dl", {}, listed.filter(([, value]) => value && value.length !== 0).map(([key, value]) => [make("dt", {}, say(key)), make("dd", {}, value)]));
  const named = (id) => told(numbers().get(id)?.label) || id;
  const list = (items) => items.length > 0 && make("ul", {}, items.map((item) => make("li", {}, item)));

  // A formula in which each number that stands below it can be opened.
  function formula(figure) {
    const parts = [];
    const names = [...(figure.inputs ?? [])].sort((a, b) => b.length - a.length);
    let rest = figure.formula;
    let plain = "";
    while (rest) {
      const name = /[\w.]$/.test(plain) ? undefined : names.find((each) => rest.startsWith(each) && !/^[\w/]/.test(rest.slice(each.length)));
      if (name) parts.push(plain, link(name));
      plain = name ? "" : plain + rest[0];
      rest = rest.slice(name ? name.length : 1);
    }
    return make("code", {}, parts, plain);
  }

  function operands(ids) {
    const body = make("tbody", {}, ids.slice(0, MOST).map((id) => {
      const figure = numbers().get(id);
      return make("tr", {}, make("th", { scope: "row" }, link(id, named(id))), make("td", { class: "n" }, figure ? exact(figure) : say("unfound")), make("td", {}, figure ? mark(figure.basis) : ""));
    }));
    const caption = make("caption", {}, say("operands"));
    return make("table", {}, caption, body);
  }

  const condition = (each) => [told(each.text), each.threshold && make("div", {}, say("pair", { what: say("threshold"), value: told(each.threshold) })), each.supplier && make("div", {}, say("pair", { what: say("supplier"), value: told(each.supplier) }))];

  function command(id) {
    const file = decision().inputs.find((each) => each.role === "fiche")?.file ?? "fiche.yaml";
    const quoted = (text) => (/^[\w./:@%+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
    const code = make("code", {}, `fiche explain ${quoted(file)} ${quoted(id)}`);
    const copy = make("button", { type: "button" }, say("copy"));
    copy.addEventListener("click", () => {
      const done = () => copy.replaceChildren(say("copied"));
      const select = () => getSelection().selectAllChildren(code);
      if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(done, select);
      else select();
    });
    return make("p", { class: "command" }, make("span", {}, say("command")), code, copy);
  }

  function printedHere(id) {
    const found = document.querySelectorAll("main data");
    return [...new Set(Array.from(found).filter((each) => each.value === id).map((each) => each.textContent))].slice(0, 3);
  }

  routes.figure = (asked) => {
    const id = decoded(asked);
    const figure = numbers().get(id);
    if (!figure) {
      show(id, [make("p", {}, say("unfound"))]);
      return;
    }
    const kinds = (figure.rests_on ?? []).map((kind) => word(`kind.${kind}`)).join(", ");
    const counter = [figure.counter, figure.scope, figure.stat].filter((part) => typeof part === "string" && part).map(told).join(" \u00b7 ");
    const used = users(id).slice(0, MOST);
    show(named(id), [
      make("p", { class: "exact" }, exact(figure), " ", mark(figure.basis)),
      make("p", {}, make("code", {}, link(id))),
      rows([
        ["printed_here", printedHere(id).join("; ")],
        ["kind", word(`kind.${figure.basis}`)],
        ["rests_on", kinds],
        ["formula", figure.formula && formula(figure)],
        ["because", told(figure.because)],
        ["source", told(figure.source)],
        ["by", figure.by],
        ["counter", counter],
        ["printed", figure.printed],
        ["left_out", list((figure.left_out ?? []).map(told))],
        ["conditions", list((figure.conditions ?? []).map(condition))],
        ["at", figure.at && make("code", {}, figure.at)],
      ]),
      figure.inputs?.length && operands(figure.inputs),
      used.length && rows([["used_in", list(used.map((each) => link(each, named(each))))]]),
      ...(figure.at ? [make("h3", {}, say("file")), ...Lines.shown(figure.at, figure.printed)] : []),
      command(id),
    ]);
  };

  const GLYPHS = { admissible: "\u25cf", to_confirm: "\u25b2", exclude: "\u2715" };
  const state = (code) => make("b", { class: code }, `${GLYPHS[code]}\u00a0${word(`verdict.${code}`)}`);
  const side = (short, words) => (short ? [link(short.id, exact(short)), " ", mark(short.basis)] : told(words));

  function finding(found) {
    const pieces = found.pieces.flatMap((id, n) => [n ? ", " : "", make("a", { class: "piece", href: `#piece-${id}` }, id)]);
    return make("section", { class: "finding" }, make("p", { class: "exact" }, state(found.verdict), " ", say(found.level)), rows([
      ["where", [found.candidate, found.case, found.device].filter(Boolean).join(" \u00b7 ")],
      ["needed", side(found.need, found.need_words)],
      ["available", side(found.have, found.have_words)],
      ["distance", side(found.margin, "")],
      ["reason", told(found.reason)],
      ["on_word", found.attested_by.join(", ")],
      ["conditions", list(found.conditions.map(condition))],
      ["expected", told(found.expected_piece)],
      ["source", (found.sources ?? []).join("; ")],
      ["pieces", pieces],
    ]), command([found.candidate, found.requirement, found.case, found.device].filter(Boolean).join("/")));
  }

  routes.criterion = (asked) => {
    const [candidate, requirement] = asked.split("/").map(decoded);
    const found = decision().findings.filter((each) => (!candidate || each.candidate === candidate) && each.requirement === requirement);
    show(candidate ? `${requirement} \u2014 ${candidate}` : requirement, found.length ? found.map(finding) : [make("p", {}, say("unfound"))]);
  };

  for (const amount of document.querySelectorAll("main data")) {
    opens(amount, say("open"), `#figure-${encoded(amount.value)}`);
  }
  for (const row of document.querySelectorAll("tr[data-requirement]")) {
    const verdict = row.querySelector("b");
    if (verdict) opens(verdict, say("open_criterion"), `#criterion-${encoded(row.dataset.candidate ?? "")}/${encoded(row.dataset.requirement)}`);
  }
})();
