import type { Table } from "../../api/types";
import { exactValue, formatValue } from "../../widgets/format";
import { stepsOf, type Step } from "./waterfall";

const kindOf = ({ change }: Step): string => (change === null ? "whole" : change > 0 ? "more" : "less");
const textOf = ({ change, to }: Step): string => (change === null ? formatValue(to, "ns") : `${change > 0 ? "+" : ""}${formatValue(change, "ns")}`);

// From the mean time before to that after: what each class of the budget adds or takes.
export function Waterfall({ budget }: { budget: Table }) {
  const steps = stepsOf(budget);
  const most = Math.max(1, ...steps.map(({ from, to }) => Math.max(from, to)));
  const place = (ns: number): string => `${String((100 * ns) / most)}%`;
  return (
    <ul className="waterfall" aria-label="From before to after, by class of the time budget">
      {steps.map((step) => (
        <li key={step.name} title={`${step.name}: ${exactValue(step.change ?? step.to, "ns")}`}>
          <span className="waterfall-name">{step.name}</span>
          <span className="waterfall-track" aria-hidden="true">
            <span
              className={`waterfall-step ${kindOf(step)}`}
              style={{ left: place(Math.min(step.from, step.to)), width: place(Math.abs(step.to - step.from)) }}
            />
          </span>
          <span className="waterfall-value">{textOf(step)}</span>
        </li>
      ))}
    </ul>
  );
}
