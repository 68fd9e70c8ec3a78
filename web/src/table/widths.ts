// Widths that somebody gave to the columns of a table; kept by this browser.
import { useCallback, useState, type CSSProperties } from "react";
import { readKept, writeKept } from "../widgets/kept";

const LEAST_WIDTH = 48;
const MOST_WIDTH = 1600;

export type Widths = Readonly<Record<string, number>>;

export interface ColumnWidths {
  widths: Widths;
  set: (key: string, width: number | null) => void; // null: as wide as it needs
}

function readWidths(name: string): Widths {
  const kept = readKept(`columns.${name}`);
  if (typeof kept !== "object" || kept === null) return {};
  return Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

export function useWidths(name: string): ColumnWidths {
  const [widths, setWidths] = useState(() => readWidths(name));
  const set = useCallback(
    (key: string, width: number | null) => {
      setWidths((now) => {
        const others = Object.entries(now).filter(([each]) => each !== key);
        const next: Widths = Object.fromEntries(width === null ? others : [...others, [key, Math.round(Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, width)))]]);
        writeKept(`columns.${name}`, next);
        return next;
      });
    },
    [name],
  );
  return { widths, set };
}

export function widthStyle(widths: Widths, key: string): CSSProperties | undefined {
  const width = widths[key];
  return width === undefined ? undefined : { width, minWidth: width, maxWidth: width };
}
