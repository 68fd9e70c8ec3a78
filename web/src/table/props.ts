// What a view says of a table that it shows.
import type { ReactNode } from "react";
import type { Params } from "../api/client";
import type { Column, Table } from "../api/types";
import type { Row } from "./row";

export interface TableProps {
  name: string; // of the server's table, or of the local one
  label: string;
  params?: Params;
  local?: Table; // all rows, where the page has them
  tree?: { parents: readonly number[]; open: ReadonlySet<string>; toggle: (key: string, open: boolean) => void }; // of local rows
  only?: readonly string[]; // filters that always hold
  prefix?: string;
  size?: number; // rows of a page unless another number is chosen
  hide?: readonly string[]; // not shown at first
  bars?: Readonly<Record<string, string>>; // columns with a bar behind the number, and its colour
  cell?: (row: Row, column: Column) => ReactNode; // what a cell shows otherwise; undefined: as usual
  sort?: string; // unless another is chosen: "key:desc"
  rowKey: (row: Row) => string;
  selected?: string | null;
  onSelect?: (row: Row, key: string) => void;
  link?: (row: Row, column: Column) => string | null;
  actions?: (row: Row) => ReactNode;
  tools?: ReactNode; // more buttons, beside the filter's
  emptyTitle?: string; // above it; unless given: that the range has nothing
  empty?: ReactNode;
  height?: "full" | "half" | "layers" | "free";
}
