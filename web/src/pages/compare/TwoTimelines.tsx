// Two timelines, one above the other, that stand at what was picked in each: to move in one moves the other.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { getJson, type ApiError } from "../../api/client";
import type { First } from "../../api/types";
import { useScope } from "../../address/useRoute";
import { TimelineApi, type Tracks } from "../../timeline/api";
import { Controller } from "../../timeline/controller";
import { Stage } from "../../timeline/Stage";
import { formatNs } from "../../widgets/format";
import { linkTo } from "../../address/route";
import type { Pick } from "./pick";
import "../../timeline/timeline.css";

type Event = NonNullable<First["event"]>;

const ROOM = 4; // the window, in lengths of the longer event
const LEAD = 0.2; // of the window, before the event

function useTracks(profile: string) {
  const path = `/profiles/${profile}/timeline/tracks`;
  return useQuery<Tracks, ApiError>({ queryKey: [path], queryFn: ({ signal }) => getJson<Tracks>(path, {}, signal) });
}

// The first of it in the range; null: that side has none.
function useFirst(profile: string, pick: Pick, side: "base" | "new") {
  const range = useScope();
  const named = pick[side];
  const params = { ...range, ...(pick.what === "op" ? { op: named ?? undefined } : { layer: named ?? undefined }) };
  return useQuery<Event | null, ApiError>({
    queryKey: [`/profiles/${profile}/first`, params, named],
    queryFn: async ({ signal }) => (named === null ? null : (await getJson<First>(`/profiles/${profile}/first`, params, signal)).event),
    retry: false,
  });
}

interface SideProps {
  title: string;
  name: string;
  profile: string;
  controller: Controller | null;
  event: Event | null | undefined;
  problem: string | null;
}

function Half({ title, name, profile, controller, event, problem }: SideProps) {
  const link = event ? linkTo("timeline", new URLSearchParams({ profile: name }), { track: event.track, span: event.span }) : null;
  return (
    <div className="two-timelines-half" data-profile={profile}>
      <p>
        <b>{title}</b>{" "}
        {problem ?? (event ? `${event.name}, ${formatNs(event.dur_ns)}, at ${formatNs(event.begin_ns)}` : event === null ? "nothing belongs to it here" : "…")}{" "}
        {link && (
          <a className="button small" href={link}>
            Open this timeline
          </a>
        )}
      </p>
      {controller && <Stage controller={controller} label={`Timeline ${title.toLowerCase()}`} />}
    </div>
  );
}

// What one does the other does, from the same place of its own.
function useTogether(first: Controller | null, second: Controller | null, from: Event | null, to: Event | null): void {
  useEffect(() => {
    if (!first || !second || !from || !to) return;
    let busy = false;
    const follow = (other: Controller, by: number) => (view: { begin: number; end: number }) => {
      if (busy) return;
      busy = true;
      other.show({ begin: view.begin + by, end: view.end + by, width: other.view.width });
      busy = false;
    };
    first.onView = follow(second, to.begin_ns - from.begin_ns);
    second.onView = follow(first, from.begin_ns - to.begin_ns);
    return () => {
      first.onView = null;
      second.onView = null;
    };
  }, [first, second, from, to]);
}

// Both at the same scale, with as much room before what is looked at.
function useAligned(controllers: readonly (Controller | null)[], events: readonly (Event | null | undefined)[]): void {
  const longest = Math.max(1000, ...events.map((event) => event?.dur_ns ?? 0));
  useEffect(() => {
    const length = ROOM * longest;
    controllers.forEach((controller, at) => {
      const event = events[at];
      if (!controller || !event) return;
      const begin = event.begin_ns - LEAD * length;
      void controller.open(event.track, event.span, false).finally(() => {
        controller.show({ begin, end: begin + length, width: controller.view.width });
      });
    });
  }, [controllers, events, longest]);
}

export function TwoTimelines({ base, next, pick }: { base: { id: string; name: string }; next: { id: string; name: string }; pick: Pick }) {
  const [tracksBefore, tracksAfter] = [useTracks(base.id).data, useTracks(next.id).data];
  const before = useMemo(() => (tracksBefore ? new Controller(new TimelineApi(base.id), tracksBefore) : null), [base.id, tracksBefore]);
  const after = useMemo(() => (tracksAfter ? new Controller(new TimelineApi(next.id), tracksAfter) : null), [next.id, tracksAfter]);
  const first = useFirst(base.id, pick, "base");
  const second = useFirst(next.id, pick, "new");
  const controllers = useMemo(() => [before, after], [before, after]);
  const events = useMemo(() => [first.data, second.data], [first.data, second.data]);
  useAligned(controllers, events);
  useTogether(before, after, first.data ?? null, second.data ?? null);
  return (
    <div className="two-timelines">
      <Half title="Before" name={base.name} profile={base.id} controller={before} event={first.data} problem={first.error?.message ?? null} />
      <Half title="After" name={next.name} profile={next.id} controller={after} event={second.data} problem={second.error?.message ?? null} />
    </div>
  );
}
