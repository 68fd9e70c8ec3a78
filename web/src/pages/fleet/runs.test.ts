import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { changesIn, labelsByRun, pictureOf, tellingLabels, usualLabel } from "./runs";

const table = (keys: string[], rows: Table["rows"]) => ({ columns: keys.map((key) => ({ key, header: key, unit: "none" })), rows }) as unknown as Table;
const RUNS = table(
  ["run", "name", "recorded", "labels", "iteration_ns"],
  [
    ["a", "one", "2026-03-01T10:00:00Z", "m=x", 5],
    ["b", "two", "2026-03-01T11:00:00Z", "m=x", null],
    ["c", "three", "2026-03-02T10:00:00Z", "m=y", 10],
    ["d", "four", null, null, 50],
  ],
);
const own = (labels: Record<string, string>) => Object.entries(labels).map(([label, value]) => ({ label, value }));
const labels = labelsByRun({
  runs: [
    { run: "a", labels: own({ m: "x", id: "1", all: "z" }) },
    { run: "b", labels: own({ m: "x", id: "2", all: "z" }) },
    { run: "c", labels: own({ m: "y", id: "3", all: "z" }) },
    { run: "d", labels: [] },
  ],
});

describe("runs in a picture", () => {
  it("tell labels apart that say something, and take the one whose values runs share", () => {
    expect(tellingLabels(labels)).toEqual(["id", "m"]);
    expect(usualLabel(labels)).toBe("m");
    expect(usualLabel(labelsByRun({ runs: [] }))).toBeNull();
  });

  it("are those with a time, in their order, each in the series of its value", () => {
    const picture = pictureOf(RUNS, labels, "m");
    expect(picture.series.map(({ name, points }) => [name, points.map(({ key, x, y }) => [key, x, y])])).toEqual([
      ["without the label", [["d", 2, 50]]],
      ["x", [["a", 0, 5]]],
      ["y", [["c", 1, 10]]],
    ]);
    expect(picture.left).toBe(1);
    expect(picture.spread).toBe(10);
    expect(picture.ticks).toEqual([
      { at: 0, text: "2026-03-01" },
      { at: 1, text: "2026-03-02" },
    ]);
    expect(picture.series[1]?.points[0]?.about).toContain("one, 2026-03-01T10:00:00Z, m=x: 5 ns");
  });

  it("of many values share one series beside the largest five", () => {
    const many = table(RUNS.columns.map(({ key }) => key), Array.from({ length: 9 }, (_, at) => [`r${String(at)}`, "n", null, null, at + 1]));
    const by = labelsByRun({ runs: many.rows.map((row, at) => ({ run: String(row[0]), labels: own({ v: String(at) }) })) });
    const { series } = pictureOf(many, by, "v");
    expect(series.map(({ name, points }) => [name, points.length])).toEqual([["0", 1], ["1", 1], ["2", 1], ["3", 1], ["4", 1], ["other values", 4]]);
  });

  it("are marked where the time of an iteration changed, and not where other times did", () => {
    const changes = table(["of", "run", "name"], [["iteration time", "c", "three"], ["idle", "d", "four"], ["iteration time", "b", "two"]]);
    expect(changesIn(changes, pictureOf(RUNS, labels, null))).toEqual([{ x: 1, text: "change at three" }]);
  });
});
