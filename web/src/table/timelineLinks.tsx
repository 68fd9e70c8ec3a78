// From a row to what it is about in the timeline.
import { linkTo } from "../address/route";
import { useRoute } from "../address/useRoute";
import type { Params } from "../api/client";
import { useRangeAnswer } from "../api/queries";
import type { First } from "../api/types";
import { Icon } from "../widgets/Icon";
import { placeOf, windowAround, type Row } from "./row";

// A link to the event of a row in the timeline; nothing where the row is about more than one event.
export function TimelineLink({ row, small = false }: { row: Row; small?: boolean }) {
  const { params } = useRoute();
  const place = placeOf(row);
  if (!place) return null;
  const href = linkTo("timeline", params, { ...windowAround(place), track: place.track, span: place.span });
  return (
    <a
      className={small ? "icon-button" : "button small"}
      href={href}
      aria-label={small ? "Show in timeline" : undefined}
      title="Show in timeline"
      onClick={(event) => {
        event.stopPropagation();
      }}
    >
      <Icon name="timeline" size={14} />
      {!small && "Show in timeline"}
    </a>
  );
}

// The first event in the range of what a row is about, by what identifies it; nothing where none of it ran.
export function FirstInTimeline({ of }: { of: Params }) {
  const { params } = useRoute();
  const known = Object.values(of).some((value) => value !== null && value !== undefined && value !== "");
  const event = useRangeAnswer<First>("first", of, known).data?.event;
  if (!known || !event) return null;
  const place = { begin: event.begin_ns, end: event.begin_ns + event.dur_ns, track: String(event.track), span: String(event.span) };
  return (
    <a className="button small" href={linkTo("timeline", params, { ...windowAround(place), track: event.track, span: event.span })} title="Its first event in the range">
      <Icon name="timeline" size={14} /> Find in timeline
    </a>
  );
}
