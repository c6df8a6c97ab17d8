// What the scripts of a report share. The page is whole without them: they look up, filter and order,
// and judge nothing. No text of the decision ever becomes markup: elements are made one by one.
const Page = (() => {
  const said = JSON.parse(document.getElementById("words").textContent);
  const saves = new Map(
    Array.from(document.querySelectorAll("a.save[download]"), (a) => [a.getAttribute("download"), a]),
  );
  const read = new Map();

  // A phrase with its places filled.
  function say(key, places = {}) {
    return said.page[key].replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);
  }

  // The word of a code (`kind.observed`); a code without one shows itself.
  function word(code) {
    return said.codes[code] ?? code.slice(code.indexOf(".") + 1);
  }

  // A text of decision.json, which is English, in the language of the page; what people wrote stays.
  function told(text) {
    if (!said.texts || typeof text !== "string") return text;
    let key = 0x811c9dc5;
    for (let n = 0; n < text.length; n += 1) key = Math.imul(key ^ text.charCodeAt(n), 0x01000193) >>> 0;
    return said.texts[key.toString(16)] ?? text;
  }

  // What could act on a reader's screen is written out, as everywhere on the page.
  const active = new RegExp(said.active, "gu");
  function visible(text) {
    return text
      .replace(/[\t\n\r\v\f]+/g, " ")
      .replace(active, (c) => `\u2039U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u203a`);
  }

  // An element; texts among `inside` become text, never markup.
  function make(name, attributes, ...inside) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
    for (const part of inside.flat(Infinity)) {
      if (part !== null && part !== undefined && part !== "") {
        made.append(typeof part === "string" ? visible(part) : part);
      }
    }
    return made;
  }

  // The bytes of an attached file, from its link.
  function bytes(name) {
    if (!read.has(name)) {
      const text = atob(saves.get(name).getAttribute("href").split("base64,")[1]);
      const made = new Uint8Array(text.length);
      for (let n = 0; n < text.length; n += 1) made[n] = text.charCodeAt(n);
      read.set(name, made);
    }
    return read.get(name);
  }

  // An attached file as text; null where it is none.
  function text(name) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes(name));
    } catch {
      return null;
    }
  }

  let document_ = null;
  function decision() {
    document_ ??= saves.has("decision.json") ? JSON.parse(text("decision.json")) : null;
    return document_;
  }

  // Numbers: as exact as decision.json has them, in the signs of the page's language.
  function digits(value) {
    const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value));
    if (!found) return String(value);
    const whole = found[2].replace(/\B(?=(\d{3})+$)/g, said.signs.group);
    return (found[1] ? "\u2212" : "") + whole + (found[3] ? said.signs.decimal + found[3] : "");
  }

  // Both ends of a number as they stand in decision.json; null is an end that is open.
  function ends(figure) {
    const [low, high] = [figure.low_bytes ?? figure.low, figure.high_bytes ?? figure.high];
    if (low !== undefined && low !== null) return [low, high ?? null];
    const one = figure.bytes ?? figure.value;
    return one === undefined || one === null ? null : [one, one];
  }

  function unit(figure) {
    return told(figure.unit ?? ("bytes" in figure || "low_bytes" in figure ? "B" : ""));
  }

  function exact(figure) {
    if (figure.date) return figure.date;
    const both = ends(figure);
    if (both === null) return say("untold");
    const alone = both[0] === both[1] && String(both[0]) === "1" ? `1 ${figure.unit}` : "";
    const behind = told(alone) === alone ? unit(figure) : told(alone);
    const [low, high] = both.map((end) => (end === null ? null : digits(end) + (behind ? `\u00a0${behind}` : "")));
    if (high === null) return say("open_end", { low });
    return low === high ? low : say("range", { low, high });
  }

  // The panel: one dialog, whose address is the fragment, so that "back" goes back.
  const title = make("h2", { id: "panel-title", tabindex: "-1", autofocus: "" });
  const close = make("button", { type: "button", class: "close" }, say("close"));
  const inside = make("div", { class: "inside" });
  const panel = make("dialog", { id: "panel", "aria-labelledby": "panel-title" });
  panel.append(make("div", { class: "top" }, title, close), inside);
  document.body.append(panel);
  const routes = {};

  function show(heading, parts) {
    title.replaceChildren(visible(heading));
    inside.replaceChildren(...parts.filter(Boolean));
    panel.scrollTop = 0;
    if (panel.open) title.focus();
    else panel.showModal();
  }

  function encoded(text_) {
    return encodeURIComponent(text_.toWellFormed ? text_.toWellFormed() : text_);
  }

  function decoded(text_) {
    try {
      return decodeURIComponent(text_);
    } catch {
      return text_;
    }
  }

  function follow() {
    const found = /^#(figure|criterion)-([^]*)$/.exec(location.hash);
    if (!found) {
      panel.close();
      return;
    }
    if (decision() === null) show(say("open"), [make("p", {}, say("undecoded"))]);
    else routes[found[1]](found[2]);
  }

  function closed() {
    if (/^#(figure|criterion)-/.test(location.hash)) history.replaceState(null, "", location.href.split("#")[0]);
  }

  // Makes an element open an address by pointer and by key.
  function opens(element, hint, address) {
    for (const [key, value] of Object.entries({ role: "button", tabindex: "0", title: hint })) {
      element.setAttribute(key, value);
    }
    element.classList.add("opens");
    element.dataset.opens = address;
  }

  function activated(event) {
    const target = event.target.closest?.(".opens");
    if (!target || !getSelection().isCollapsed) return;
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (location.hash === target.dataset.opens) follow();
    else location.hash = target.dataset.opens;
  }

  // Where a reader is, in the contents.
  function watch() {
    const links = new Map(
      Array.from(document.querySelectorAll("nav a[href^='#']"), (a) => [a.getAttribute("href").slice(1), a]),
    );
    const seen = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          for (const link of links.values()) link.removeAttribute("aria-current");
          links.get(entry.target.id)?.setAttribute("aria-current", "true");
        }
      },
      { rootMargin: "-10% 0px -80% 0px" },
    );
    for (const section of document.querySelectorAll("main>section[id]")) seen.observe(section);
  }

  // Paper has no folds.
  let folded = [];
  function unfold() {
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    for (const each of folded) each.open = true;
  }
  function fold() {
    for (const each of folded) each.open = false;
  }

  function start() {
    document.querySelector("header").append(make("p", { class: "hint" }, say("hint")));
    document.addEventListener("click", activated);
    document.addEventListener("keydown", activated);
    close.addEventListener("click", () => panel.close());
    panel.addEventListener("click", (event) => event.target === panel && panel.close());
    panel.addEventListener("close", closed);
    addEventListener("hashchange", follow);
    addEventListener("beforeprint", unfold);
    addEventListener("afterprint", fold);
    watch();
    follow();
  }
  document.addEventListener("DOMContentLoaded", start);

  return {
    say, word, told, visible, make, text, saves, decision, digits, ends, unit, exact,
    show, routes, encoded, decoded, opens,
  };
})();
