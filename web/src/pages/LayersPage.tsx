import { useMemo, useState } from "react";
import { useDeviceWork, useLayers, useProfile, useWholeTable } from "../api/queries";
import type { LayersAnswer, Table } from "../api/types";
import { useCorrections, wrongChoice } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { PathButton, usePathParams } from "../table/PathButton";
import type { Row } from "../table/row";
import { RowDetails } from "../table/RowDetails";
import { useDeviceWords } from "../widgets/deviceWords";
import { Icon } from "../widgets/Icon";
import { Panes } from "../widgets/Panes";
import { Answered, Empty } from "../widgets/states";
import { Icicle } from "./layers/Icicle";
import { buildTree, findPath, layerTable, normal, type Measure, type Node } from "./layers/tree";
import { FirstInTimeline } from "../table/timelineLinks";

const BARS = { total_gpu_time_ns: "gpu", total_cpu_time_ns: "cpu", forward_gpu_time_ns: "gpu", backward_gpu_time_ns: "gpu", forward_cpu_time_ns: "cpu", backward_cpu_time_ns: "cpu" };
const PAGE = 100;

const nameOf = (row: Row): string => row.text("name") ?? "/";

// Open at first: the roots, and each single child down to where the model branches.
function firstOpen(roots: readonly Node[]): Set<string> {
  const open = new Set<string>();
  let level = roots;
  for (let depth = 0; depth < 3 && level.length > 0; depth++) {
    for (const node of level) open.add(`/${node.path}`);
    level = level.flatMap((node) => node.children).filter((node) => node.children.length > 0);
    if (level.length > 8) break;
  }
  return open;
}

function useOpen(roots: readonly Node[], selected: string | null): [ReadonlySet<string>, (path: string, open: boolean) => void] {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = useMemo(() => {
    const paths = firstOpen(roots);
    // What is selected can be seen.
    for (const node of (selected !== null && findPath(roots, normal(selected))?.slice(0, -1)) || []) paths.add(`/${node.path}`);
    for (const [path, isOpen] of changed) {
      if (isOpen) paths.add(path);
      else paths.delete(path);
    }
    return paths;
  }, [roots, selected, changed]);
  return [
    open,
    (path, isOpen) => {
      setChanged(new Map(changed).set(path, isOpen));
    },
  ];
}

function MeasureChoice({ measure }: { measure: Measure }) {
  const say = useDeviceWords();
  const setParams = useSetParams();
  return (
    <div className="choice" role="group" aria-label="Time in the picture">
      {(["gpu", "cpu"] as const).map((each) => (
        <button
          key={each}
          type="button"
          className="button"
          aria-pressed={measure === `${each}_ns`}
          onClick={() => {
            setParams({ measure: each === "gpu" ? null : each });
          }}
        >
          {say(each === "gpu" ? "GPU time" : "CPU time")}
        </button>
      ))}
    </div>
  );
}

function Layers({ data, report, gpu }: { data: LayersAnswer; report: Table; gpu: boolean }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const roots = useMemo(() => buildTree(data.layers), [data.layers]);
  const { table, parents } = useMemo(() => layerTable(data.layers, report), [data.layers, report]);
  const given = params.get("sel");
  const selected = given === null ? null : `/${normal(given)}`;
  const [open, toggle] = useOpen(roots, selected);
  const tree = useMemo(() => ({ parents, open, toggle }), [parents, open, toggle]);
  const say = useDeviceWords();
  useCorrections(wrongChoice(params, "measure", ["gpu", "cpu"], "time", say(gpu ? "GPU time" : "CPU time")));
  const measure: Measure = gpu && params.get("measure") !== "cpu" ? "gpu_ns" : "cpu_ns";
  const names = useMemo(() => new Map(data.layers.map((layer) => [`/${normal(layer.path)}`, layer])), [data.layers]);
  const select = (path: string) => {
    setParams({ sel: path === selected ? null : path });
  };
  return (
    <Panes
      details={
        selected !== null && (
          <RowDetails
            table="group_op"
            keys={["name"]}
            selected={selected}
            title={() => selected}
            onClose={() => {
              setParams({ sel: null });
            }}
            actions={() => (
              <>
                <FirstInTimeline of={{ layer: selected }} />
                {selected !== "/" && (
                  <a className="button small" href={linkTo("ops", params, { filter: [`layer:under:${normal(selected)}`] })}>
                    <Icon name="ops" size={14} /> Its ops
                  </a>
                )}
              </>
            )}
          />
        )
      }
    >
      <div className="card icicle-card">
        <Icicle roots={roots} measure={measure} selected={selected === null ? null : normal(selected)} select={(path) => { select(`/${path}`); }} />
      </div>
      <DataTable
        name="layers"
        label="Layers"
        local={table}
        tree={tree}
        size={PAGE}
        bars={BARS}
        height="layers"
        rowKey={nameOf}
        cell={(row, column) => (column.key === "name" ? names.get(nameOf(row))?.name || "/" : undefined)}
        selected={selected}
        onSelect={(_, key) => {
          select(key);
        }}
        tools={
          <>
            <PathButton />
            {gpu && <MeasureChoice measure={measure} />}
          </>
        }
      />
    </Panes>
  );
}

function NoLayers() {
  const { params } = useRoute();
  const profile = useProfile();
  if ((profile?.ops ?? 0) === 0 && (profile?.ranges ?? 0) > 0) {
    return (
      <Empty icon="layers" title="No op of a framework ran in a layer">
        <p>
          This view is about the ops inside of layers. What the program names itself, ranges such as <code>layer:conv1</code> too, is under{" "}
          <a href={linkTo("ranges", params)}>Ranges</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="layers" title="The profile names no layers">
      <p>
        PyTorch&apos;s profiler records modules with <code>with_modules=True</code> or <code>with_stack=True</code>;{" "}
        <code>opsight profile</code> always does.
      </p>
    </Empty>
  );
}

export function LayersPage() {
  const gpu = useDeviceWork();
  const report = useWholeTable("layers", usePathParams());
  return (
    <Answered answer={useLayers()} what="the layers" rows={12}>
      {(data) =>
        data.layers.length > 1 ? (
          <Answered answer={report} what="the layers" rows={12}>
            {(table) => <Layers data={data} report={table} gpu={gpu} />}
          </Answered>
        ) : (
          <NoLayers />
        )
      }
    </Answered>
  );
}
