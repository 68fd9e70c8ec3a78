// What is known of the selected event, and the chain that it is part of.
import { useSummary } from "../api/queries";
import { useRoute } from "../address/useRoute";
import { linkTo, NO_RANGE } from "../address/route";
import { useCut } from "../address/useCut";
import { Stack } from "../table/CalledFrom";
import { Icon } from "../widgets/Icon";
import { exactValue, formatMoment, formatNs, formatShapes, formatTypes, formatValue, type Cell, type Unit } from "../widgets/format";
import type { EventAnswer, Link, Place } from "./api";
import type { Part, Together } from "./together";
import type { Controller } from "./controller";

const ROLES: Record<string, string> = {
  kernel: "kernel",
  device_work: "device",
  api_call: "API call",
  op: "op",
  layer: "layer",
  iteration: "iteration",
  forward: "forward",
  backward: "backward",
  launched: "launched",
  range: "range",
  python: "Python",
  call: "call",
};
// Numbers of rows, and what the head of the pane says already.
const HIDDEN = new Set(["id", "track", "op_id", "op_span", "launch_id", "parent_op", "forward_op", "name", "begin_ns", "dur_ns", "end_ns", "iteration", "call_chain"]);
const LAUNCHED_SHOWN = 8;

const DIRECTIONS: Readonly<Record<string, string>> = { fprop: "forward", bprop: "backward", dataload: "data loading" };

function text(key: string, value: Cell, unit: Unit): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  // Numbers without a unit are mostly ids: no commas.
  if (typeof value === "number" && unit === "none") return Number.isInteger(value) ? String(value) : value.toFixed(2);
  if (typeof value === "number") return formatValue(value, unit);
  if (key === "direction") return DIRECTIONS[String(value)] ?? String(value);
  if (key === "shapes" || key === "strides") return formatShapes(String(value));
  if (key === "dtypes") return formatTypes(String(value));
  return String(value);
}

const WORDS: Record<string, string> = { tc: "TC", api: "API", gpu: "GPU", cuda: "CUDA", pid: "process id", tid: "thread id" };

