// Sums by name of a chosen range of time, over the rows that are open.
import { useEffect, useMemo, useState } from "react";
import { ApiError } from "../api/client";
import type { Column, Table } from "../api/types";
import type { Bounds } from "../engine/viewport";
import { DataTable } from "../table/DataTable";
import { localTable } from "../table/local";
import type { Row } from "../table/row";
import { Icon } from "../widgets/Icon";
import { exactValue, formatNs } from "../widgets/format";
import type { Sum, SumsAnswer } from "./api";
import type { Controller, Snapshot } from "./controller";

const COLUMNS: Column[] = [
  { key: "name", header: "Name", unit: "none" },
  { key: "total_ns", header: "Total (ns)", unit: "ns" },
  { key: "count", header: "Count", unit: "count" },
  { key: "longest_ns", header: "Longest (ns)", unit: "ns" },
  { key: "event_kind", header: "Kind", unit: "none" },
];
const NO_RANGE: Table["range"] = { source: "", confidence: 0, start: null, stop: null, total: 0, selected: 0, description: "", whole: false, left_out: [], notes: [] };
const keyOf = (sum: Sum): string => `${sum.kind.replaceAll("_", " ")} ${sum.name}`;
const MOST_TRACKS = 1000; // addresses have a greatest length
const WAIT_MS = 120;

function useSums(controller: Controller, range: Bounds, tracks: readonly number[]): { sums: SumsAnswer | null; problem: string } {
  const [sums, setSums] = useState<SumsAnswer | null>(null);
  const [problem, setProblem] = useState("");
  const asked = tracks.join(",");
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      controller.api
        .sums(asked.split(",").map(Number), range.begin, Math.max(range.end, range.begin + 1), abort.signal)
        .then((answer) => {
          setSums(answer);
          setProblem("");
        })
        .catch((error: unknown) => {
          if (!abort.signal.aborted) setProblem(error instanceof ApiError ? error.message : "The sums could not be read.");
        });
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [controller, range.begin, range.end, asked]);
  return { sums, problem };
}

const sumKey = (row: Row): string => `${row.text("event_kind") ?? ""} ${row.text("name") ?? ""}`;

export function SumsPane({ controller, state, range }: { controller: Controller; state: Snapshot; range: Bounds }) {
  const tracks = useMemo(
    () => state.layout.rows.filter((row) => row.type === "track" && row.depths > 0).flatMap((row) => row.tracks.map((track) => track.id)),
    [state.layout],
  );
  const asked = useMemo(() => tracks.slice(0, MOST_TRACKS), [tracks]);
  const { sums, problem } = useSums(controller, range, asked);
  const names = sums?.names;
  const table = useMemo(
    () => localTable("sums", COLUMNS, (names ?? []).map((sum) => ({ name: sum.name, total_ns: sum.total_ns, count: sum.count, longest_ns: sum.longest_ns, event_kind: sum.kind.replaceAll("_", " ") })), NO_RANGE),
    [names],
  );
  const byKey = useMemo(() => new Map((names ?? []).map((sum) => [keyOf(sum), sum])), [names]);
  const longest = (row: Row) => byKey.get(sumKey(row))?.longest;
  return (
    <section className="tl-sums" aria-label="Sums of the chosen time">
      <header>
        <h2 title={exactValue(range.end - range.begin, "ns")}>{formatNs(range.end - range.begin)} chosen</h2>
        <span className="hint">
          {problem || (sums ? `${String(sums.names_in_all)} names in the ${asked.length < tracks.length ? `first ${String(asked.length)} ` : ""}open rows${sums.names_in_all > sums.names.length ? `, the ${String(sums.names.length)} longest are listed` : ""}` : "adding up…")}
        </span>
        <button
          className="button small"
          onClick={() => {
            controller.show({ ...range, width: controller.view.width }, true);
          }}
        >
          Zoom to it
        </button>
        <button
          className="icon-button"
          aria-label="Close the sums"
          onClick={() => {
            controller.setRange(null);
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <DataTable
        name="sums"
        label="Sums by name"
        prefix="s."
        height="free"
        size={250}
        local={table}
        bars={{ total_ns: "gpu" }}
        sort="total_ns:desc"
        rowKey={sumKey}
        cell={(row, column) => {
          const place = column.key === "longest_ns" ? longest(row) : undefined;
          return (
            place && (
              <button
                type="button"
                className="link"
                title="Select the longest"
                onClick={() => {
                  controller.select(place, true);
                }}
              >
                {formatNs(row.number("longest_ns") ?? 0)}
              </button>
            )
          );
        }}
        empty="Nothing runs in the open rows in this time."
      />
    </section>
  );
}
