// A row for each layer, a column for each parameter: each column is coloured from 0 to its own greatest value.
import { cellText, headText } from "../../table/cells";
import { colorAt } from "../ranks/heat";
import { inkOn, strength, type Grid } from "./grid";

export function HeatTable({ grid, label, chosen, choose }: { grid: Grid; label: string; chosen: string | null; choose: (key: string) => void }) {
  return (
    <div className="micro-scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="micro-heat">
        <thead>
          <tr>
            <th scope="col" className="micro-name">
              Name
            </th>
            {grid.parameters.map(({ column }) => (
              <th key={column.key} scope="col">
                <button
                  type="button"
                  className={column.key === chosen ? "micro-head chosen" : "micro-head"}
                  title={column.description ?? column.header}
                  aria-pressed={column.key === chosen}
                  onClick={() => {
                    choose(column.key);
                  }}
                >
                  {headText(column)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grid.rows.map(({ name, row }) => (
            <tr key={name}>
              <th scope="row" className="micro-name" title={name}>
                {name}
              </th>
              {grid.parameters.map((parameter) => {
                const { column } = parameter;
                const value = row.number(column.key);
                const part = strength(parameter, value);
                const text = value === null ? "-" : cellText(column, value);
                return (
                  <td
                    key={column.key}
                    className={part === null ? "micro-none" : undefined}
                    style={part === null ? undefined : { background: colorAt(part), color: inkOn(part) }}
                    title={`${name}, ${headText(column)}: ${value === null ? "not known" : text}. ${column.description ?? ""}`}
                  >
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
