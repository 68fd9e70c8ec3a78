import { useMemo, useState } from "react";
import { useLayers, useProfile } from "../api/queries";
import type { LayersAnswer } from "../api/types";
import { linkTo } from "../app/route";
import { useRoute, useSetParams } from "../app/useRoute";
import { TypedInput } from "../table/TypedInput";
import { RowDetails } from "../widgets/Details";
import { Icon } from "../widgets/Icon";
import { Answered, Empty } from "../widgets/states";
import { Icicle } from "./layers/Icicle";
import { buildTree, findPath, normal, valueOf, visibleLines, type Measure, type Node, type Order, type SortKey } from "./layers/tree";
import { TreeTable, type TreeColumn } from "./layers/TreeTable";

const GPU_COLUMNS: TreeColumn[] = [
  { key: "calls", head: "Calls" },
  { key: "fwd.gpu_ns", head: "Forward GPU", kind: "gpu" },
  { key: "bwd.gpu_ns", head: "Backward GPU", kind: "gpu" },
  { key: "fwd.cpu_ns", head: "Forward CPU", kind: "cpu" },
  { key: "bwd.cpu_ns", head: "Backward CPU", kind: "cpu" },
  { key: "self.gpu_ns", head: "Own GPU" },
  { key: "kernels", head: "Kernels" },
];
const CPU_COLUMNS: TreeColumn[] = [
  { key: "calls", head: "Calls" },
  { key: "fwd.cpu_ns", head: "Forward", kind: "cpu" },
  { key: "bwd.cpu_ns", head: "Backward", kind: "cpu" },
  { key: "self.cpu_ns", head: "Own" },
];

const CHOSEN = /^(name|calls|kernels|(?:fwd|bwd|self)\.(?:gpu|cpu)_ns):(asc|desc)$/;

function readOrder(text: string | null): Order | null {
  const [, key, order] = CHOSEN.exec(text ?? "") ?? [];
  return key === undefined ? null : { key: key as SortKey, falling: order === "desc" };
}

// Open at first: the roots, and each single child down to where the model branches.
function firstOpen(roots: readonly Node[]): Set<string> {
  const open = new Set<string>();
  let level = roots;
  for (let depth = 0; depth < 3 && level.length > 0; depth++) {
    for (const node of level) open.add(node.path);
    level = level.flatMap((node) => node.children).filter((node) => node.children.length > 0);
    if (level.length > 8) break;
  }
  return open;
}

function mostOf(roots: readonly Node[]): (key: SortKey) => number {
  return (key) => Math.max(0, ...roots.map((node) => Number(valueOf(node.row, key)) || 0));
}

function useOpen(roots: readonly Node[], selected: string | null): [ReadonlySet<string>, (path: string, open: boolean) => void] {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = useMemo(() => {
    const paths = firstOpen(roots);
    // What is selected can be seen.
    for (const node of (selected !== null && findPath(roots, selected)?.slice(0, -1)) || []) paths.add(node.path);
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

function Layers({ data, gpu }: { data: LayersAnswer; gpu: boolean }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const roots = useMemo(() => buildTree(data.layers), [data.layers]);
  const given = params.get("sel");
  const selected = given === null ? null : normal(given);
  const [open, toggle] = useOpen(roots, selected);
  const order = readOrder(params.get("sort"));
  const search = params.get("search") ?? "";
  const measure: Measure = gpu && params.get("measure") !== "cpu" ? "gpu_ns" : "cpu_ns";
  const lines = visibleLines(roots, open, order, search);
  const select = (path: string) => {
    setParams({ sel: path === selected ? null : `/${path}` });
  };
  const sort = (key: SortKey) => {
    const falling = key !== "name";
    const next = order?.key !== key ? falling : order.falling === falling ? !falling : null;
    setParams({ sort: next === null ? null : `${key}:${next ? "desc" : "asc"}` });
  };
  return (
    <div className={selected !== null ? "panes open" : "panes"}>
      <div className="pane-main">
        <div className="toolbar">
          <label className="search">
            <Icon name="search" size={14} />
            <span className="sr-only">Search in layers</span>
            <TypedInput
              type="search"
              placeholder="Search"
              value={search}
              onTyped={(text) => {
                setParams({ search: text }, { quiet: true });
              }}
            />
          </label>
          {gpu && (
            <div className="toolbar-end" role="group" aria-label="Time in the picture">
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
                  {each === "gpu" ? "GPU time" : "CPU time"}
                </button>
              ))}
            </div>
          )}
        </div>
        <div className="card icicle-card">
          <Icicle roots={roots} measure={measure} selected={selected} select={select} />
        </div>
        <TreeTable
          lines={lines}
          columns={gpu ? GPU_COLUMNS : CPU_COLUMNS}
          open={open}
          toggle={toggle}
          selected={selected}
          select={select}
          order={order}
          sort={sort}
          most={mostOf(roots)}
        />
      </div>
      {selected !== null && (
        <RowDetails
          table="group_op"
          keys={["name"]}
          selected={`/${selected}`}
          title={() => `/${selected}`}
          onClose={() => {
            setParams({ sel: null });
          }}
          actions={() =>
            selected !== "" && (
              <a className="button small" href={linkTo("ops", params, { filter: [`layer:contains:${selected}`] })}>
                <Icon name="ops" size={14} /> Its ops
              </a>
            )
          }
        />
      )}
    </div>
  );
}

export function LayersPage() {
  const gpu = (useProfile()?.kernels ?? 0) > 0;
  return (
    <Answered answer={useLayers()} what="the layers" rows={12}>
      {(data) =>
        data.layers.length > 1 ? (
          <Layers data={data} gpu={gpu} />
        ) : (
          <Empty icon="layers" title="The profile names no layers">
            <p>
              PyTorch&apos;s profiler records modules with <code>with_modules=True</code> or <code>with_stack=True</code>;{" "}
              <code>opsight profile</code> always does.
            </p>
          </Empty>
        )
      }
    </Answered>
  );
}
