import { describe, expect, it } from "vitest";
import type { Column } from "../api/types";
import { cellText, headLines } from "./cells";
import { choiceFilter, choicesOf, chosenOf } from "./choices";
import { filterHelp, parseFilters, showFilters } from "./filters";

const column = (key: string, unit: Column["unit"] = "none", role?: Column["role"]): Column => ({ key, header: key, unit, ...(role && { role }) });
const time = column("total_gpu_time_ns", "ns");
const columns = {
  time,
  bytes: column("allocated_bytes", "bytes"),
  percent: column("occupancy_pct", "percent"),
  flops: column("flops", "flops"),
  count: column("calls", "count"),
  id: column("op_id", "count", "id"),
  waves: column("waves", "none", "number"),
  name: column("op_name"),
  shapes: column("shapes", "none", "shapes"),
  dtypes: column("dtypes", "none", "dtypes"),
  layer: column("layer"),
};

const read = (which: keyof typeof columns, typed: string): string[] => {
  const parsed = parseFilters(columns[which], typed);
  return "filters" in parsed ? parsed.filters.map((filter) => `${filter.op} ${filter.value}`) : [parsed.problem];
};

describe("filters as people type them", () => {
  it.each([
    ["time", "> 2 ms", ["gt 2000000"]],
    ["time", ">1ms", ["gt 1000000"]],
    ["time", "<=1.5us", ["le 1500"]],
    ["time", "20", ["eq 20"]],
    ["time", "10us..2ms", ["ge 10000", "le 2000000"]],
    ["time", "10..20us", ["ge 10000", "le 20000"]],
    ["time", "> 1ms & < 2ms", ["gt 1000000", "lt 2000000"]],
    ["time", "–", ["eq "]],
    ["bytes", "< 2 MiB", ["lt 2097152"]],
    ["flops", "> 1.5T", ["gt 1500000000000"]],
    ["flops", "10k..2 M", ["ge 10000", "le 2000000"]],
    ["percent", ">=50%", ["ge 50"]],
    ["percent", "< 50", ["lt 50"]],
    ["percent", ">= 46.17756288977646", ["ge 46.17756288977646"]],
    ["count", "1,234", ["eq 1234"]],
    ["count", "!= 3", ["ne 3"]],
    ["id", "7", ["eq 7"]],
    ["name", "gemm", ["contains gemm"]],
    ["name", "= no", ["eq no"]],
    ["name", "!= –", ["ne "]],
    ["name", "-", ["eq "]],
    ["layer", "…/layer1/0", ["contains layer1/0"]],
    ["layer", "ResNet/layer1/*", ["under ResNet/layer1"]],
    ["shapes", "32×3×224", ["contains 32, 3, 224"]],
    ["shapes", "32 x 3, 64x7", ["contains 32, 3", "contains 64, 7"]],
    ["dtypes", "float, index", ["contains float", "contains index"]],
    ["time", "", []],
    ["time", ">", []],
  ] as const)("%s: %s", (which, typed, expected) => {
    expect(read(which, typed)).toEqual(expected);
  });

  it("take a number as cells show it: rounded", () => {
    expect(read("time", "605us")).toEqual(["ge 604500", "lt 605500"]);
    expect(read("time", "1.23 ms")).toEqual(["ge 1225000", "lt 1235000"]);
    expect(read("percent", "74.5%")).toEqual(["ge 74.45", "lt 74.55"]);
    expect(read("waves", "9.8")).toEqual(["ge 9.75", "lt 9.85"]);
    expect(read("bytes", "16 KiB")).toEqual(["ge 15872", "lt 16896"]);
    expect(read("time", "605ns")).toEqual(["eq 605"]);
  });

  it("say what is wrong, and what may be written", () => {
    expect(read("time", "> lots")[0]).toContain("“lots” is not a number; write > 1ms");
    expect(read("count", "> 3 apples")[0]).toContain("not a number");
    expect(read("time", "1ms..soon")[0]).toContain("“soon”");
    for (const each of Object.values(columns)) expect(filterHelp(each)).toMatch(/^write /);
  });

  it.each([
    ["time", "> 2ms"],
    ["time", "10µs..2ms"],
    ["time", "605µs"],
    ["time", "1.23ms"],
    ["time", "605.0µs"],
    ["time", "> 1ms & < 2ms"],
    ["bytes", "< 2MiB"],
    ["bytes", "16KiB"],
    ["percent", "74.5%"],
    ["percent", ">= 50%"],
    ["count", "= 5"],
    ["time", "= –"],
    ["name", "conv"],
    ["name", "!= conv"],
    ["name", "–"],
    ["layer", "ResNet/layer1/*"],
    ["shapes", "32×3, 64×7"],
  ] as const)("read back as typed: %s %s", (which, typed) => {
    const parsed = parseFilters(columns[which], typed);
    expect(showFilters(columns[which], "filters" in parsed ? parsed.filters : [])).toBe(typed);
  });
});

describe("columns of few values", () => {
  // As the server sends them.
  const few = (role: NonNullable<Column["role"]>, ...words: [string, string][]): Column => ({ ...column(role, "none", role), choices: words.map(([value, word]) => ({ value, word })) });
  const direction = few("direction", ["fprop", "forward"], ["dataload", "data loading"], ["", "–"]);
  const warmup = few("yes_no", ["yes", "yes"], ["no", "no"]);
  const evidence = few("evidence", ["name", "name"], ["sass", "sass"], ["", "–"]);
  it.each([direction, warmup, evidence])("$key offers the words that its cells show", (each) => {
    const choices = choicesOf(each) ?? [];
    expect(choices.length).toBeGreaterThan(1);
    for (const choice of choices) {
      expect(cellText(each, each === warmup ? choice.value === "yes" : choice.value)).toBe(choice.word);
      expect(chosenOf(each, [choiceFilter(each, choice.value)])).toBe(choice);
    }
  });
  it("look for one word where cells hold several", () => {
    expect(choiceFilter(evidence, "sass").op).toBe("contains");
    expect(choiceFilter(evidence, "").op).toBe("eq");
    expect(choiceFilter(direction, "fprop").op).toBe("eq");
  });
  it("show a filter of the address that is none of them as it is", () => {
    expect(chosenOf(direction, [{ key: "direction", op: "ne", value: "fprop" }])).toBeNull();
  });
});

describe("points in time", () => {
  it("read differently where they differ", () => {
    const start = column("gpu_start_ns", "ns", "moment");
    expect(cellText(start, 188_146_000)).toBe("188.146000 ms");
    expect(cellText(start, 188_146_001)).not.toBe(cellText(start, 188_146_000));
    expect(cellText(column("gpu_duration_ns", "ns"), 605_000)).toBe("605 µs");
  });
});

describe("heads of columns", () => {
  it("take two lines at most, and keep a sign with its word", () => {
    const head = (text: string) => headLines({ key: "k", header: text, unit: text.endsWith("(ns)") ? "ns" : "none" }).split(" ").map((line) => line.replaceAll("\u00a0", " "));
    expect(head("Self GPU Time (ns)")).toEqual(["Self GPU", "Time"]);
    expect(head("Num Calls Aggregated")).toEqual(["Num Calls", "Aggregated"]);
    expect(head("Busy %")).toEqual(["Busy %"]);
    expect(head("Direction")).toEqual(["Direction"]);
  });
});