function label(key: string): string {
  const words = key
    .replace(/_(ns|pct)$/, "")
    .split("_")
    .map((word) => WORDS[word] ?? word)
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ChainItem({ link, current, onSelect }: { link: Link; current: boolean; onSelect: (place: Place) => void }) {
  return (
    <li aria-current={current ? "true" : undefined}>
      <span className="role">{ROLES[link.role] ?? link.role}</span>
      {link.track === null ? (
        <span className="link plain" title={link.name}>
          {link.name}
        </span>
      ) : (
        <button
          className="link"
          title={link.name}
          onClick={() => {
            onSelect(link);
          }}
        >
          {link.name}
        </button>
      )}
      {link.track !== null && <span className="num hint">{formatNs(link.dur_ns)}</span>}
    </li>
  );
}

function Facts({ event }: { event: EventAnswer }) {
  const shown = event.fields.filter((field) => field.value !== null && field.value !== "" && !HIDDEN.has(field.key));
  return (
    <dl className="facts">
      {shown.map((field) => (
        <div key={field.key} title={field.help}>
          <dt>{label(field.key)}</dt>
          <dd title={typeof field.value === "number" ? exactValue(field.value, field.unit) : undefined}>
            {text(field.key, field.value, field.unit)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

// Its row in the table that has this kind of event; of an iteration outside of the range, in a table of that alone.
function TableLink({ event, role }: { event: EventAnswer; role: string }) {
  const { params } = useRoute();
  const range = useSummary().data?.range;
  const cut = useCut();
  if (role !== "kernel" && role !== "op") return null;
  const field = (key: string) => String(event.fields.find((each) => each.key === key)?.value ?? "");
  const kernel = [field("rank"), field("device"), field("stream"), String(event.event.begin_ns), field("correlation")].join("~");
  const [view, row] = role === "kernel" ? ["kernels", { tab: "launches", sort: "gpu_start_ns:asc", sel: kernel }] : ["ops", { sel: field("op_id") }];
  const iteration = Number(field("iteration") || "-1");
  const inside = !range || range.start === null || range.stop === null || (iteration >= range.start && iteration <= range.stop && !range.left_out.includes(iteration));
  const elsewhere = inside || iteration < 0 ? {} : { ...NO_RANGE, ...cut, iter_start: iteration, iter_stop: iteration };
  return (
    <a className="button small" href={linkTo(view, params, { ...elsewhere, ...row, reveal: 1 })}>
      Show in table
    </a>
  );
}

// What called it, as the source tells it of single calls.
function CallChain({ event }: { event: EventAnswer }) {
  const chain = event.fields.find((field) => field.key === "call_chain")?.value;
  if (typeof chain !== "string" || chain === "") return null;
  return (
    <section className="called-from" aria-label="Called from">
      <h3>Called from</h3>
      <Stack frames={chain.split("\n")} />
    </section>
  );
}

function didOf(part: Part): string {
  if (part.last) return `came last, ${formatNs(part.dur_ns)}`;
  return part.waiting_ns === null ? formatNs(part.dur_ns) : `waited ${formatNs(part.waiting_ns)} of ${formatNs(part.dur_ns)}`;
}

// The collective on the other ranks, each of which can be gone to.
function Parts({ together, selected, onSelect }: { together: Together; selected: Place; onSelect: (place: Place) => void }) {
  return (
    <section aria-label="On all ranks">
      <h3>On {together.parts.length} ranks</h3>
      <ol className="tl-chain">
        {together.parts.map((part) => (
          <li key={`${String(part.rank)} ${String(part.track)}`} aria-current={part.track === selected.track ? "true" : undefined}>
            <span className="role">rank {part.rank}</span>
            {part.span < 0 ? (
              <span className="link plain">{didOf(part)}</span>
            ) : (
              <button
                className="link"
                title={part.name}
                onClick={() => {
                  onSelect(part);
                }}
              >
                {didOf(part)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Details({ controller, selected, event, together }: { controller: Controller; selected: Place; event: EventAnswer | null; together: Together | null }) {
  const select = (place: Place) => {
    controller.select(place, true);
  };
  const chain = event?.chain.filter((link) => link.role !== "launched") ?? [];
  const launched = event?.chain.filter((link) => link.role === "launched") ?? [];
  return (
    <aside className="details tl-details" aria-label="Details of the selected event">
      <header>
        <h2>{selected.name || "…"}</h2>
        <button
          className="icon-button"
          aria-label="Close details"
          onClick={() => {
            controller.select(null);
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="details-body">
        <div className="details-actions">
          <button
            className="button small"
            onClick={() => {
              controller.zoomToSelected();
            }}
          >
            Zoom to it
          </button>
          {event && <TableLink event={event} role={chain[0]?.role ?? ""} />}
        </div>
        <dl className="facts">
          <div>
            <dt>Kind</dt>
            <dd>{selected.kind.replaceAll("_", " ")}</dd>
          </div>
          <div>
            <dt>Begin</dt>
            <dd title={exactValue(selected.begin_ns, "ns")}>{formatMoment(selected.begin_ns)}</dd>
          </div>
          <div>
            <dt>Duration</dt>
            <dd title={exactValue(selected.dur_ns, "ns")}>{formatNs(selected.dur_ns)}</dd>
          </div>
        </dl>
        {event && together && <Parts together={together} selected={selected} onSelect={select} />}
        {event && chain.length > 1 && (
          <>
            <h3>From here to its iteration</h3>
            <ol className="tl-chain">
              {chain.map((link, i) => (
                <ChainItem key={i} link={link} current={i === 0} onSelect={select} />
              ))}
            </ol>
          </>
        )}
        {event && launched.length > 0 && (
          <>
            <h3>
              Launched {event.launched_in_all > LAUNCHED_SHOWN ? `(first ${String(Math.min(LAUNCHED_SHOWN, launched.length))} of ${String(event.launched_in_all)})` : ""}
            </h3>
            <ol className="tl-chain">
              {launched.slice(0, LAUNCHED_SHOWN).map((link, i) => (
                <ChainItem key={i} link={link} current={false} onSelect={select} />
              ))}
            </ol>
          </>
        )}
        {event ? (
          <>
            <h3>Facts</h3>
            <Facts event={event} />
            <CallChain event={event} />
          </>
        ) : (
          <div className="skeleton" />
        )}
      </div>
    </aside>
  );
}
