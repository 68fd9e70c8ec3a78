// Sums by name of a chosen range of time, over the rows that are open.
import { useEffect, useMemo, useState } from "react";
import { ApiError } from "../api/client";
import type { Bounds } from "../engine/viewport";
import { Icon } from "../widgets/Icon";
import { Num } from "../widgets/Num";
import { exactValue, formatNs } from "../widgets/format";
import type { Sum, SumsAnswer } from "./api";
import type { Controller, Snapshot } from "./controller";

const COLUMNS: readonly { key: keyof Sum; head: string; right: boolean }[] = [
  { key: "name", head: "Name", right: false },
  { key: "kind", head: "Kind", right: false },
  { key: "count", head: "Count", right: true },
  { key: "total_ns", head: "Total", right: true },
  { key: "longest_ns", head: "Longest", right: true },
];
const MOST_ROWS = 300;
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

export function SumsPane({ controller, state, range }: { controller: Controller; state: Snapshot; range: Bounds }) {
  const tracks = useMemo(
    () => state.layout.rows.filter((row) => row.type === "track" && row.depths > 0).flatMap((row) => row.tracks.map((track) => track.id)),
    [state.layout],
  );
  const asked = useMemo(() => tracks.slice(0, MOST_TRACKS), [tracks]);
  const { sums, problem } = useSums(controller, range, asked);
  const [sort, setSort] = useState<{ key: keyof Sum; down: boolean }>({ key: "total_ns", down: true });
  const rows = useMemo(() => {
    const list = [...(sums?.names ?? [])];
    const sign = sort.down ? -1 : 1;
    list.sort((a, b) => (a[sort.key] < b[sort.key] ? -sign : a[sort.key] > b[sort.key] ? sign : 0));
    return list.slice(0, MOST_ROWS);
  }, [sums, sort]);
  return (
    <section className="tl-sums" aria-label="Sums of the chosen time">
      <header>
        <h2 title={exactValue(range.end - range.begin, "ns")}>{formatNs(range.end - range.begin)} chosen</h2>
        <span className="hint">
          {problem || (sums ? `${String(sums.names_in_all)} names in the ${asked.length < tracks.length ? `first ${String(asked.length)} ` : ""}open rows${sums.names_in_all > rows.length ? `, ${String(rows.length)} shown` : ""}` : "adding up…")}
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
      <table>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th key={column.key} className={column.right ? "right" : ""} aria-sort={sort.key === column.key ? (sort.down ? "descending" : "ascending") : "none"}>
                <button
                  onClick={() => {
                    setSort({ key: column.key, down: sort.key === column.key ? !sort.down : column.right });
                  }}
                >
                  {column.head}
                  {sort.key === column.key && (sort.down ? " ↓" : " ↑")}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.name}`}>
              <td className="name" title={row.name}>
                {row.name}
              </td>
              <td>{row.kind.replaceAll("_", " ")}</td>
              <td className="right">
                <Num value={row.count} unit="count" />
              </td>
              <td className="right">
                <Num value={row.total_ns} unit="ns" />
              </td>
              <td className="right">
                <button
                  className="link"
                  title="Select the longest"
                  onClick={() => {
                    controller.select(row.longest, true);
                  }}
                >
                  {formatNs(row.longest_ns)}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
