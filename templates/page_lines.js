// The line of a file that a number was read from: `run-4090#/peak/bytes`, `log#line 3`, `chat.yaml:14:12`.
const Lines = (() => {
  const { say, make, text, saves, decision } = Page;
  const AROUND = 3;
  const WIDTH = 160;

  let names = null;
  // From the name of a file as the fiche uses it, and from its digest, to the name it is attached by.
  function attached(file, digest) {
    if (names === null) {
      const listed = saves.has("manifest.json") ? JSON.parse(text("manifest.json")).files : [];
      names = new Map(listed.flatMap((each) => [[each.file, each.name], [`sha256:${each.sha256}`, each.name]]));
    }
    return names.get(file) ?? names.get(digest);
  }

  // An address taken apart: the attached file, a line, a column or a path in it.
  function located(at) {
    const span = /^([^]*):(\d+):(\d+)$/.exec(at);
    if (span) return { name: attached(span[1]), line: Number(span[2]), column: Number(span[3]) };
    const piece = decision().pieces.filter((each) => at.startsWith(`${each.id}#`)).sort((a, b) => b.id.length - a.id.length)[0];
    const file = piece ? piece.file : at.slice(0, Math.max(at.lastIndexOf("#"), 0));
    const place = piece ? at.slice(piece.id.length + 1) : at.slice(at.lastIndexOf("#") + 1);
    const line = /^line (\d+)(?:,\x20)?/.exec(place);
    const name = attached(file, piece ? `sha256:${piece.sha256}` : file);
    return { name, line: line ? Number(line[1]) : null, path: line ? place.slice(line[0].length) : place };
  }

  // Where a JSON pointer leads to: from which character to which. Null where it leads nowhere.
  function place(source, pointer) {
    let at = 0;
    const blank = () => {
      while (/[\s,:]/.test(source[at] ?? "")) at += 1;
    };
    const string = () => {
      const from = at;
      for (at += 1; at < source.length && source[at] !== '"'; at += 1) if (source[at] === "\\") at += 1;
      at += 1;
      return source.slice(from, at);
    };
    const skip = () => {
      let depth = 0;
      do {
        blank();
        const sign = source[at];
        if (sign === '"') string();
        else if (sign === "{" || sign === "[") [depth, at] = [depth + 1, at + 1];
        else if (sign === "}" || sign === "]") [depth, at] = [depth - 1, at + 1];
        else while (at < source.length && !/[\s,:\]}]/.test(source[at])) at += 1;
      } while (depth > 0 && at < source.length);
    };
    const enter = (key) => {
      blank();
      const list = source[at] === "[";
      if (!list && source[at] !== "{") return false;
      at += 1;
      for (let n = 0; at < source.length; n += 1) {
        blank();
        if (source[at] === "]" || source[at] === "}") return false;
        const named = list ? String(n) : JSON.parse(string());
        if (named === key) return true;
        skip();
      }
      return false;
    };
    const keys = pointer.split("/").slice(1).map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"));
    if (!keys.every(enter)) return null;
    blank();
    const from = at;
    skip();
    return [from, at];
  }

  // From which character to which the place is in the file. Null where it is no place in a text.
  function range(source, found, printed) {
    let start = 0;
    for (let n = 1; found.line !== null && n < found.line; n += 1) {
      start = source.indexOf("\n", start) + 1;
      if (start === 0) return null;
    }
    const stop = (source.indexOf("\n", start) + 1 || source.length + 1) - 1;
    if (found.path) {
      if (!found.path.startsWith("/")) return null;
      const inside = place(found.line === null ? source : source.slice(start, stop), found.path);
      return inside && inside.map((end) => end + (found.line === null ? 0 : start));
    }
    if (found.line === null) return null;
    if (found.column) {
      const from = Math.min(start + found.column - 1, stop);
      const scalar = /^("(\\.|[^"\\])*"|'[^']*'|[^,}\]#\n]*)/.exec(source.slice(from, stop))[0].trimEnd();
      return [from, from + scalar.length];
    }
    const seen = printed ? source.slice(start, stop).indexOf(printed) : -1;
    return seen < 0 ? [start, stop] : [start + seen, start + seen + printed.length];
  }

  // One line, cut around what is marked in it.
  function row(source, from, to, number, [first, last]) {
    const [mark, end] = [Math.max(first, from), Math.min(last, to)];
    const hit = mark < end || (first >= from && first <= to && first === last);
    const left = hit ? Math.max(from, mark - WIDTH) : from;
    const middle = hit ? Math.min(end, mark + 4 * WIDTH) : left;
    const right = Math.min(to, (hit ? middle : left) + WIDTH);
    const parts = [left > from ? "\u2026" : "", source.slice(left, hit ? mark : middle)];
    if (hit) parts.push(make("mark", {}, source.slice(mark, middle)));
    parts.push(source.slice(middle, right), right < to ? "\u2026" : "");
    const made = make("li", { value: String(number), ...(hit ? { class: "hit" } : {}) }, make("code", {}, parts));
    return [made, left > from || right < to];
  }

  function excerpt(source, hit) {
    let start = source.lastIndexOf("\n", hit[0] - 1) + 1;
    let number = source.slice(0, start).split("\n").length;
    for (let n = 0; n < AROUND && start > 0; n += 1) {
      start = source.lastIndexOf("\n", start - 2) + 1;
      number -= 1;
    }
    const list = make("ol", { class: "lines" });
    let cut = false;
    for (let after = 0; start <= source.length && after <= AROUND && list.childElementCount < 24; number += 1) {
      const stop = (source.indexOf("\n", start) + 1 || source.length + 1) - 1;
      const [made, short] = row(source, start, stop, number, hit);
      list.append(made);
      cut ||= short;
      if (stop >= hit[1]) after += 1;
      start = stop + 1;
    }
    return [make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": say("file") }, list), cut && make("p", { class: "note" }, say("cut"))];
  }

  // What is shown of the file that an address leads into.
  function shown(at, printed) {
    const found = located(at);
    if (!found.name) return [make("p", { class: "note" }, say("no_file"))];
    const source = text(found.name);
    const hit = source === null ? null : range(source, found, printed);
    const save = make("a", { class: "save", download: found.name, href: saves.get(found.name).getAttribute("href") }, say("save", { name: found.name }));
    const told = hit ? excerpt(source, hit) : [make("p", { class: "note" }, say(source === null ? "binary" : "no_line"))];
    return [...told, make("p", {}, save)];
  }

  return { shown, place };
})();
