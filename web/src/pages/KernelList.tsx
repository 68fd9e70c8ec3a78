// Kernels of an iteration, or of an op in it: each kind with its count, or every launch.
import type { ReactNode } from "react";
import { NO_RANGE } from "../address/route";
import { useCut } from "../address/useCut";
import { useRoute, useSetParams } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { rowLink } from "./links";
import { TimelineLink } from "../table/timelineLinks";

interface Props {
  iteration: string;
  rank: string; // "" where there is one
  op: string | null; // of it alone
  here: string; // the view
  label: string;
  empty?: ReactNode;
}

const hide = ["iteration", "rank"]; // chosen above
const place = ["device", "stream", "gpu_start_ns", "correlation"];

export function KernelList({ iteration, rank, op, here, label, empty }: Props) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const cut = useCut();
  const launches = params.get("each") === "1";
  const only = rank === "" ? [] : [`rank:eq:${rank}`];
  const tools = (
    <div className="choice" role="group" aria-label="Kernels">
      {[false, true].map((each) => (
        <button
          key={String(each)}
          type="button"
          className="button"
          aria-pressed={each === launches}
          onClick={() => {
            setParams({ each: each ? 1 : null, "k.sort": null, "k.page": null, "k.filter": null, "k.cols": null });
          }}
        >
          {each ? "Every launch" : "By kernel"}
        </button>
      ))}
    </div>
  );
  const shared = { hide, label, tools, empty, prefix: "k.", height: "half", link: rowLink(params, here) } as const;
  if (launches) {
    return (
      <DataTable
        {...shared}
        key="launches"
        name={op === null ? "kernels" : "iteration_op_kernels"}
        params={op === null ? {} : { iteration, op }}
        only={op === null ? [`iteration:eq:${iteration}`, ...only] : only}
        sort="gpu_duration_ns:desc"
        bars={{ gpu_duration_ns: "gpu" }}
        rowKey={(row) => place.map((key) => row.text(key)).join("~")}
        actions={(row) => <TimelineLink row={row} small />}
      />
    );
  }
  const range = { ...NO_RANGE, ...cut, iter_start: iteration, iter_stop: iteration };
  return (
    <DataTable
      {...shared}
      key="kinds"
      name={op === null ? "kernel" : "ops_kernels"}
      params={{ ...range, op, by_rank: rank !== "" }}
      only={only}
      sort="total_gpu_time_ns:desc"
      bars={{ total_gpu_time_ns: "gpu" }}
      rowKey={(row) => ["long_kernel_name", "op_id", "rank"].map((key) => row.text(key)).join("~")}
    />
  );
}
