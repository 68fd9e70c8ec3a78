// Small multiples: one picture for each parameter, with a bar for each layer in the same order, as studies of layers draw them.
import { cellText, headText } from "../../table/cells";
import { strength, type Grid, type Parameter } from "./grid";

const HEIGHT = 64;

function One({ grid, parameter }: { grid: Grid; parameter: Parameter }) {
  const { column } = parameter;
  const wide = 100 / Math.max(grid.rows.length, 1);
  const known = grid.rows.filter(({ row }) => row.number(column.key) !== null).length;
  return (
    <figure className="micro-one">
      <figcaption title={column.description}>{headText(column)}</figcaption>
      <svg viewBox={`0 0 100 ${String(HEIGHT)}`} preserveAspectRatio="none" role="img" aria-label={`${headText(column)} of ${String(known)} of ${String(grid.rows.length)} rows, at most ${cellText(column, parameter.most)}`}>
        {grid.rows.map(({ name, row }, at) => {
          const value = row.number(column.key);
          const part = strength(parameter, value);
          const title = `${name}: ${value === null ? "not known" : cellText(column, value)}`;
          const high = part === null ? HEIGHT : Math.max(part * HEIGHT, value === 0 ? 0 : 1);
          return (
            <rect key={name} x={at * wide} y={HEIGHT - high} width={wide * 0.85} height={high} className={part === null ? "micro-unknown" : "micro-bar"}>
              <title>{title}</title>
            </rect>
          );
        })}
      </svg>
      <span className="micro-most">up to {cellText(column, parameter.most)}</span>
    </figure>
  );
}

export function Multiples({ grid }: { grid: Grid }) {
  return (
    <div className="micro-multiples">
      {grid.parameters.map((parameter) => (
        <One key={parameter.column.key} grid={grid} parameter={parameter} />
      ))}
    </div>
  );
}
