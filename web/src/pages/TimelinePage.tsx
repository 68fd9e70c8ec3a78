// The timeline of a profile. Its address holds the window that is shown and the event that is selected:
// #/timeline?begin=NS&end=NS&track=ID&span=ID, or ?find=NAME&at=NS where only a name and a time are known.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { getJson, type ApiError } from "../api/client";
import { parseHash, patched } from "../app/route";
import { useProfileId, useSetParams } from "../app/useRoute";
import type { ColorMode } from "../engine/colors";
import { Empty, ErrorState, Loading } from "../widgets/states";
import { Icon } from "../widgets/Icon";
import { TimelineApi, type Tracks } from "../timeline/api";
import { Controller } from "../timeline/controller";
import { Details } from "../timeline/Details";
import { LEGEND } from "../timeline/palette";
import { SearchBox } from "../timeline/SearchBox";
import { Stage } from "../timeline/Stage";
import { SumsPane } from "../timeline/SumsPane";
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

// What the address asks for.
async function follow(controller: Controller, params: URLSearchParams): Promise<void> {
  const begin = numberIn(params, "begin");
  const end = numberIn(params, "end");
  if (begin !== null && end !== null && end > begin) controller.show({ begin, end, width: controller.view.width });
  const windowed = begin !== null && end !== null;
  const track = numberIn(params, "track");
  const span = numberIn(params, "span");
  if (track !== null && span !== null) {
    await controller.open(track, span, !windowed);
    return;
  }
  const name = params.get("find");
  if (!name) return;
  const found = await controller.api.search(name, numberIn(params, "at") ?? controller.bounds.begin, false, null);
  if (found.match && found.match.track !== null) await controller.open(found.match.track, found.match.span, !windowed);
}

// The part of the address that is the timeline's.
const OWN_KEYS = ["begin", "end", "track", "span", "find", "at"] as const;
const ownPart = (params: URLSearchParams): string => OWN_KEYS.map((key) => params.get(key) ?? "").join(" ");

// Keeps the address in step with the timeline.
function useAddress(controller: Controller): void {
  const setParams = useSetParams();
  useEffect(() => {
    let timer = 0;
    let known: string | null = null; // what the address said last, or was told
    const follows = () => {
      const { params, view } = parseHash(window.location.hash);
      if (view !== "timeline" || ownPart(params) === known) return;
      known = ownPart(params);
      void follow(controller, params).catch(() => undefined);
    };
    const write = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (parseHash(window.location.hash).view !== "timeline") return;
        const { begin, end } = controller.target;
        const { selected } = controller;
        const patch = {
          begin: Math.round(begin),
          end: Math.round(end),
          track: selected?.track ?? null,
          span: selected?.span ?? null,
          find: null,
          at: null,
        };
        known = ownPart(patched(new URLSearchParams(), patch));
        setParams(patch, { replace: true });
      }, ADDRESS_AFTER_MS);
    };
    follows();
    controller.onView = write;
    const unsubscribe = controller.subscribe(write);
    window.addEventListener("hashchange", follows);
    return () => {
      window.clearTimeout(timer);
      controller.onView = null;
      unsubscribe();
      window.removeEventListener("hashchange", follows);
    };
  }, [controller, setParams]);
}

function Legend({ controller, mode }: { controller: Controller; mode: ColorMode }) {
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
          <span key={entry.label}>
            <i style={{ background: `var(${entry.variable})` }} />
            {entry.label}
          </span>
        ))}
      {mode === "name" && <span>One colour for each name</span>}
      {mode === "tc" &&
        LEGEND.filter((entry) => /Tensor|other kernel|TC/.test(entry.label)).map((entry) => (
          <span key={entry.label}>
            <i style={{ background: `var(${entry.variable})` }} />
            {entry.label}
          </span>
        ))}
      <span className="keys-hint">
        <kbd>w</kbd>
        <kbd>s</kbd> zoom <kbd>a</kbd>
        <kbd>d</kbd> move · <kbd>Shift</kbd> and drag: sums · <kbd>?</kbd> all keys
      </span>
    </div>
  );
}

function Shown({ controller }: { controller: Controller }) {
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const [mode, setMode] = useState<ColorMode>("kind");
  useAddress(controller);
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
                const next = event.target.value as ColorMode;
                setMode(next);
                controller.setMode(next);
              }}
            >
              {MODES.map((each) => (
                <option key={each.mode} value={each.mode}>
                  {each.label}
                </option>
              ))}
            </select>
          </label>
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
      <div className="tl-panes">
        <div className="tl-main">
          <Stage controller={controller} />
          {state.range && <SumsPane controller={controller} state={state} range={state.range} />}
          <Legend controller={controller} mode={mode} />
        </div>
        {state.selected && <Details controller={controller} selected={state.selected} event={state.event} />}
      </div>
    </div>
  );
}

export function TimelinePage() {
  const profile = useProfileId();
  const path = `/profiles/${profile}/timeline/tracks`;
  const tracks = useQuery<Tracks, ApiError>({ queryKey: [path], queryFn: ({ signal }) => getJson<Tracks>(path, {}, signal) });
  const controller = useMemo(
    () => (tracks.data && tracks.data.tracks.length > 0 ? new Controller(new TimelineApi(profile), tracks.data) : null),
    [profile, tracks.data],
  );
  if (tracks.error) return <ErrorState error={tracks.error} retry={() => void tracks.refetch()} />;
  if (!tracks.data) return <Loading what="the timeline" rows={12} />;
  if (!controller) return <Empty icon="timeline" title="This profile has no events to show" />;
  return <Shown key={profile} controller={controller} />;
}
