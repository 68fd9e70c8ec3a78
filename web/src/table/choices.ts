// Columns of few values: what can be picked in their filters, in the words of the cells. The server tells both.
import type { Choice, Column } from "../api/types";
import type { Filter, Operator } from "./state";

export const choicesOf = (column: Column): readonly Choice[] | null => column.choices ?? null;

// The word for a value in cells; the value itself where it has none of its own.
export const wordOf = (column: Column, value: string): string => column.choices?.find((choice) => choice.value === value)?.word ?? value;

// Cells of evidence hold several of the words.
export function choiceFilter(column: Column, value: string): Filter {
  const op: Operator = value !== "" && column.role === "evidence" ? "contains" : "eq";
  return { key: column.key, op, value };
}

// The choice that filters of the address stand for; null where they say something else.
export function chosenOf(column: Column, filters: readonly Filter[]): Choice | null {
  const [only, more] = filters;
  if (!only || more) return null;
  return choicesOf(column)?.find((each) => choiceFilter(column, each.value).op === only.op && each.value === only.value) ?? null;
}
