// Columns about devices are not among those that a table shows at first, and not in details where they are empty, in a
// profile without work of devices.
import type { Column } from "../api/types";
import type { Cell } from "../widgets/format";

const saysNothing = (column: Column, gpu: boolean): boolean => !gpu && column.device_only === true;

export const sayingColumns = (columns: readonly Column[], gpu: boolean): Column[] => columns.filter((column) => !saysNothing(column, gpu));

const EMPTY: readonly Cell[] = [null, "", 0, false, "no"];

export const sayingFacts = (columns: readonly Column[], gpu: boolean, of: (key: string) => Cell | undefined): Column[] =>
  columns.filter((column) => !saysNothing(column, gpu) || !EMPTY.includes(of(column.key) ?? null));
