import { useState } from "react";
import { ApiError, postJson } from "../../api/client";
import { queries, useAggregations, useProfileId } from "../../api/queries";
import type { Aggregation, IterationShares, Range } from "../../api/types";
import { keptPatch } from "../../address/keptRange";
import { NO_RANGE } from "../../address/route";
import { useCut } from "../../address/useCut";
import { useSetParams } from "../../address/useRoute";
import { pageWords, sentence } from "../../widgets/words";
import type { Bounds } from "./Chart";

function BoundInput({ label, value, set }: { label: string; value: number; set: (value: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <label>
      {label}
      <input
        inputMode="numeric"
        value={typed ?? String(value)}
        aria-invalid={typed !== null && !/^\d+$/.test(typed)}
        onChange={(event) => {
          setTyped(event.target.value);
          if (/^\d+$/.test(event.target.value)) set(Number(event.target.value));
        }}
        onBlur={() => {
          setTyped(null);
        }}
      />
    </label>
  );
}

interface Props {
  list: readonly IterationShares[];
  range: Range;
  bounds: Bounds;
  changed: boolean;
  setBounds: (bounds: Bounds) => void;
  done: () => void;
}

export function Reaggregate({ list, range, bounds, changed, setBounds, done }: Props) {
  const profile = useProfileId();
  const setParams = useSetParams();
  const cut = useCut();
  const [name, setName] = useState("");
  const kept = useAggregations().data?.kept !== false;
  const [state, setState] = useState<"ready" | "working" | ApiError>("ready");
  const least = list[0]?.iteration ?? 0;
  const most = list[list.length - 1]?.iteration ?? 0;
  const wrong = bounds.start > bounds.stop || bounds.start < least || bounds.stop > most;
  const run = async () => {
    // Without a name nothing is kept: the address says all of it, and means the same wherever it is opened.
    if (name.trim() === "") {
      done();
      setParams({ ...NO_RANGE, ...cut, iter_start: bounds.start, iter_stop: bounds.stop });
      return;
    }
    setState("working");
    try {
      const body = { ...cut, iter_start: bounds.start, iter_stop: bounds.stop, name: name.trim() };
      const made = await postJson<Aggregation>(`/profiles/${profile}/aggregations`, body);
      await queries.invalidateQueries({ queryKey: [`/profiles/${profile}/aggregations`] });
      setState("ready");
      done();
      setParams(keptPatch(made));
    } catch (problem) {
      setState(problem instanceof ApiError ? problem : new ApiError(-1, "page", String(problem), ""));
    }
  };
  return (
    <form
      className="reaggregate"
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong && state !== "working") void run();
      }}
    >
      <BoundInput
        label="First iteration"
        value={bounds.start}
        set={(start) => {
          setBounds({ ...bounds, start });
        }}
      />
      <BoundInput
        label="Last iteration"
        value={bounds.stop}
        set={(stop) => {
          setBounds({ ...bounds, stop });
        }}
      />
      <label className="grow">
        Name, {kept ? "to keep it for later" : "to keep it until the viewer ends"}
        <input
          value={name}
          maxLength={80}
          placeholder="not kept"
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
      </label>
      <button className="button primary" disabled={wrong || state === "working"}>
        {state === "working" ? "Re-aggregating…" : "Re-aggregate"}
      </button>
      {changed && (
        <button type="button" className="button" onClick={done}>
          Back to {range.whole ? "the whole run" : `${String(range.start)}–${String(range.stop)}`}
        </button>
      )}
      <p className="hint" role="status">
        {wrong && `Between ${String(least)} and ${String(most)}, the first not after the last.`}
        {state instanceof ApiError && `${sentence(state.message)}: ${pageWords(state.remedy)}`}
      </p>
    </form>
  );
}
