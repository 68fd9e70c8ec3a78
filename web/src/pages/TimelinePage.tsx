// The timeline of a profile. Its address holds the window that is shown and the event that is selected:
// #/timeline?begin=NS&end=NS&track=ID&span=ID, or ?find=NAME&at=NS where only a name and a time are known; `of` is the
// rank whose rows are to be seen, `search` is what is searched for, `colour` what bars are coloured by. Each event that is
// selected is a step that "back" undoes.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { getJson, type ApiError } from "../api/client";
import { useInfo, useIterations, useProfileId, useRangeAnswer } from "../api/queries";
import { parseHash, patched } from "../address/route";
import { useCorrections, wrongChoice, type Correction } from "../address/corrections";
import { useHidden } from "../address/useHidden";
import { useRank, useRoute, useSetParams } from "../address/useRoute";
import type { ColorMode } from "../engine/colors";
import { Empty, ErrorState, Loading } from "../widgets/states";
import { formatNs } from "../widgets/format";
import { Icon } from "../widgets/Icon";
import { LegendButton } from "../widgets/LegendItem";
import { useDeviceWords } from "../widgets/deviceWords";
import { Panes } from "../widgets/Panes";
import { TimelineApi, type Tracks } from "../timeline/api";
import { chosenOf } from "../timeline/chosen";
import { Controller } from "../timeline/controller";
import { Details } from "../timeline/Details";
import { PathApi, pathNote, type PathAnswer } from "../timeline/path";
import { LEGEND, legendKey, type LegendEntry } from "../timeline/palette";
import { SearchBox } from "../timeline/SearchBox";
import { Stage } from "../timeline/Stage";
import { SumsPane } from "../timeline/SumsPane";
import { useTogether } from "../timeline/useTogether";
import type { Hosts } from "../engine/layout";
import "../timeline/timeline.css";

declare global {
  interface Window {
    // For scripts that drive the page: the timeline that is shown.
    opsightTimeline?: Controller;
  }
}

const ADDRESS_AFTER_MS = 300;
const MODES: readonly { mode: ColorMode; label: string }[] = [
  { mode: "kind", label: "kind" },
  { mode: "name", label: "name" },
  { mode: "tc", label: "Tensor Cores" },
];

const numberIn = (params: URLSearchParams, key: string): number | null => {
  const text = params.get(key);
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : null;
};

// What the address asks for, as long as it is `wanted`.
async function follow(controller: Controller, params: URLSearchParams, wanted: () => boolean): Promise<void> {
  controller.missing = null;
  const begin = numberIn(params, "begin");
  const end = numberIn(params, "end");
  const windowed = begin !== null && end !== null && end > begin;
  if (windowed) controller.show({ begin, end, width: controller.view.width });
  const ofRank = numberIn(params, "of");
  if (ofRank !== null) controller.showRank(ofRank);
  const from = numberIn(params, "from");
  const to = numberIn(params, "to");
  const ranged = from !== null && to !== null && to > from;
  if (ranged || controller.range) controller.setRange(ranged ? { begin: from, end: to } : null);
  const track = numberIn(params, "track");
  const span = numberIn(params, "span");
  if (track !== null && span !== null) {
    if (controller.info.tracks.some((each) => each.id === track)) await controller.open(track, span, !windowed);
    return;
  }
  const name = params.get("find");
  if (!name) {
    if (controller.selected) controller.select(null);
    return;
  }
  const first = controller.bounds.begin;
  let found = await controller.api.search(name, numberIn(params, "at") ?? first, false, null);
  // All of that name are before the time in the address.
  if (wanted() && !found.match && found.matches > 0) found = await controller.api.search(name, first, false, null);
  if (!wanted()) return;
  if (found.match && found.match.track !== null) await controller.open(found.match.track, found.match.span, !windowed);
  else {
    controller.missing = { name };
    controller.select(null);
  }
}

// The part of the address that is the timeline's.
const OWN_KEYS = ["begin", "end", "of", "track", "span", "find", "at", "from", "to"] as const;
const ownPart = (params: URLSearchParams): string => OWN_KEYS.map((key) => params.get(key) ?? "").join(" ");

const NUMBERS: readonly (readonly [string, string])[] = [
  ["begin", "a time"],
  ["end", "a time"],
  ["of", "a rank"],
  ["at", "a time"],
  ["from", "a time"],
  ["to", "a time"],
  ["track", "a track"],
  ["span", "an event"],
];

