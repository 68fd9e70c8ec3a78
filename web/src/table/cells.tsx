// How the value of a column is drawn: by the column's unit, and for some columns by what they say.
import type { ReactNode } from "react";
import type { Column } from "../api/types";
import { exactValue, formatMoment, formatShapes, formatTypes, formatValue, type Cell } from "../widgets/format";
import { wordOf } from "./choices";

// Numbers that name something rather than count it: shown without grouping.
const IDS = /(^|_)(id|op_id|rank|device|stream|context|correlation|iteration|pid|tid|track|span)$/;
const LISTS: Record<string, (text: string) => string> = { shapes: formatShapes, input_shapes: formatShapes, output_shapes: formatShapes, dtypes: formatTypes, data_types: formatTypes, stack: (text) => text.replaceAll(";", "\n") };

// Numbers for which the server has no unit.
const BARE = /^(waves|calls_per_rank|iterations_now|queue_depth_mean|first|second)$/;
// Points in time: rows differ by less than a rounded number shows.
const MOMENTS = /(^|_)(begin|start|end|stop|peak_at)_ns$/;

export const isNumeric = (column: Column): boolean => column.unit !== "none" || BARE.test(column.key);

export const isMoment = (key: string): boolean => MOMENTS.test(key);

// Columns of lists that are shown in a shorter form than they are stored in.
export const listOf = (column: Column): boolean => /(^|_)(shapes|dtypes|data_types)$/.test(column.key);

export function isId(column: Column): boolean {
  return IDS.test(column.key);
}

function Answer({ value }: { value: string }) {
  return <span className={`badge ${value}`}>{value}</span>;
}

// The end of a layer's path, which tells it from its siblings.
export function layerTail(path: string): string {
  const names = path.split("/").filter(Boolean);
  return names.length > 2 && path.length > 40 ? `…/${names.slice(-2).join("/")}` : path;
}

// One cell as text, as it is copied and searched for.
export function cellText(column: Column, cell: Cell): string {
  if (cell === null || cell === "") return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "number") {
    if (isId(column)) return String(cell);
    return isMoment(column.key) ? formatMoment(cell) : formatValue(cell, column.unit);
  }
  return LISTS[column.key]?.(cell) ?? wordOf(column.key, cell);
}

export function cellTitle(column: Column, cell: Cell): string | undefined {
  if (cell === null || typeof cell === "boolean") return undefined;
  if (typeof cell === "number") return isId(column) ? undefined : exactValue(cell, column.unit);
  return cell;
}

export function cellNode(column: Column, cell: Cell): ReactNode {
  const text = cellText(column, cell);
  if (cell === null || cell === "") return <span className="none">–</span>;
  if (column.key === "idle") return <span className={cell === true ? "badge warn" : "badge"}>{text}</span>;
  if (column.key === "uses_tc" || column.key === "using_tc" || typeof cell === "boolean") return <Answer value={text} />;
  if (column.key === "severity") return <span className={`badge ${String(cell)}`}>{text}</span>;
  return text;
}

// The head of a column as it stands in a table: in two lines where it is long.
export function headLines(column: Column): string {
  const words = headText(column).replace(/ %$/, "\u00a0%").replaceAll("-", "\u2011").split(" ");
  if (words.length < 3) return words.join(" ");
  const middle = Math.ceil(words.length / 2);
  return `${words.slice(0, middle).join("\u00a0")} ${words.slice(middle).join("\u00a0")}`;
}

// The head of a column without its unit: the cells carry theirs.
export function headText(column: Column): string {
  return column.head.replace(/ \((ns|%|bytes|B|1)\)$/, (all, unit: string) => (unit === "%" && column.unit === "percent" ? " %" : unit === "%" ? all : ""));
}
