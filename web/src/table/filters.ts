// Filters as people type them under a column's head: in the words and units that the cells show.
import type { Column } from "../api/types";
import { isId, isNumeric, listOf } from "./cells";
import type { Filter, Operator } from "./state";

const SYMBOLS: readonly (readonly [string, Operator])[] = [
  [">=", "ge"],
  ["<=", "le"],
  ["!=", "ne"],
  [">", "gt"],
  ["<", "lt"],
  ["=", "eq"],
];

type Factors = Readonly<Record<string, number>>;
const TIMES: Factors = { s: 1e9, ms: 1e6, µs: 1e3, us: 1e3, μs: 1e3, ns: 1 };
const SIZES: Factors = { tib: 2 ** 40, gib: 2 ** 30, mib: 2 ** 20, kib: 2 ** 10, tb: 1e12, gb: 1e9, mb: 1e6, kb: 1e3, b: 1 };

const AMOUNTS: Factors = { e: 1e18, p: 1e15, t: 1e12, g: 1e9, m: 1e6, k: 1e3 };

function factorsOf(column: Column): Factors {
  if (column.unit === "ns") return TIMES;
  if (column.unit === "bytes") return SIZES;
  if (column.unit === "flops") return AMOUNTS;
  return column.unit === "percent" ? { "%": 1 } : {};
}

// What stands in cells without a value.
const NOTHING = /^[–-]$/;

interface Amount {
  value: number;
  half: number; // of the last place that was typed
  unit: string; // as typed, may be empty
}

const precise = (value: number): number => Number(value.toPrecision(15));

// "1.5 ms", "1,234", "50%"; null where it is not a number. `fallback`: the unit where none is typed.
function readAmount(text: string, factors: Factors, fallback = ""): Amount | null {
  const [, digits, suffix] = /^(-?[\d,]*\.?\d+)\s*([a-zµμ%]*)$/i.exec(text.trim()) ?? [];
  if (digits === undefined || suffix === undefined) return null;
  const unit = (suffix || fallback).toLowerCase();
  const factor = unit === "" ? 1 : factors[unit];
  const plain = digits.replaceAll(",", "");
  if (factor === undefined || plain === "") return null;
  const places = plain.split(".")[1]?.length ?? 0;
  return { value: factor === 1 ? Number(plain) : precise(Number(plain) * factor), half: (factor * 10 ** -places) / 2, unit };
}

// A time in ns, or a size in bytes, as people type them: "200ms", "4 GiB"; null where it is not one, or has no unit.
export function amountTyped(text: string, unit: "ns" | "bytes"): number | null {
  const amount = readAmount(text, unit === "ns" ? TIMES : SIZES);
  return amount && amount.unit !== "" && amount.value > 0 ? amount.value : null;
}

export type Parsed = { filters: Filter[] } | { problem: string };

const noNumber = (text: string, column: Column): Parsed => ({ problem: `“${text}” is not a number; ${filterHelp(column)}` });

// A number without a sign is meant as cells show it: rounded to the places that were typed.
function asShown(column: Column, amount: Amount): Filter[] {
  const { key } = column;
  const exact = isId(column) || (column.unit !== "percent" && column.unit !== "none" && amount.half <= 0.5);
  if (exact) return [{ key, op: "eq", value: String(amount.value) }];
  return [
    { key, op: "ge", value: String(precise(amount.value - amount.half)) },
    { key, op: "lt", value: String(precise(amount.value + amount.half)) },
  ];
}

function parseRange(column: Column, low: string, high: string): Parsed {
  const factors = factorsOf(column);
  const to = readAmount(high, factors);
  const from = readAmount(low, factors, to?.unit);
  if (!from || !to) return noNumber(from ? high : low, column);
  return {
    filters: [
      { key: column.key, op: "ge", value: String(from.value) },
      { key: column.key, op: "le", value: String(to.value) },
    ],
  };
}

function parseNumbers(column: Column, text: string): Parsed {
  const { key } = column;
  const [, low, high] = /^(.+?)\s*(?:\.\.|…)\s*(.+)$/.exec(text) ?? [];
  if (low !== undefined && high !== undefined) return parseRange(column, low, high);
  const symbol = SYMBOLS.find(([sign]) => text.startsWith(sign));
  const rest = symbol ? text.slice(symbol[0].length).trim() : text;
  if (!rest) return { filters: [] };
  const op = symbol?.[1] ?? "eq";
  if (NOTHING.test(rest) && (op === "eq" || op === "ne")) return { filters: [{ key, op, value: "" }] };
  const amount = readAmount(rest, factorsOf(column));
  if (!amount) return noNumber(rest, column);
  return { filters: op === "eq" ? asShown(column, amount) : [{ key, op, value: String(amount.value) }] };
}

// Shapes are shown as 32×3, and stored as [32, 3]: each part of what is typed is looked for in the stored form.
function parseList({ key, role }: Column, text: string): Parsed {
  const stored = (part: string) => (role === "shapes" ? part.replace(/\s*[×x*]\s*/gi, ", ") : part);
  const parts = text.split(/,\s*/).filter(Boolean);
  return { filters: parts.map((part) => ({ key, op: "contains", value: stored(part) })) };
}