// What of it cannot be.
function wrongAddress(controller: Controller, params: URLSearchParams): Correction[] {
  const wrong: Correction[] = NUMBERS.flatMap(([key, what]) => {
    const text = params.get(key);
    return text === null || numberIn(params, key) !== null ? [] : [{ key, to: null, text: `“${key}=${text}” is not ${what}: it was left out.` }];
  });
  const begin = numberIn(params, "begin");
  const end = numberIn(params, "end");
  if (begin !== null && end !== null) {
    const { bounds } = controller;
    const both = (text: string) => ["begin", "end"].map((key) => ({ key, to: null, text }));
    if (end <= begin) wrong.push(...both("The stretch of time in the address ends before it begins: the whole run is shown."));
    else if (end < bounds.begin || begin > bounds.end) wrong.push(...both(`The stretch of time in the address lies outside of the run, which ends at ${formatNs(bounds.end)}.`));
  }
  const track = numberIn(params, "track");
  if (track !== null && !controller.info.tracks.some((each) => each.id === track)) {
    wrong.push(...["track", "span"].map((key) => ({ key, to: null, text: `There is no track ${String(track)} in this timeline: nothing is selected.` })));
  }
  const { missing } = controller;
  if (missing && "name" in missing) wrong.push({ key: "find", to: null, text: `Nothing in this timeline is called “${missing.name}”: nothing is selected.` });
  else if (missing && missing.track === track && missing.span === numberIn(params, "span")) {
    wrong.push(...["track", "span"].map((key) => ({ key, to: null, text: `There is no event ${String(missing.span)} on that track: nothing is selected.` })));
  }
  return wrong;
}

// What of the timeline the address shall hold.
function addressOf(controller: Controller): Record<(typeof OWN_KEYS)[number], number | null> {
  const { begin, end } = controller.target;
  const { selected, range } = controller;
  return {
    begin: Math.round(begin),
    end: Math.round(end),
    of: null,
    track: selected?.track ?? null,
    span: selected?.span ?? null,
    find: null,
    at: null,
    from: range && Math.round(range.begin),
    to: range && Math.round(range.end),
  };
}

// Where somebody left the timeline of a run, for when it is opened again without an address of its own.
const left = new Map<string, URLSearchParams>();

// Keeps the address in step with the timeline.
function useAddress(controller: Controller, profile: string): void {
  const setParams = useSetParams();
  useEffect(() => {
    let timer = 0;
    let over = false;
    let asked = 0; // how often the address asked for something
    let following = 0; // the number of what is on its way: to get there is no step of its own
    let known: string | null = null; // what the address said last, or was told
    const follows = () => {
      const { params, view } = parseHash(window.location.hash);
      if (view !== "timeline" || ownPart(params) === known) return;
      const before = ownPart(params).trim() === "" ? left.get(profile) : undefined;
      known = ownPart(params);
      const mine = ++asked;
      following = mine;
      void follow(controller, before ?? params, () => !over && mine === asked)
        .catch(() => undefined)
        .finally(() => {
          // One that the address has left meanwhile must not write where the page is not any more.
          if (over || mine !== asked) return;
          writeNow();
          following = 0;
        });
    };
    const writeNow = () => {
      window.clearTimeout(timer);
      timer = 0;
      if (parseHash(window.location.hash).view !== "timeline") return;
      const patch = addressOf(controller);
      const { params } = parseHash(window.location.hash);
      const moved = patch.track !== null && (numberIn(params, "track") !== patch.track || numberIn(params, "span") !== patch.span);
      known = ownPart(patched(new URLSearchParams(), patch));
      setParams(patch, { replace: following !== 0 || !moved });
    };
    const write = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(writeNow, ADDRESS_AFTER_MS);
    };
    // The next click or key may lead elsewhere: then "back" must find all of it in the address.
    const leaving = () => {
      if (timer !== 0) writeNow();
    };
    follows();
    controller.onView = write;
    const unsubscribe = controller.subscribe(write);
    window.addEventListener("hashchange", follows);
    window.addEventListener("pointerdown", leaving, true);
    window.addEventListener("keydown", leaving, true);
    return () => {
      over = true;
      left.set(profile, patched(new URLSearchParams(), addressOf(controller)));
      window.clearTimeout(timer);
      controller.onView = null;
      unsubscribe();
      window.removeEventListener("hashchange", follows);
      window.removeEventListener("pointerdown", leaving, true);
      window.removeEventListener("keydown", leaving, true);
    };
  }, [controller, profile, setParams]);
}

function Entry({ entry }: { entry: LegendEntry }) {
  const say = useDeviceWords();
  return <LegendButton id={legendKey(entry)} name={say(entry.label)} swatch={<i style={{ background: `var(${entry.variable})` }} />} />;
}

function Legend({ controller, mode, outside }: { controller: Controller; mode: ColorMode; outside: boolean }) {
  const kinds = useMemo(() => {
    const tracks = controller.info.tracks.map((track) => track.kind);
    const host = tracks.includes("thread");
    const device = tracks.includes("stream");
    return LEGEND.filter(({ kinds: of }) => {
      const onDevice = of.some((kind) => kind.includes("kernel") || kind.startsWith("mem"));
      return onDevice ? device : host;
    });
  }, [controller]);
  return (
    <div className="tl-legend">
      {mode === "kind" &&
        kinds.map((entry) => (
          <Entry key={entry.label} entry={entry} />
        ))}
      {mode === "name" && <span>One colour for each name</span>}
      {mode === "tc" &&
        LEGEND.filter((entry) => /Tensor|other kernel|TC/.test(entry.label)).map((entry) => (
          <Entry key={entry.label} entry={entry} />
        ))}
      {outside && (
        <span>
          <i style={{ background: "var(--tl-outside)" }} />
          outside of the range
        </span>
      )}
      <span className="keys-hint">
        <kbd>w</kbd>
        <kbd>s</kbd> zoom <kbd>a</kbd>
        <kbd>d</kbd> move · <kbd>Shift</kbd> and drag: sums · <kbd>?</kbd> all keys
      </span>
    </div>
  );
}

