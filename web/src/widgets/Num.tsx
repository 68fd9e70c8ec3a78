import { exactValue, formatValue, type Unit } from "./format";

// A number with a unit that fits its size; the exact value on hover. Not known: a dash.
export function Num({ value, unit }: { value: number | null | undefined; unit: Unit }) {
  if (value === null || value === undefined) {
    return (
      <span className="num none" title="not known">
        –
      </span>
    );
  }
  return (
    <span className="num" title={exactValue(value, unit)}>
      {formatValue(value, unit)}
    </span>
  );
}