function parseText(key: string, text: string): Parsed {
  const symbol = SYMBOLS.find(([sign, op]) => text.startsWith(sign) && (op === "eq" || op === "ne"));
  const rest = (symbol ? text.slice(symbol[0].length).trim() : text).replace(/^…\/?/, "");
  if (!rest) return { filters: [] };
  if (NOTHING.test(rest)) return { filters: [{ key, op: symbol?.[1] ?? "eq", value: "" }] };
  if (!symbol && /[^/]\/\*$/.test(rest)) return { filters: [{ key, op: "under", value: rest.slice(0, -2) }] };
  return { filters: [{ key, op: symbol?.[1] ?? "contains", value: rest }] };
}

// What is typed under a column's header: "> 2 ms", "10us..2ms", "!= convolution", or part of a text.
export function parseFilters(column: Column, typed: string): Parsed {
  const text = typed.trim();
  if (!text) return { filters: [] };
  if (!isNumeric(column)) return listOf(column) && !NOTHING.test(text) ? parseList(column, text) : parseText(column.key, text);
  const filters: Filter[] = [];
  for (const part of text.split("&")) {
    const parsed = part.trim() ? parseNumbers(column, part.trim()) : { filters: [] };
    if ("problem" in parsed) return parsed;
    filters.push(...parsed.filters);
  }
  return { filters };
}

// "2ms" for 2000000: in the largest unit that needs no long fraction.
function amountText(value: number, column: Column): string {
  const units = Object.entries(factorsOf(column)).filter(([name]) => name !== "us" && name !== "μs" && !/^[tgmk]b$/.test(name));
  for (const [name, factor] of units) {
    const text = String(precise(value / factor));
    if (Math.abs(value) >= factor && text.length <= 9 && column.unit === "flops") return `${text}${name === "k" ? name : name.toUpperCase()}`;
    if (Math.abs(value) >= factor && text.length <= 9) return column.unit === "bytes" ? `${text}${name.replace("ib", "iB").replace(/^\w/, (first) => first.toUpperCase())}` : `${text}${name}`;
  }
  return column.unit === "percent" ? `${String(value)}%` : String(value);
}

const same = (parsed: Parsed, filters: readonly Filter[]): boolean => "filters" in parsed && JSON.stringify(parsed.filters) === JSON.stringify(filters);

function showNumbers(column: Column, filters: readonly Filter[]): string {
  const [low, high] = filters;
  if (filters.length === 2 && low?.op === "ge" && high) {
    const [from, to] = [Number(low.value), Number(high.value)];
    // A value as it is shown, rounded, became these two.
    const [, digits, unit] = /^([\d.-]+)(.*)$/.exec(amountText(precise((from + to) / 2), column)) ?? [];
    for (let places = 0; places < 4 && digits !== undefined; places++) {
      const text = `${Number(digits).toFixed(places)}${unit ?? ""}`;
      if (same(parseFilters(column, text), filters)) return text;
    }
    if (high.op === "le") return `${amountText(from, column)}..${amountText(to, column)}`;
  }
  return filters
    .map(({ op, value }) => {
      const sign = SYMBOLS.find(([, each]) => each === op)?.[0];
      return `${sign ?? "="} ${value === "" ? "–" : amountText(Number(value), column)}`;
    })
    .join(" & ");
}

// The way back: how the filters of a column, as the address has them, read under its head.
export function showFilters(column: Column, filters: readonly Filter[]): string {
  const first = filters[0];
  if (!first) return "";
  if (isNumeric(column)) return showNumbers(column, filters);
  if (listOf(column)) return filters.map(({ value }) => (value === "" ? "–" : value.replaceAll(", ", "×"))).join(", ");
  if (first.op === "under") return `${first.value}/*`;
  const text = first.value === "" ? "–" : first.value;
  return first.op === "contains" || (first.op === "eq" && first.value === "") ? text : `${first.op === "ne" ? "!=" : "="} ${text}`;
}

const EXAMPLES: Partial<Record<Column["unit"], string>> = { ns: "> 1ms", bytes: "> 1MiB", percent: ">= 50%", flops: "> 1G" };

export function filterExample(column: Column): string {
  if (!isNumeric(column)) return column.role === "shapes" ? "32×3" : "contains";
  if (isId(column)) return "3";
  return EXAMPLES[column.unit] ?? "> 10";
}

// What a filter of this column may say.
export function filterHelp(column: Column): string {
  if (isId(column) && isNumeric(column)) return "write 3, != 3, or 3..5";
  if (column.unit === "ns") return "write > 1ms, 10us..2ms, or 605us for what is shown so; units ns, us, ms, s (none: ns)";
  if (column.unit === "bytes") return "write > 1MiB, 1KiB..2GiB, or 16KiB for what is shown so; units B, KiB, MiB, GiB (none: B)";
  if (column.unit === "flops") return "write > 1G, 10M..2G, or 1.5T for what is shown so; k, M, G, T, P (none: single ones)";
  if (column.unit === "percent") return "write >= 50%, 10%..90%, or 74.5% for what is shown so";
  if (isNumeric(column)) return "write 10, > 10, != 10, or 10..20";
  if (listOf(column)) return "write a part as it is shown; several with commas between";
  if (column.key === "layer") return "write a part of the path; = or != before it for the whole path, /* behind it for all that is in it";
  return "write a part of the text; = or != before it for the whole text";
}
