import { describe, expect, it } from "vitest";
import type { SweepAnswer, Table } from "../../api/types";
import { amountTyped } from "../../table/filters";
import { byLatency, curvesAfter, curvesBefore, curvesOf, keyBefore, LATENCY, marksOf, MEMORY, predictedOf, THROUGHPUT, ticksOf } from "./curves";

const table = (name: string, keys: string[], rows: Table["rows"]) => ({ name, columns: keys.map((key) => ({ key, header: key, unit: "none" })), rows }) as unknown as Table;
const point = (batch: number, seq: number) => ({ name: `batch=${String(batch)},seq=${String(seq)}`, x: batch, work: batch, series: `seq=${String(seq)}`, profiles: [] });

const ANSWER: SweepAnswer = {
  notes: [],
  parameters: ["batch", "seq"],
  x: "batch",
  work: "batch",
  items: "batch",
  points: [point(8, 1), point(4, 1), point(4, 2), point(8, 2)],
  tables: [
    table(
      "points",
      ["batch", "runs", "latency_ns", "latency_least_ns", "latency_most_ns", "throughput_per_s", "rss_bytes"],
      [
        ["8", 3, 18, 17, 20, 444, 64],
        ["4", 1, 14, null, null, 285, 32],
        ["4", 0, null, null, null, null, null],
        ["8", 2, 30, 29, 31, 266, null],
      ],
    ),
    table("fit", ["series", "baseline_ns", "slope_ns", "holds"], [["seq=1", 10, 1, true], ["seq=2", 3, 2, false]]),
    table("curve", ["series", "knee", "saturation"], [["seq=1", 4, 8], ["seq=2", null, 8]]),
  ],
};

describe("curves of a sweep", () => {
  it("are by the other parameters, in the order of their own, without points that were not measured", () => {
    const series = curvesOf(ANSWER, LATENCY);
    expect(series.map(({ name, points }) => [name, points.map(({ x, y, spread }) => [x, y, spread])])).toEqual([
      ["seq=1", [[4, 14, null], [8, 18, [17, 20]]]],
      ["seq=2", [[8, 30, [29, 31]]]],
    ]);
    expect(series[0]?.points[0]?.about).toBe("batch=4,seq=1: 14 ns an iteration, measured once");
    expect(series[0]?.points[1]?.about).toBe("batch=8,seq=1: 18 ns an iteration, 17 ns to 20 ns over 3 runs");
    expect(ticksOf(series).map(({ text }) => text)).toEqual(["4", "8"]);
  });

  it("have a spread only where the table has one, and the memory that was told", () => {
    expect(curvesOf(ANSWER, THROUGHPUT)[0]?.points.map(({ spread }) => spread)).toEqual([null, null]);
    expect(curvesOf(ANSWER, MEMORY).map(({ points }) => points.map(({ y }) => y))).toEqual([[32, 64]]);
  });

  it("lie by their latency where that is asked for", () => {
    const series = curvesOf(ANSWER, LATENCY, false, byLatency);
    expect(series.map(({ points }) => points.map(({ x, y }) => [x, y]))).toEqual([[[14, 14], [18, 18]], [[30, 30]]]);
    expect(ticksOf(series, LATENCY.unit).map(({ text }) => text)).toEqual(["14 ns", "18 ns", "30 ns"]);
  });

  it("have a line only where it holds, from the baseline where work is what they are over", () => {
    expect(curvesOf(ANSWER, LATENCY, true).map(({ fit }) => fit)).toEqual([[{ x: 0, y: 10 }, { x: 4, y: 14 }, { x: 8, y: 18 }], undefined]);
    const other = { ...ANSWER, work: "batch*seq" };
    expect(curvesOf(other, LATENCY, true)[0]?.fit?.map(({ x }) => x)).toEqual([4, 8]);
  });

  it("are marked where a knee or saturation is claimed, once for each place", () => {
    expect(marksOf(ANSWER)).toEqual([
      { x: 4, text: "knee: seq=1" },
      { x: 8, text: "saturated: seq=1, saturated: seq=2" },
    ]);
  });

  it("are asked with limits that have a unit", () => {
    expect([amountTyped("200ms", "ns"), amountTyped("4 GiB", "bytes"), amountTyped("1.5 s", "ns")]).toEqual([2e8, 4 * 2 ** 30, 1.5e9]);
    for (const text of ["200", "ms", "-3ms", "4GiB"]) expect(amountTyped(text, "ns"), text).toBeNull();
  });

  it("stand beside what was predicted, where that was asked for", () => {
    expect(predictedOf(ANSWER)).toEqual([]);
    const points = ANSWER.tables[0];
    if (!points) throw new Error("no points");
    const told = { ...points, columns: [...points.columns, { key: "predicted_ns", header: "Predicted", unit: "ns" }], rows: points.rows.map((row, at) => [...row, at === 1 ? null : 7]) } as typeof points;
    expect(predictedOf({ ...ANSWER, tables: [told] }).map(({ name, points: all }) => [name, all.map(({ key, y, about }) => [key, y, about])])).toEqual([
      ["predicted least: seq=1", [["predicted batch=8,seq=1", 7, "batch=8,seq=1: 7 ns at least, as predicted"]]],
      ["predicted least: seq=2", [["predicted batch=4,seq=2", 7, "batch=4,seq=2: 7 ns at least, as predicted"], ["predicted batch=8,seq=2", 7, "batch=8,seq=2: 7 ns at least, as predicted"]]],
    ]);
  });

  it("have the names of their sweeps where two are in one picture, and keys of their own", () => {
    const one = { ...ANSWER, points: ANSWER.points.map((each) => ({ ...each, series: "" })) };
    expect(curvesAfter(one, "new", LATENCY).map(({ name }) => name)).toEqual(["new"]);
    const both = [...curvesAfter(ANSWER, "new", LATENCY), ...curvesBefore(ANSWER, "old", LATENCY)];
    expect(both.map(({ name, dotted }) => [name, dotted === true])).toEqual([["new: seq=1", false], ["new: seq=2", false], ["old: seq=1", true], ["old: seq=2", true]]);
    const keys = both.flatMap(({ points }) => points.map(({ key }) => key));
    expect(new Set(keys).size).toBe(keys.length);
    expect(both[2]?.points[0]).toMatchObject({ key: keyBefore("batch=4,seq=1"), about: "old, batch=4,seq=1: 14 ns an iteration, measured once" });
  });
});
