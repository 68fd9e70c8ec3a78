// What a sweep is asked: the parameter of its curves, items and work of an iteration, limits for the best point.
import { useState } from "react";
import { linkTo } from "../../address/route";
import { useRoute, useSetParams } from "../../address/useRoute";
import { useProfiles } from "../../api/queries";
import type { Collection, SweepAnswer } from "../../api/types";
import { amountTyped } from "../../table/filters";

function Typed({ name, label, example, fits = () => true }: { name: string; label: string; example: string; fits?: (text: string) => boolean }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const given = params.get(name) ?? "";
  const [text, setText] = useState(given);
  const [seen, setSeen] = useState(given);
  if (given !== seen) {
    setSeen(given);
    setText(given);
  }
  const wrong = text.trim() !== "" && !fits(text.trim());
  const apply = () => {
    if (!wrong && text.trim() !== given) setParams({ [name]: text.trim() });
  };
  return (
    <label className="inline-label">
      {label}
      <input
        value={text}
        placeholder={example}
        size={10}
        aria-invalid={wrong}
        title={wrong ? `Give it as in ${example}` : undefined}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
        }}
      />
    </label>
  );
}

function Chosen({ label, value, all, none, choose }: { label: string; value: string; all: readonly string[]; none?: string; choose: (value: string) => void }) {
  return (
    <label className="inline-label">
      {label}
      <select
        value={value}
        onChange={(event) => {
          choose(event.target.value);
        }}
      >
        {none !== undefined && <option value="">{none}</option>}
        {all.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

export function SweepName({ sweep }: { sweep: Collection }) {
  const sweeps = useProfiles().data?.sweeps ?? [];
  if (sweeps.length < 2) return <span className="fleet-store">{sweep.name}</span>;
  return (
    <Chosen
      label="Sweep"
      value={sweep.name}
      all={sweeps.map((each) => each.name)}
      choose={(name) => {
        window.location.hash = linkTo("sweep", new URLSearchParams(), { sweep: name });
      }}
    />
  );
}

// Another sweep to compare with, and the two turned round.
function ComparedWith({ sweep, base }: { sweep: Collection; base: Collection | undefined }) {
  const setParams = useSetParams();
  const others = (useProfiles().data?.sweeps ?? []).filter((each) => each.id !== sweep.id);
  if (others.length === 0) return null;
  return (
    <>
      <Chosen
        label="Compare with"
        value={base?.name ?? ""}
        none="nothing"
        all={others.map((each) => each.name)}
        choose={(name) => {
          setParams({ base: name || null });
        }}
      />
      {base && (
        <button
          type="button"
          className="button small"
          title={`Show what changed from ${sweep.name} to ${base.name}`}
          onClick={() => {
            setParams({ sweep: base.name, base: sweep.name });
          }}
        >
          Swap
        </button>
      )}
    </>
  );
}

export function Questions({ sweep, base, answer }: { sweep: Collection; base: Collection | undefined; answer: SweepAnswer | undefined }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  return (
    <div className="fleet-choices" role="group" aria-label="What is asked">
      <SweepName sweep={sweep} />
      <ComparedWith sweep={sweep} base={base} />
      {answer && answer.parameters.length > 1 && (
        <Chosen
          label="Curves over"
          value={answer.x}
          all={answer.parameters}
          choose={(x) => {
            setParams({ x, hide: null });
          }}
        />
      )}
      <Typed name="items" label="Items" example="batch*seq" />
      <Typed name="work" label="Work" example="batch*hidden^2" />
      <Typed name="latency" label="Latency at most" example="200ms" fits={(text) => amountTyped(text, "ns") !== null} />
      <Typed name="memory" label="Memory at most" example="4GiB" fits={(text) => amountTyped(text, "bytes") !== null} />
      <Chosen
        label="Axes"
        value={params.get("scale") ?? "linear"}
        all={["linear", "logarithmic"]}
        choose={(scale) => {
          setParams({ scale: scale === "linear" ? null : scale });
        }}
      />
    </div>
  );
}
