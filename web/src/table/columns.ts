// Columns that say nothing in a profile without GPU work are left out of all of its tables.
import type { Column } from "../api/types";

const GPU_ONLY = /gpu|kernel|(^|_)tc(_|$)|overhead|waves|tail_pct|occupancy|memcp|memset/;

export const saysNothing = (key: string, gpu: boolean): boolean => !gpu && GPU_ONLY.test(key);

export const sayingColumns = (columns: readonly Column[], gpu: boolean): Column[] => columns.filter((column) => !saysNothing(column.key, gpu));
