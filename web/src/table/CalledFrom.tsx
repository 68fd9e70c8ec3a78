// From where an op was called: its stacks of the user's frames, the one that took most first.
import { useTable } from "../api/queries";
import { rowsOf } from "./row";
import { Num } from "../widgets/Num";

const SHOWN = 3;
const FRAMES = 4; // of a stack, before it is opened

// Frames from the innermost outwards.
export function Stack({ frames }: { frames: readonly string[] }) {
  const list = (some: readonly string[]) => some.map((frame, at) => <li key={`${String(at)} ${frame}`}>{frame}</li>);
  if (frames.length <= FRAMES + 1) return <ol className="stack-frames">{list(frames)}</ol>;
  return (
    <>
      <ol className="stack-frames">{list(frames.slice(0, FRAMES))}</ol>
      <details>
        <summary>{frames.length - FRAMES} more frames</summary>
        <ol className="stack-frames" start={FRAMES + 1}>
          {list(frames.slice(FRAMES))}
        </ol>
      </details>
    </>
  );
}

export function CalledFrom({ op }: { op: string | null }) {
  const table = useTable("op_stacks", { op, page_size: SHOWN }, op !== null).data;
  const rows = table ? rowsOf(table) : [];
  if (!table || rows.every((row) => row.text("stack") === null)) return null;
  return (
    <section className="called-from" aria-label="Called from">
      <h3>Called from</h3>
      {rows.map((row) => (
        <div key={row.text("stack") ?? ""}>
          {table.rows_matching > 1 && (
            <p className="hint">
              <Num value={row.number("calls")} unit="count" /> calls, <Num value={row.number("total_cpu_time_ns")} unit="ns" /> on the CPU
            </p>
          )}
          {row.text("stack") === null ? <p className="hint">where, the recording does not tell</p> : <Stack frames={(row.text("stack") ?? "").split(";")} />}
        </div>
      ))}
      {table.rows_matching > rows.length && <p className="hint">and from {table.rows_matching - rows.length} more places</p>}
    </section>
  );
}
