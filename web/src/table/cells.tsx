// How the value of a column is drawn: by the column's unit and role, and for some columns by what they say.
import type { ReactNode } from "react";
import type { Column } from "../api/types";
import { exactValue, formatMoment, formatShapes, formatTypes, formatValue, type Cell } from "../widgets/format";
import { wordOf } from "./choices";

type Role = NonNullable<Column["role"]>;

// What is shown in another form than it is stored in.
const SHOWN: Partial<Record<Role, (text: string) => string>> = { shapes: formatShapes, dtypes: formatTypes, stack: (text) => text.replaceAll(";", "\n") };

export const isNumeric = (column: Column): boolean => column.unit !== "none" || column.role === "number";

// Columns of lists that are shown in a shorter form than they are stored in.
export const listOf = (column: Column): boolean => column.role === "shapes" || column.role === "dtypes";

// Numbers that name something rather than count it: shown without grouping.
export const isId = (column: Column): boolean => column.role === "id";

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
    return column.role === "moment" ? formatMoment(cell) : formatValue(cell, column.unit);
  }
  const shown = column.role && SHOWN[column.role];
  return shown ? shown(cell) : wordOf(column, cell);
}

export function cellTitle(column: Column, cell: Cell): string | undefined {
  if (cell === null || typeof cell === "boolean") return undefined;
  if (typeof cell === "number") return isId(column) ? undefined : exactValue(cell, column.unit);
  return cell;
}

export function cellNode(column: Column, cell: Cell): ReactNode {
  const text = cellText(column, cell);
  if (cell === null || cell === "") return <span className="none">–</span>;
  if (column.role === "warning") return <span className={cell === true ? "badge warn" : "badge"}>{text}</span>;
  if (column.role === "answer" || typeof cell === "boolean") return <Answer value={text} />;
  if (column.role === "severity") return <span className={`badge ${String(cell)}`}>{text}</span>;
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
  return column.header.replace(/ \((ns|%|bytes|B|1)\)$/, (all, unit: string) => (unit === "%" && column.unit === "percent" ? " %" : unit === "%" ? all : ""));
}
