// Exact arithmetic on intervals of fractions, as the kernel does it: the traces of the report are evaluated
// here, and nothing is computed that they do not spell out. A bound is {n, d}; an open end is null.
"use strict";
const ficheSizer = (() => {
  const abs = (n) => (n < 0n ? -n : n);
  const gcd = (a, b) => {
    while (b) [a, b] = [b, a % b];
    return a;
  };
  const ratio = (n, d = 1n) => {
    if (d < 0n) [n, d] = [-n, -d];
    const shared = gcd(abs(n), d);
    return { n: n / shared, d: d / shared };
  };
  const ZERO = ratio(0n);
  const read = (text) => ratio(...text.split("/").map(BigInt));
  const write = (v) => (v.d === 1n ? `${v.n}` : `${v.n}/${v.d}`);
  const compare = (a, b) => {
    const apart = a.n * b.d - b.n * a.d;
    return apart < 0n ? -1 : apart > 0n ? 1 : 0;
  };
  const plus = (a, b) => ratio(a.n * b.d + b.n * a.d, a.d * b.d);
  const minus = (a, b) => ratio(a.n * b.d - b.n * a.d, a.d * b.d);
  const times = (a, b) => ratio(a.n * b.n, a.d * b.d);
  const over = (a, b) => ratio(a.n * b.d, a.d * b.n);
  const least = (values) => values.reduce((a, b) => (compare(b, a) < 0 ? b : a));
  const most = (values) => values.reduce((a, b) => (compare(b, a) > 0 ? b : a));
  const below = (v) => ratio(v.n % v.d !== 0n && v.n < 0n ? v.n / v.d - 1n : v.n / v.d);
  const above = (v) => times(below(times(v, ratio(-1n))), ratio(-1n));
  const isZero = (v) => v !== null && v.n === 0n;

  // --- One rule an operation: bounds of the inputs to bounds of the result (kernel/figure.py) -------------

  const lows = (values) => values.map(([low]) => low);
  const highs = (values) => values.map(([, high]) => high);
  const largest = (values) => (highs(values).includes(null) ? null : most(highs(values)));
  const notNegative = (...values) => {
    if (values.some((v) => v.n < 0n)) throw new RangeError("below zero");
  };
  const sum = (values) => [
    lows(values).reduce(plus, ZERO),
    highs(values).includes(null) ? null : highs(values).reduce(plus, ZERO),
  ];
  const hull = (values) => [least(lows(values)), largest(values)];
  const round = (how) => ([[low, high]]) => [how(low), high === null ? null : how(high)];
  const RULES = {
    "+": sum,
    total: sum,
    "-": ([[low, high], [lessLow, lessHigh]]) => {
      const first = lessHigh === null ? ZERO : minus(low, lessHigh);
      return [first, high === null ? null : most([minus(high, lessLow), first])];
    },
    "*": ([[low, high], [byLow, byHigh]]) => {
      notNegative(low, byLow);
      if (isZero(high) || isZero(byHigh)) return [ZERO, ZERO];
      return [times(low, byLow), high === null || byHigh === null ? null : times(high, byHigh)];
    },
    "/": ([[low, high], [byLow, byHigh]]) => {
      if (isZero(byHigh)) throw new RangeError("division by zero");
      notNegative(low, byLow);
      const first = byHigh === null ? ZERO : over(low, byHigh);
      return [first, high === null || isZero(byLow) ? null : over(high, byLow)];
    },
    floor: round(below),
    ceil: round(above),
    smaller: (values) => {
      const known = highs(values).filter((high) => high !== null);
      return [least(lows(values)), known.length ? least(known) : null];
    },
    larger: (values) => [most(lows(values)), largest(values)],
    either: hull,
    between: (values) => hull(values.slice(0, 2)),
    bare: ([only]) => only,
  };

  function applied(operation, values) {
    const found = RULES[operation](values);
    if (found[1] !== null && compare(found[1], found[0]) < 0) throw new RangeError("high below low");
    return found;
  }

  // The bounds at some places of a graph. `changed` maps a place to other bounds, or to the place that stands
  // in for it. Inputs come before what is computed of them, and are computed once.
  function evaluate(nodes, changed, tops) {
    const done = new Map();
    const waiting = [...tops];
    while (waiting.length) {
      const here = waiting[waiting.length - 1];
      const [needed, made] = asked(nodes[here], changed.get(here));
      const pending = needed.filter((place) => !done.has(place));
      if (done.has(here) || !pending.length) {
        waiting.pop();
        if (!done.has(here)) done.set(here, made(needed.map((place) => done.get(place))));
      } else {
        waiting.push(...pending);
      }
    }
    return tops.map((place) => done.get(place));
  }

  function asked(entry, instead) {
    if (Array.isArray(instead)) return [[], () => instead];
    if (instead !== undefined) return [[instead], ([value]) => value];
    if (typeof entry === "string") return [[], () => [read(entry), read(entry)]];
    const [first, ...rest] = entry;
    if (typeof rest[0] === "number") return [rest, (values) => applied(first, values)];
    return [[], () => [read(first), rest[0] === null ? null : read(rest[0])]];
  }

  // --- Numbers as the report prints them (report/numbers.py) -----------------------------------------------

  const UNITS = [["GiB", 2n ** 30n], ["MiB", 2n ** 20n], ["KiB", 2n ** 10n]];

  function steps(value, decimals) {
    const scaled = (2n * abs(value.n) * 10n ** BigInt(decimals) + value.d) / (2n * value.d);
    return value.n < 0n ? -scaled : scaled;
  }

  function rounded(value, decimals, how) {
    const all = steps(value, decimals);
    const digits = `${abs(all)}`.padStart(decimals + 1, "0");
    const whole = digits.slice(0, digits.length - decimals);
    const rest = digits.slice(digits.length - decimals);
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, () => how.group);
    return (all < 0n ? "-" : "") + grouped + (decimals ? how.decimal + rest : "");
  }

  function unitOf(value) {
    const size = abs(value.n);
    if (size === 0n) return UNITS[0];
    return UNITS.find(([, factor]) => 10n * size >= factor * value.d) ?? ["B", 1n];
  }

  const inUnit = (value, [word, factor], how) =>
    rounded(over(value, ratio(factor)), factor > 1n ? 2 : 0, how) + how.space + word;
  const memory = (value, how) => inUnit(value, unitOf(value), how);

  function amount([low, high], how) {
    const size = (v) => ({ n: abs(v.n), d: v.d });
    const unit = unitOf(high === null ? size(low) : most([size(low), size(high)]));
    return interval(low, high, how, (value) => inUnit(value, unit, how));
  }

  function interval(low, high, how, one) {
    const first = one(low);
    if (high === null) return isZero(low) ? how.unknown : filled(how.open, { low: first });
    const last = one(high);
    if (first === last) return first;
    // The unit is said once where both ends have the same one.
    const cut = first.lastIndexOf(how.space);
    const same = cut >= 0 && last.endsWith(first.slice(cut));
    return filled(how.interval, { low: same ? first.slice(0, cut) : first, high: last });
  }

  // A sentence with its {places} filled.
  const filled = (text, fillings) => text.replace(/\{(\w+)\}/g, (_, name) => fillings[name]);

  return {
    ZERO, amount, compare, evaluate, filled, isZero, memory, minus, plus, ratio, read, rounded, write,
  };
})();
