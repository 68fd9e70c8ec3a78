// The first rows that a finding's query gives: what proves it, each op, kernel, layer and iteration a link to its view.
import { linkTo, type Patch } from "../address/route";
import { useRoute } from "../address/useRoute";
import type { Finding } from "../api/types";
import { cellText } from "../table/cells";

type Row = Finding["rows"]["rows"][number];

// Which view has what a column names, and its column there: a `name` may be one of the ops that the query reads.
function viewOf(column: string, query: string): [string, string] | undefined {
  if (column === "op_name" || (column === "name" && / FROM ops /.test(query))) return ["ops", "op_name"];
  return column === "label" ? ["kernels", "kernel_name"] : undefined;
}

function target(column: string, row: Row, query: string): [string, Patch] | null {
  const value = row[column];
  if (value === null || value === undefined || value === "") return null;
  const text = String(value);
  if (column === "layer") return ["layers", { sel: text }];
  if (column === "begin_ns") {
    const begin = Number(value);
    const length = Number(row.ms ?? 0) * 1e6;
    return ["timeline", { begin: Math.max(0, begin - length), end: begin + 2 * length }];
  }
  if (column === "iteration") return ["by-iteration", { sel: `${text}~${String(row.rank ?? "")}` }];
  const view = viewOf(column, query);
  return view === undefined ? null : [view[0], { filter: [`${view[1]}:eq:${text}`] }];
}

export function EvidenceRows({ finding: { rows, query } }: { finding: Finding }) {
  const { params } = useRoute();
  const number = (column: string) => rows.rows.every((row) => typeof row[column] === "number");
  return (
    <div className="evidence-rows">
      <table>
        <thead>
          <tr>
            {rows.columns.map((column) => (
              <th key={column} className={number(column) ? "number" : ""}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.rows.map((row, place) => (
            <tr key={place}>
              {rows.columns.map((column) => {
                const text = cellText({ key: column, header: column, unit: "none" }, row[column] ?? null);
                const to = target(column, row, query);
                return (
                  <td key={column} className={number(column) ? "number" : ""} title={text}>
                    {to === null ? text : <a href={linkTo(to[0], params, to[1])}>{text}</a>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.more && <p className="hint">The first {rows.rows.length} rows of its answer.</p>}
    </div>
  );
}
