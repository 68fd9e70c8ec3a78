import { useTable } from "../../api/queries";
import { linkTo } from "../../app/route";
import { useRoute } from "../../app/useRoute";
import { layerTail } from "../../table/cells";
import { rowsOf, type Row } from "../../table/row";
import { tellApart } from "../../table/tell";
import { Card } from "../../widgets/Card";
import { Bar } from "../../widgets/charts";
import { Num } from "../../widgets/Num";
import { Answered } from "../../widgets/states";

interface Listed {
  name: string;
  full?: string;
  note: string;
  href: string;
  calls: number | null;
  time: number | null;
}

function List({ head, rows, kind }: { head: string; rows: readonly Listed[]; kind: string }) {
  const most = Math.max(0, ...rows.map((row) => row.time ?? 0));
  if (rows.length === 0) return <p className="hint">Nothing of this kind in the range.</p>;
  return (
    <table className="mini">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col" className="number">
            Calls
          </th>
          <th scope="col" className="number">
            {kind === "cpu" ? "CPU time" : "GPU time"}
          </th>
          <th scope="col" className="bars">
            <span className="sr-only">Compared</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.href}>
            <td className="name" title={`${row.full ?? row.name} ${row.note}`}>
              <a href={row.href}>{row.name}</a>
              {row.note && <span className="hint apart">{row.note}</span>}
            </td>
            <td className="number">
              <Num value={row.calls} unit="count" />
            </td>
            <td className="number">
              <Num value={row.time} unit="ns" />
            </td>
            <td className="bars">
              <Bar value={row.time ?? 0} most={most} kind={kind} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function useTop(name: string, sort: string, count: number, filter?: string) {
  return useTable(name, { sort: `${sort}:desc`, page_size: count, filter });
}

export function TopOps({ gpu }: { gpu: boolean }) {
  const { params } = useRoute();
  const time = gpu ? "self_gpu_time_ns" : "self_cpu_time_ns";
  const listed = (row: Row, apart: string): Listed => ({
    name: row.text("op_name") ?? "?",
    note: [row.text("direction") === "bprop" && "backward", apart || layerTail(row.text("layer") ?? "")].filter(Boolean).join(" · "),
    href: linkTo("ops", params, { sort: `${time}:desc`, sel: row.text("op_id") }),
    calls: row.number("calls"),
    time: row.number(time),
  });
  return (
    <Card
      title={gpu ? "Top 10 GPU ops" : "Top 10 ops"}
      note="time of their own"
      action={<a href={linkTo("ops", params)}>All ops</a>}
    >
      <Answered answer={useTop("detailed", time, 10)} what="the top ops">
        {(table) => {
          const rows = rowsOf(table);
          const apart = tellApart(rows);
          return <List head="Op" rows={rows.map((row, at) => listed(row, apart[at] ?? ""))} kind={gpu ? "gpu" : "cpu"} />;
        }}
      </Answered>
    </Card>
  );
}

export function TopLayers({ gpu }: { gpu: boolean }) {
  const { params } = useRoute();
  const time = gpu ? "total_gpu_time_ns" : "total_cpu_time_ns";
  const listed = (row: Row): Listed => {
    const name = row.text("name") ?? "?";
    return {
      name: layerTail(name),
      full: name,
      note: "",
      href: linkTo("layers", params, { sel: name }),
      calls: row.number("calls"),
      time: row.number(time),
    };
  };
  return (
    <Card title="Top layers" note="with what is in them" action={<a href={linkTo("layers", params)}>All layers</a>}>
      <Answered answer={useTop("group_op", time, 10, "name:ne:/")} what="the top layers">
        {(table) =>
          table.rows.length > 0 ? (
            <List head="Layer" rows={rowsOf(table).map(listed)} kind={gpu ? "gpu" : "cpu"} />
          ) : (
            <p className="hint">
              The profile names no layers. PyTorch records them with <code>with_modules=True</code> or{" "}
              <code>with_stack=True</code>; <code>opsight profile</code> always does.
            </p>
          )
        }
      </Answered>
    </Card>
  );
}
