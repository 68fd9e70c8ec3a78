import { useTable } from "../../api/queries";
import { linkTo } from "../../address/route";
import { useRoute } from "../../address/useRoute";
import { layerTail } from "../../table/cells";
import { rowsOf, type Row } from "../../table/row";
import { Card } from "../../widgets/Card";
import { Bar } from "../../widgets/charts";
import { useDeviceWords } from "../../widgets/deviceWords";
import { opTypeWords } from "../../widgets/opTypes";
import { Num } from "../../widgets/Num";
import { Answered } from "../../widgets/states";
import { MERGED } from "./parts";

interface Listed {
  name: string;
  full?: string;
  note: string;
  href: string;
  calls: number | null;
  time: number | null;
  type?: string | null;
  tc?: string | null; // whether it, or its kernels, use Tensor Cores
}

function List({ head, rows, kind, time }: { head: string; rows: readonly Listed[]; kind: string; time?: string }) {
  const say = useDeviceWords();
  const most = Math.max(0, ...rows.map((row) => row.time ?? 0));
  const types = rows.some((row) => row.type);
  const cores = rows.some((row) => row.tc);
  if (rows.length === 0) return <p className="hint">Nothing of this kind in the range.</p>;
  return (
    <table className="mini">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {types && (
            <th scope="col" className="type">
              Type
            </th>
          )}
          {cores && (
            <th scope="col" className="tc" title={say("Whether its kernels use Tensor Cores")}>
              {say("TC")}
            </th>
          )}
          <th scope="col" className="number">
            Calls
          </th>
          <th scope="col" className="number">
            {say(time ?? (kind === "cpu" ? "CPU time" : "GPU time"))}
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
            {types && (
              <td className="type" title={row.type ?? undefined}>
                {row.type && (opTypeWords(row.type) ?? row.type)}
              </td>
            )}
            {cores && <td>{row.tc && <span className={`badge ${row.tc}`}>{row.tc}</span>}</td>}
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

// Of how many rows a line is the sum, where it is of several.
function kinds(count: number | null, what: string): string {
  return count !== null && count > 1 ? `${String(count)} ${what}s` : "";
}

function useTop(name: string, sort: string, count: number, filter?: string, shape = {}) {
  return useTable(name, { ...shape, sort: `${sort}:desc`, page_size: count, filter });
}

export function TopOps({ gpu }: { gpu: boolean }) {
  const { params } = useRoute();
  const time = gpu ? "self_gpu_time_ns" : "self_cpu_time_ns";
  const listed = (row: Row): Listed => {
    const name = row.text("op_name") ?? "?";
    return {
      name,
      note: kinds(row.number("ops"), "op"),
      href: linkTo("ops", params, { sort: `${time}:desc`, filter: [`op_name:eq:${name}`] }),
      type: row.text("op_type"),
      tc: gpu ? row.text("using_tc") : null,
      calls: row.number("calls"),
      time: row.number(time),
    };
  };
  return (
    <Card
      title={gpu ? "Top 10 GPU ops" : "Top 10 ops"}
      note="time of their own, of all with the name"
      action={<a href={linkTo("ops", params)}>All ops</a>}
    >
      <Answered answer={useTop("op_names", time, 10, gpu ? `${time}:ge:1` : undefined)} what="the top ops">
        {(table) => <List head="Op" rows={rowsOf(table).map(listed)} kind={gpu ? "gpu" : "cpu"} />}
      </Answered>
    </Card>
  );
}

// By what a range takes itself, or with the ranges inside it.
export function TopRanges({ by }: { by: "self" | "total" }) {
  const { params } = useRoute();
  const time = `${by}_time_ns`;
  const listed = (row: Row): Listed => ({
    name: row.text("range") ?? "?",
    note: row.text("domain") ?? "",
    href: linkTo("ranges", params, { merge: 1, sort: `${time}:desc`, sel: row.text("range_id") }),
    calls: row.number("calls"),
    time: row.number(time),
  });
  return (
    <Card
      title={by === "self" ? "Ranges by own time" : "Ranges by total time"}
      note={by === "self" ? "without those inside" : "with those inside"}
      action={<a href={linkTo("ranges", params, { merge: 1, sort: by === "total" ? "total_time_ns:desc" : null })}>All ranges</a>}
    >
      <Answered answer={useTop("ranges", time, 10, undefined, MERGED)} what="the top ranges">
        {(table) => <List head="Range" rows={rowsOf(table).filter((row) => row.number(time) !== null).map(listed)} kind="cpu" time={by === "self" ? "Own time" : "Total time"} />}
      </Answered>
    </Card>
  );
}

export function TopKernels() {
  const { params } = useRoute();
  const listed = (row: Row): Listed => {
    const name = row.text("label") ?? "?";
    return {
      name,
      full: row.text("kernel_name") ?? name,
      note: kinds(row.number("ops"), "op"),
      href: linkTo("kernels", params, { filter: [`kernel_name:eq:${name}`] }),
      tc: row.text("class") === "communication" ? null : row.text("uses_tc"),
      calls: row.number("calls"),
      time: row.number("total_gpu_time_ns"),
    };
  };
  return (
    <Card title="Top kernels" note="sum of durations, of all with the name" action={<a href={linkTo("kernels", params)}>All kernels</a>}>
      <Answered answer={useTop("kernel_name", "total_gpu_time_ns", 10)} what="the top kernels">
        {(table) => <List head="Kernel" rows={rowsOf(table).map(listed)} kind="gpu" />}
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