// Puts the critical path of the chosen iterations above the other rows.
function PathButton({ on }: { on: boolean }) {
  const setParams = useSetParams();
  return (
    <button
      className="button"
      aria-pressed={on}
      title="A row of what the end of each chosen iteration waited for, one piece after another"
      onClick={() => {
        setParams({ path: on ? null : 1 }, { replace: true });
      }}
    >
      Critical path
    </button>
  );
}

function Shown({ controller, profile, path, note }: { controller: Controller; profile: string; path: boolean; note: string }) {
  const { params } = useRoute();
  const say = useDeviceWords();
  useCorrections(wrongAddress(controller, params));
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const setParams = useSetParams();
  const asked = params.get("colour");
  const mode = MODES.find((each) => each.mode === asked)?.mode ?? "kind";
  useCorrections(wrongChoice(params, "colour", MODES.map((each) => each.mode), "colouring", "“kind”"));
  const [hidden] = useHidden();
  useEffect(() => {
    controller.configure({ mode, hidden });
  }, [controller, mode, hidden]);
  useAddress(controller, profile);
  useTogether(controller, profile, params.get("call"));
  const iterations = useIterations().data;
  const chosen = useMemo(() => (iterations ? chosenOf(iterations) : null), [iterations]);
  useEffect(() => {
    controller.configure({ chosen });
  }, [controller, chosen]);
  useEffect(() => {
    window.opsightTimeline = controller;
    return () => {
      delete window.opsightTimeline;
    };
  }, [controller]);
  return (
    <div className="tl">
      <div className="tl-bar">
        <SearchBox controller={controller} />
        <div className="tl-end">
          <label>
            Colour by
            <select
              value={mode}
              onChange={(event) => {
                setParams({ colour: event.target.value === "kind" ? null : event.target.value }, { replace: true });
              }}
            >
              {MODES.map((each) => (
                <option key={each.mode} value={each.mode}>
                  {say(each.label)}
                </option>
              ))}
            </select>
          </label>
          <PathButton on={path} />
          <button
            className="button"
            onClick={() => {
              controller.fit();
            }}
          >
            <Icon name="zoomOut" />
            Whole run
          </button>
        </div>
      </div>
      {controller.info.times_in_order && (
        <p className="tl-note" role="note">
          The source tells no times: events stand one behind the other in its order. Where they stand, and gaps and overlaps between them, were not
          measured.
        </p>
      )}
      {note && (
        <p className="tl-note" role="status">
          {note}
        </p>
      )}
      <Panes className="tl-panes" details={state.selected && <Details controller={controller} selected={state.selected} event={state.event} together={state.together} />}>
        <div className="tl-main">
          <Stage controller={controller} />
          {state.range && <SumsPane controller={controller} state={state} range={state.range} />}
          <Legend controller={controller} mode={mode} outside={(chosen?.stretches.length ?? 0) > 0} />
        </div>
      </Panes>
    </div>
  );
}

export function TimelinePage() {
  const profile = useProfileId();
  const rank = useRank();
  const path = `/profiles/${profile}/timeline/tracks`;
  const tracks = useQuery<Tracks, ApiError>({ queryKey: [path, rank], queryFn: ({ signal }) => getJson<Tracks>(path, { rank }, signal) });
  const wanted = useRoute().params.get("path") === "1";
  const found = useRangeAnswer<PathAnswer>("critical_path", {}, wanted);
  const answer = wanted ? found.data : undefined;
  const info = useInfo();
  const hosts: Hosts | null = useMemo(() => {
    if (info.isPending) return null;
    return new Map((info.data?.ranks ?? []).map((each) => [Number(each.rank), String(each.host ?? "")]));
  }, [info.isPending, info.data]);
  const controller = useMemo(() => {
    if (!hosts || !tracks.data || tracks.data.tracks.length === 0) return null;
    if (!answer) return new Controller(new TimelineApi(profile, rank), tracks.data, hosts);
    const api = new PathApi(profile, answer, tracks.data.kinds, rank);
    return new Controller(api, api.around(tracks.data), hosts);
  }, [profile, rank, tracks.data, answer, hosts]);
  if (tracks.error) return <ErrorState error={tracks.error} retry={() => void tracks.refetch()} />;
  if (!tracks.data || !hosts) return <Loading what="the timeline" rows={12} />;
  if (!controller) return <Empty icon="timeline" title="This profile has no events to show" />;
  const note = !wanted ? "" : answer ? pathNote(answer) : found.error ? found.error.message : "Working out the critical path…";
  return <Shown key={`${profile} ${String(rank)} ${String(answer !== undefined)}`} controller={controller} profile={profile} path={wanted} note={note} />;
}
