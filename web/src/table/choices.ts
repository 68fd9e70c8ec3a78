// Columns of few values: what can be picked in their filters, in the words of the cells.
import type { Column } from "../api/types";
import type { Filter, Operator } from "./state";

export interface Choice {
  value: string; // as the server has it
  word: string; // as cells show it
}

const plain = (...values: string[]): Choice[] => values.map((value) => ({ value, word: value }));
const NONE: Choice = { value: "", word: "–" };

const DIRECTIONS: Readonly<Record<string, string>> = { fprop: "forward", bprop: "backward", optimizer: "optimizer", dataload: "data loading", other: "other" };

const CHOICES: Readonly<Record<string, readonly Choice[]>> = {
  direction: [...Object.entries(DIRECTIONS).map(([value, word]) => ({ value, word })), NONE],
  tc_eligible: plain("yes", "no"),
  warmup: plain("yes", "no"),
  idle: plain("yes", "no"),
  uses_tc: [...plain("yes", "no", "unknown"), NONE],
  using_tc: [...plain("yes", "no", "unknown"), NONE],
  class: plain("compute", "communication"),
  tc_evidence: [...plain("name", "sass", "counter", "none"), NONE],
  severity: [{ value: "error", word: "error" }, { value: "data_loss", word: "data loss" }, { value: "notice", word: "notice" }, { value: "info", word: "info" }],
  kind: plain("op", "range"),
  device_type: plain("GPU", "CPU", "other"),
};

// Cells that hold several of the words.
const SEVERAL = new Set(["tc_evidence"]);

// The word for a value in cells; the value itself where it has none of its own.
export const wordOf = (key: string, value: string): string => CHOICES[key]?.find((choice) => choice.value === value)?.word ?? value;

export const choicesOf = (column: Column): readonly Choice[] | null => CHOICES[column.key] ?? null;

export function choiceFilter(column: Column, value: string): Filter {
  const op: Operator = value !== "" && SEVERAL.has(column.key) ? "contains" : "eq";
  return { key: column.key, op, value };
}

// The choice that filters of the address stand for; null where they say something else.
export function chosenOf(column: Column, filters: readonly Filter[]): Choice | null {
  const [only, more] = filters;
  if (!only || more) return null;
  return choicesOf(column)?.find((each) => choiceFilter(column, each.value).op === only.op && each.value === only.value) ?? null;
}
