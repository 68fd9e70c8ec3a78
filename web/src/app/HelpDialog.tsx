import { useViewsShown } from "./home";
import { Dialog } from "../widgets/Dialog";

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="keys">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}

const GENERAL = [
  { keys: ["?"], does: "this help" },
  { keys: ["/"], does: "search in the table, or in the timeline" },
  { keys: ["Esc"], does: "close what is open: menu, details, help" },
  { keys: ["t"], does: "light or dark theme" },
  { keys: ["Alt", "←"], does: "back to where you were (every step is an address)" },
] as const;

const TABLES = [
  { keys: ["↑", "↓"], does: "row up, row down" },
  { keys: ["Home", "End"], does: "first row, last row of the page" },
  { keys: ["PgUp", "PgDn"], does: "page back, page on" },
  { keys: ["Enter"], does: "select the row: show its details" },
  { keys: ["←", "→"], does: "close, open a group in a tree" },
  { keys: ["Shift", "← →"], does: "on a column's head: narrower, wider; also drag its border" },
] as const;

const TIMELINE = [
  { keys: ["w", "s"], does: "zoom in, zoom out; also the wheel with Ctrl, or over the ruler" },
  { keys: ["a", "d"], does: "move left, move right; also drag, or the wheel with Shift" },
  { keys: ["←", "→"], does: "select the event before, after" },
  { keys: ["↑", "↓"], does: "select what calls it, what it calls first" },
  { keys: ["f"], does: "zoom to the selected event" },
  { keys: ["0"], does: "the whole run" },
  { keys: ["Shift", "drag"], does: "choose a stretch of time: sums by name; also drag on the ruler" },
  { keys: ["Enter"], does: "in the search: next match; with Shift the one before" },
] as const;

function Part({ title, lines }: { title: string; lines: readonly { keys: readonly string[]; does: string }[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="key-list">
        {lines.map((line) => (
          <div key={line.does}>
            <dt>
              <Keys keys={line.keys} />
            </dt>
            <dd>{line.does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const pages = useViewsShown();
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="help-columns">
        <div>
          <Part title="Everywhere" lines={GENERAL} />
          <Part title="In tables" lines={TABLES} />
          {pages.some((page) => page.id === "timeline") && <Part title="In the timeline" lines={TIMELINE} />}
        </div>
        <Part title="Go to" lines={pages.map((page) => ({ keys: ["g", page.key], does: page.title }))} />
      </div>
    </Dialog>
  );
}
