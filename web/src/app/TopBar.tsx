import { useState } from "react";
import { useAggregations, useInfo, useProfile, useSummary } from "../api/queries";
import type { Range } from "../api/types";
import { usePageOf } from "../pages/page";
import { ranksToChoose } from "./ranksToChoose";
import { sentence } from "../widgets/words";
import { Icon } from "../widgets/Icon";
import { Popover } from "../widgets/Popover";
import { rangeWords } from "../widgets/rangeWords";
import { isChosen, keptPatch } from "../address/keptRange";
import { linkTo, NO_RANGE, RANK_KEY } from "../address/route";
import { useCut } from "../address/useCut";
import { useRange, useRank, useRoute, useSetParams } from "../address/useRoute";

function Bounds({ range, close }: { range: Range; close: () => void }) {
  const [start, setStart] = useState(String(range.start ?? 0));
  const [stop, setStop] = useState(String(range.stop ?? range.total - 1));
  const setParams = useSetParams();
  const given = useRange();
  const cut = useCut();
  const wrong = !/^\d+$/.test(start) || !/^\d+$/.test(stop) || Number(start) > Number(stop);
  return (
    <form
      className="bounds"
      onSubmit={(event) => {
        event.preventDefault();
        if (wrong) return;
        setParams({ ...NO_RANGE, ...cut, iter_start: start, iter_stop: stop });
        close();
      }}
    >
      <label>
        First
        <input
          inputMode="numeric"
          value={start}
          onChange={(event) => {
            setStart(event.target.value);
          }}
        />
      </label>
      <label>
        Last
        <input
          inputMode="numeric"
          value={stop}
          onChange={(event) => {
            setStop(event.target.value);
          }}
        />
      </label>
      <button className="button primary" disabled={wrong}>
        Apply
      </button>
      <div className="bounds-more">
        <button
          type="button"
          className="link"
          onClick={() => {
            setParams({ ...NO_RANGE, ...cut, all: 1 });
            close();
          }}
        >
          All iterations, warm-up too
        </button>
        {!range.whole && (
          <button
            type="button"
            className="link"
            onClick={() => {
              setParams({ ...NO_RANGE, whole: 1 });
              close();
            }}
          >
            Whole run
          </button>
        )}
        {Object.keys(given).length > 0 && (
          <button
            type="button"
            className="link"
            onClick={() => {
              setParams(NO_RANGE);
              close();
            }}
          >
            The default range
          </button>
        )}
      </div>
    </form>
  );
}

function Saved({ close }: { close: () => void }) {
  const list = useAggregations().data?.aggregations ?? [];
  const { view, params } = useRoute();
  if (list.length === 0) return null;
  return (
    <section className="saved">
      <h3>Kept ranges</h3>
      <ul className="plain-list">
        {list.map((each) => (
          <li key={each.id}>
            <a
              href={linkTo(view, params, keptPatch(each))}
              aria-current={isChosen(each, params) ? "true" : undefined}
              onClick={close}
            >
              {each.name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

// The one rank that the page is about, or all of them, where the profile has several.
function RankChoice() {
  const ranks = ranksToChoose(useInfo().data);
  const rank = useRank();
  const setParams = useSetParams();
  if (ranks.length === 0) return null;
  return (
    <label className="rank-choice">
      <span className="sr-only">Ranks shown</span>
      <select
        value={rank ?? ""}
        title={rank === null ? "All numbers are about all ranks" : `All numbers are about rank ${String(rank)} alone, as if its trace had been imported by itself`}
        onChange={(event) => {
          // The rank that a picture of iterations is of was one of all.
          setParams({ [RANK_KEY]: event.target.value, rank: null });
        }}
      >
        <option value="">All ranks</option>
        {ranks.map((each) => (
          <option key={each.rank} value={each.rank}>
            Rank {each.rank}
            {each.host && ` on ${each.host}`}
          </option>
        ))}
      </select>
    </label>
  );
}

// Which ranks and iterations all numbers of the page are about, and the way to choose others.
export function TopBar() {
  const profile = useProfile();
  const { view, params } = useRoute();
  const elsewhere = usePageOf(view)?.of !== undefined;
  const summary = useSummary(profile?.state === "ok" && !elsewhere);
  if (elsewhere || profile?.state !== "ok") return <div className="topbar-end" />;
  if (!summary.data) {
    return (
      <div className="topbar-end">
        <RankChoice />
      </div>
    );
  }
  const { range } = summary.data;
  return (
    <div className="topbar-end">
      <RankChoice />
      <Popover
        label={
          <>
            <Icon name="iterations" size={14} />
            <span>{rangeWords(range)}</span>
            <Icon name="down" size={12} />
          </>
        }
        title={`Range of iterations: ${rangeWords(range)}`}
        className="range-chip"
        align="end"
      >
        {(close) => (
          <div className="range-menu">
            <p className="range-source">{range.description || "The whole profile"}</p>
            {range.total > 0 && <Bounds range={range} close={close} />}
            {range.notes.map((note) => (
              <p key={note} className="hint">
                {sentence(note)}
              </p>
            ))}
            <Saved close={close} />
            <a className="link" href={linkTo("iterations", params)} onClick={close}>
              Cut iterations otherwise, and keep ranges
            </a>
          </div>
        )}
      </Popover>
    </div>
  );
}
