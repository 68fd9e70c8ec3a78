// Bus bandwidth of collectives against their size, under the peak of their link. Each point is a row of the table below it.
import { useState } from "react";
import { useHidden } from "../../address/useHidden";
import type { Params } from "../../api/client";
import { useTable } from "../../api/queries";
import { rowsOf } from "../../table/row";
import { formatBytes, formatCount, formatPercent } from "../../widgets/format";
import { LegendButton } from "../../widgets/LegendItem";
import { Answered } from "../../widgets/states";
import { along, bounds, hideKey, pathOf, powersIn } from "../../widgets/marks";
import { useWidth } from "../../widgets/useWidth";
import { peaksOf, pointsOf, shapesOf, type ScatterPoint } from "./scatter";

const HEIGHT = 300;
const LEFT = 88;
const RIGHT = 34;
const TOP = 16;
const BOTTOM = 42;

const STEP = 4; // from one power of an axis to the next
const rateText = (rate: number): string => `${formatBytes(rate)}/s`;

function about(point: ScatterPoint): string {
  const peak = point.peak === null ? "" : `, ${formatPercent((100 * point.rate) / point.peak)} of the peak of ${point.link || "the link"}`;
  const group = point.group ? ` of group ${point.group}` : "";
  return `${point.kind}${group}, ${formatBytes(point.bytes)}, ${formatCount(point.count)} times: ${rateText(point.rate)}${peak}`;
}

function Plot({ points, shapes }: { points: readonly ScatterPoint[]; shapes: ReturnType<typeof shapesOf> }) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const [over, setOver] = useState<ScatterPoint | null>(null);
  const peaks = peaksOf(points);
  const across = bounds(points.map((point) => point.bytes), STEP);
  const up = bounds([...points.map((point) => point.rate), ...peaks.map((peak) => peak.rate)], STEP);
  const x = (bytes: number) => LEFT + along(bytes, across) * (width - LEFT - RIGHT);
  const y = (rate: number) => HEIGHT - BOTTOM - along(rate, up) * (HEIGHT - TOP - BOTTOM);
  return (
    <div className="scatter" ref={holder}>
      {width > 0 && (
        <svg width="100%" height={HEIGHT} role="group" aria-label={`Bus bandwidth against size: ${String(points.length)} points; the table below has the same numbers`}>
          {powersIn(across, STEP, (width - LEFT - RIGHT) / 70).map((bytes) => (
            <g key={bytes}>
              <line className="axis-line" x1={x(bytes)} x2={x(bytes)} y1={TOP} y2={HEIGHT - BOTTOM} />
              <text className="axis-text middle" x={x(bytes)} y={HEIGHT - BOTTOM + 16}>
                {formatBytes(bytes).replace(/\.0+ /, " ")}
              </text>
            </g>
          ))}
          {powersIn(up, STEP, 7).map((rate) => (
            <g key={rate}>
              <line className="axis-line" x1={LEFT} x2={width - RIGHT} y1={y(rate)} y2={y(rate)} />
              <text className="axis-text end" x={LEFT - 8} y={y(rate) + 4}>
                {rateText(rate).replace(/\.0+ /, " ")}
              </text>
            </g>
          ))}
          <text className="axis-text middle" x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6}>
            size of the collective
          </text>
          {peaks.map((peak) => (
            <g key={peak.link}>
              <line className="roof" x1={LEFT} x2={width - RIGHT} y1={y(peak.rate)} y2={y(peak.rate)} />
              <text className="axis-text end roof-name" x={width - RIGHT - 4} y={y(peak.rate) - 5}>
                peak of {peak.link || "the link"}: {rateText(peak.rate)}
              </text>
            </g>
          ))}
          {points.map((point) => {
            const { shape, color } = shapes.get(point.kind) ?? { shape: "circle", color: 0 };
            return (
              <path
                key={point.key}
                className={`scatter-point k-${String(color)}`}
                d={pathOf(shape, x(point.bytes), y(point.rate), 5.5)}
                role="img"
                tabIndex={0}
                aria-label={about(point)}
                onPointerEnter={() => {
                  setOver(point);
                }}
                onPointerLeave={() => {
                  setOver(null);
                }}
                onFocus={() => {
                  setOver(point);
                }}
                onBlur={() => {
                  setOver(null);
                }}
              />
            );
          })}
        </svg>
      )}
      <p className="heat-said" role="status">
        {over ? about(over) : "Point at a mark, or go to it with Tab, to read it."}
      </p>
    </div>
  );
}

// `table`: whose rows are the points; `params`: of which rows, where not all.
export function Scatter({ table: name, params }: { table: string; params: Params }) {
  const [hidden] = useHidden();
  return (
    <Answered answer={useTable(name, params)} what="the collectives" rows={6}>
      {(table) => {
        const { points, left } = pointsOf(rowsOf(table));
        if (points.length === 0)
          return (
            <p className="quiet scatter-none">
              No collective has both a size and a rate. A rate is known where all ranks of a collective were recorded and the source tells how much it moves.
            </p>
          );
        const shapes = shapesOf(points);
        return (
          <>
            <Plot points={points.filter((point) => !hidden.has(hideKey(point.kind)))} shapes={shapes} />
            <ul className="legend inline">
              {[...shapes].map(([kind, { shape, color }]) => (
                <li key={kind}>
                  <LegendButton
                    id={hideKey(kind)}
                    name={kind}
                    swatch={
                      <svg width="14" height="14" aria-hidden="true">
                        <path className={`scatter-point k-${String(color)}`} d={pathOf(shape, 7, 7, 4.5)} />
                      </svg>
                    }
                  />
                </li>
              ))}
            </ul>
            {peaksOf(points).length === 0 && <p className="hint">The peak of the link is not known, so none is drawn.</p>}
            {left > 0 && <p className="hint">{formatCount(left)} rows of the table have no size or no rate, and no mark here.</p>}
            {table.rows.length < table.rows_matching && <p className="hint">Of {formatCount(table.rows_matching)} rows the first {formatCount(table.rows.length)} are drawn.</p>}
          </>
        );
      }}
    </Answered>
  );
}
