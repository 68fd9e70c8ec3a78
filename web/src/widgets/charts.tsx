// Small pictures of a few numbers, as SVG in the colours of the theme.
import { useHidden } from "../address/useHidden";
import { exactValue, formatValue, isOpenShare, ringText, type Unit } from "./format";
import { LegendItem } from "./LegendItem";

export interface Part {
  key: string; // names the colour: .c-KEY
  name: string;
  value: number;
}

const RADIUS = 42;
const AROUND = 2 * Math.PI * RADIUS;

// One percentage as a ring.
// `most`: where the value is known within bounds only, `percent` is the lower and this the upper one.
export function Donut({ percent, most = null, label, size = 112 }: { percent: number | null; most?: number | null; label: string; size?: number }) {
  const around = (share: number) => (Math.min(100, Math.max(0, share)) / 100) * AROUND;
  const filled = around(percent ?? 0);
  const open = isOpenShare(percent, most);
  const text = ringText(percent, most);
  return (
    <svg className="donut" width={size} height={size} viewBox="0 0 100 100" role="img" aria-label={`${label}: ${text}`}>
      <title>{percent === null ? "not known" : open ? `${exactValue(percent, "percent")} to ${exactValue(most, "percent")}: kernels of unknown use are open` : exactValue(percent, "percent")}</title>
      <circle className="donut-rest" cx="50" cy="50" r={RADIUS} />
      {open && <circle className="donut-open" cx="50" cy="50" r={RADIUS} strokeDasharray={`${String(around(most))} ${String(AROUND)}`} />}
      {filled > 0 && (
        <circle className="donut-part" cx="50" cy="50" r={RADIUS} strokeDasharray={`${String(filled)} ${String(AROUND)}`} />
      )}
      <text x="50" y="50" className={text.length > 6 ? "donut-text longest" : text.length > 5 ? "donut-text long" : "donut-text"}>
        {text}
      </text>
    </svg>
  );
}

// Parts of a whole in one bar, with what each is below it.
export function ShareBar({ parts, unit, label }: { parts: readonly Part[]; unit: Unit; label: string }) {
  const [hidden] = useHidden();
  const shown = parts.filter((part) => !hidden.has(part.key));
  const whole = shown.reduce((sum, part) => sum + part.value, 0);
  let at = 0;
  return (
    <div className="share">
      <svg className="share-bar" viewBox="0 0 1000 36" preserveAspectRatio="none" role="img" aria-label={label}>
        {whole > 0 &&
          shown.map((part) => {
            const x = (at / whole) * 1000;
            at += part.value;
            return (
              <rect key={part.key} className={`fill c-${part.key}`} x={x} y="0" width={(part.value / whole) * 1000} height="36">
                <title>{`${part.name}: ${exactValue(part.value, unit)}`}</title>
              </rect>
            );
          })}
      </svg>
      <ul className="legend">
        {parts.map((part) => (
          <LegendItem key={part.key} id={part.key} name={part.name} zero={part.value === 0}>
            <b title={exactValue(part.value, unit)}>{formatValue(part.value, unit)}</b>
          </LegendItem>
        ))}
      </ul>
    </div>
  );
}

// A bar behind a number: how it compares with the greatest one.
export function Bar({ value, most, kind = "gpu" }: { value: number; most: number; kind?: string }) {
  const width = most > 0 ? Math.max(0, Math.min(100, (value / most) * 100)) : 0;
  return (
    <span className="bar" aria-hidden="true">
      <span className={`bar-fill c-${kind}`} style={{ width: `${String(width)}%` }} />
    </span>
  );
}
