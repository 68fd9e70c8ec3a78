// Columns about a GPU are not among those that a table shows at first, and not in details where they are empty, in a
// profile without work of devices.
import type { Column } from "../api/types";
import type { Cell } from "../widgets/format";

const GPU_ONLY = /gpu|kernel|(^|_)tc(_|$)|overhead|waves|tail_pct|occupancy|memcp|memset|memory_time/;

export const saysNothing = (key: string, gpu: boolean): boolean => !gpu && GPU_ONLY.test(key);

export const sayingColumns = (columns: readonly Column[], gpu: boolean): Column[] => columns.filter((column) => !saysNothing(column.key, gpu));

const EMPTY: readonly Cell[] = [null, "", 0, false, "no"];

export const sayingFacts = (columns: readonly Column[], gpu: boolean, of: (key: string) => Cell | undefined): Column[] =>
  columns.filter((column) => !saysNothing(column.key, gpu) || !EMPTY.includes(of(column.key) ?? null));
