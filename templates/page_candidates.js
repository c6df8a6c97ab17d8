// Filter and order of the candidates. The order is of exact values, inside each group; a value that is not known
// is last, and counted; what is hidden is counted too, so that the numbers add up.
(() => {
  const { say, word, make, decision, ends, unit } = Page;
  const FEWEST = 3;
  const rows = Array.from(document.querySelectorAll("#table-candidates tr[data-candidate]"));
  const told = new Map((decision()?.candidates ?? []).map((each) => [each.id, each]));
  const listed = rows.filter((row) => told.has(row.dataset.candidate));
  const table = listed[0]?.closest("table");
  if (!table || listed.length < FEWEST) return;

  const printed = new Map(listed.map((row, n) => [row, n]));
  const texts = new Map(listed.map((row) => [row, row.textContent.toLocaleLowerCase()]));
  const figures = new Map(decision().figures.map((figure) => [figure.id, figure]));
  const status = (row) => told.get(row.dataset.candidate).status;

  // A decimal string or a fraction as two whole numbers: no rounding anywhere.
  function fraction(value) {
    const [above, below = "1"] = String(value).split("/");
    const [whole, rest = ""] = above.split(".");
    return [BigInt(whole + rest), BigInt(below) * 10n ** BigInt(rest.length)];
  }
  const less = ([a, b], [c, d]) => (a * d < c * b ? -1 : a * d > c * b ? 1 : 0);

  // The end that is sure: a cost and a need may come to the higher one, a margin is at least the lower one.
  function end(id, place) {
    const figure = figures.get(id);
    const found = figure && ends(figure)?.[place];
    return found === undefined || found === null ? null : { unit: unit(figure), value: fraction(found) };
  }

  function need(row) {
    const found = decision().findings.filter((each) => each.candidate === row.dataset.candidate && each.kind === "memory" && each.level === "must");
    const values = found.map((each) => each.need && end(each.need.id, 1));
    if (!values.length || values.includes(null)) return null;
    return values.reduce((a, b) => (less(a.value, b.value) < 0 ? b : a));
  }

  function day(row) {
    const value = told.get(row.dataset.candidate).schedule?.value ?? "";
    return /^\d{4}-\d\d-\d\d$/.test(value) ? { unit: "", value: [BigInt(value.replace(/-/g, "")), 1n] } : null;
  }

  const ORDERS = {
    as_decided: null,
    by_name: null,
    by_cost: [(row) => end(told.get(row.dataset.candidate).cost, 1), 1],
    by_margin: [(row) => end(told.get(row.dataset.candidate).useful_margin, 0), -1],
    by_need: [need, 1],
    by_schedule: [day, 1],
  };

  const option = (value, text) => make("option", { value }, text);
  const states = ["retained", "to_confirm", "excluded"].filter((code) => listed.some((row) => status(row) === code));
  const which = make("select", {}, option("", say("every")), states.map((code) => option(code, word(`status.${code}`))));
  const words = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const order = make("select", {}, Object.keys(ORDERS).map((key) => option(key, say(key))));
  const counts = make("p", { role: "status", class: "counts" });
  const reset = make("button", { type: "button" }, say("reset"));
  const label = (key, control) => make("label", {}, say(key), control);
  const desk = make("fieldset", { class: "filter" }, make("legend", {}, say("filter")), label("status", which), label("text", words), label("order", order), reset);
  table.closest("[role=region]").before(desk, counts);

  function sorted(group) {
    const [key, sign] = ORDERS[order.value] ?? [];
    if (order.value === "by_name") return [group.toSorted((a, b) => (a.dataset.candidate < b.dataset.candidate ? -1 : 1)), 0];
    if (!key) return [group.toSorted((a, b) => printed.get(a) - printed.get(b)), 0];
    const values = new Map(group.map((row) => [row, key(row)]));
    const common = values.get(group.find((row) => values.get(row)))?.unit;
    const known = group.filter((row) => values.get(row)?.unit === common && values.get(row));
    const rest = group.filter((row) => !known.includes(row)).sort((a, b) => printed.get(a) - printed.get(b));
    known.sort((a, b) => sign * less(values.get(a).value, values.get(b).value) || printed.get(a) - printed.get(b));
    return [[...known, ...rest], rest.length];
  }

  function shown() {
    const asked = words.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => (!which.value || status(row) === which.value) && asked.every((each) => texts.get(row).includes(each));
    for (const row of listed) row.hidden = !fits(row);
    let last = 0;
    for (const body of table.tBodies) {
      const group = listed.filter((row) => row.parentElement === body);
      if (!group.length) continue;
      const [inOrder, unvalued] = sorted(group);
      body.append(...inOrder);
      last += unvalued;
      body.hidden = group.every((row) => row.hidden);
    }
    say_counts(last);
  }

  function say_counts(last) {
    const visible = listed.filter((row) => !row.hidden);
    const count = (rows_, code) => String(rows_.filter((row) => status(row) === code).length);
    const parts = states.map((code) => say("shown_status", { status: word(`status.${code}`), shown: count(visible, code), total: count(listed, code) }));
    const ordered = ORDERS[order.value] ? ` ${say("ordered")} ${say("unvalued", { n: String(last) })}` : "";
    counts.replaceChildren(`${say("shown", { shown: String(visible.length), total: String(listed.length) })} ${parts.join("; ")}.${ordered}`);
  }

  for (const control of [which, words, order]) control.addEventListener("input", shown);
  reset.addEventListener("click", () => {
    [which.value, words.value, order.value] = ["", "", "as_decided"];
    shown();
    words.focus();
  });
  shown();
})();
