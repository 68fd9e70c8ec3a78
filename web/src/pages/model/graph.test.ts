import { describe, expect, it } from "vitest";
import type { ModelAnswer, ModelItem } from "../../api/types";
import { carried, centred, fillOf, fitted, HEIGHT, liesIn, mostOf, opening, toDrawing, toggled, toLayout, widthOf, zoomed } from "./graph";

const sums = { nodes: 1, matched: 1, calls: 1, gpu_ns: 0, backward_gpu_ns: 0, cpu_ns: 0, backward_cpu_ns: 0, tc_using: 0, tc_eligible: 0, tc_not_eligible: 0, tc_unknown: 0, macs: 0, flops: 0, parameters: 0, bound_ns: null };

const item = (id: string, parent: string | null, open = false, gpu = 0): ModelItem => ({
  id,
  parent,
  group: id.startsWith("g"),
  open,
  label: id,
  name: id,
  op_type: "Conv",
  shape: null,
  layer: null,
  matched: "name",
  op_id: null,
  op_name: null,
  begin_ns: null,
  dur_ns: null,
  share_pct: null,
  tensor_cores: null,
  limiter: null,
  sums: { ...sums, gpu_ns: gpu },
});

const answer: ModelAnswer = {
  model: null,
  items: [item("g0", null, true, 90), item("g1", "g0", true, 60), item("g2", null, false, 10), item("n0", "g1", false, 40), item("n1", "g0", false, 30)],
  edges: [
    { from: "n0", to: "n1", tensors: 1, shape: null },
    { from: "n1", to: "g2", tensors: 2, shape: null },
  ],
  cut: false,
  range: { source: "", confidence: 1, start: 0, stop: 0, total: 0, selected: 0, description: "", whole: false, left_out: [], notes: [] },
};

describe("the graph of a model", () => {
  it("is laid out with open groups around what is in them", () => {
    const layout = toLayout(answer);
    expect(layout.children?.map((box) => box.id)).toEqual(["g0", "g2"]);
    expect(layout.children?.[0]?.children?.map((box) => box.id)).toEqual(["g1", "n1"]);
    expect(layout.children?.[1]).toMatchObject({ width: widthOf(item("g2", null, false, 10)), height: HEIGHT });
    expect(layout.edges?.map((edge) => [edge.sources[0], edge.targets[0]])).toEqual([["n0", "n1"], ["n1", "g2"]]);
  });

  it("is drawn from the corner of the page, groups first", () => {
    const drawing = toDrawing(answer, {
      id: "root",
      width: 300,
      height: 200,
      children: [{ id: "g0", x: 10, y: 20, width: 100, height: 90, children: [{ id: "n1", x: 5, y: 6, width: 40, height: 44 }] }],
      edges: [{ id: "e0", sources: ["n0"], targets: ["n1"], container: "g0", sections: [{ startPoint: { x: 1, y: 2 }, endPoint: { x: 3, y: 4 } }] }],
    });
    expect(drawing.boxes.map((box) => [box.item.id, box.x, box.y])).toEqual([["g0", 10, 20], ["n1", 15, 26]]);
    expect(drawing.lines).toEqual([{ id: "e0-0", path: "M11 22L13 24" }]);
  });

  it("is coloured by the part of the most that a closed item took", () => {
    const most = mostOf(answer, true);
    expect(most).toEqual({ group: 10, node: 40 });
    expect(fillOf(item("g5", null, false, 10), "time", most, true)).toBe("heat-5");
    expect([40, 20, 1, 0].map((ns) => fillOf(item("n5", null, false, ns), "time", most, true))).toEqual(["heat-5", "heat-3", "heat-1", "heat-0"]);
    expect(fillOf({ ...item("n5", null), tensor_cores: "eligible" }, "tc", most, true)).toBe("tc-eligible");
    expect(fillOf(item("n5", null), "limiter", most, true)).toBe("limit-none");
  });

  it("closes a group with all groups in it", () => {
    expect(toggled(answer, item("g2", null))).toBe("0,1,2");
    expect(toggled(answer, item("g1", "g0", true))).toBe("0");
    expect(toggled(answer, item("g0", null, true))).toBe("");
  });

  it("knows what lies in a group", () => {
    expect(["g0", "g1", "n0", "n1"].filter((id) => liesIn(answer, id, "g1"))).toEqual(["g1", "n0"]);
    expect(liesIn(answer, "n0", "g0")).toBe(true);
    expect(liesIn(answer, "g2", "g0")).toBe(false);
    expect(liesIn(answer, null, "g0")).toBe(false);
  });

  it("zooms about a point, and shows all of it", () => {
    const view = zoomed({ x: 10, y: 20, scale: 1 }, 2, { x: 50, y: 60 });
    expect(view).toEqual({ x: -30, y: -20, scale: 2 });
    expect(fitted({ width: 1000, height: 100 }, 500, 400)).toEqual({ x: 0, y: 175, scale: 0.5 });
  });

  it("begins where names can be read, and keeps an opened group in its place", () => {
    expect(opening({ width: 400, height: 300 }, 500, 400)).toEqual(fitted({ width: 400, height: 300 }, 500, 400));
    expect(opening({ width: 400, height: 30000 }, 500, 400)).toEqual({ x: 100, y: 0, scale: 0.75 });
    const drawn = (x: number, y: number, open: boolean) => ({ width: 0, height: 0, lines: [], boxes: [{ item: { ...item("g0", null), open }, x, y, width: 100, height: 44 }] });
    const view = { x: 10, y: 20, scale: 1 };
    expect(carried(drawn(0, 0, false), drawn(50, 300, false), view)).toBeNull();
    expect(carried(drawn(0, 100, false), drawn(50, 300, true), view)).toEqual({ x: -40, y: -180, scale: 1 });
  });

  it("brings a box into view, unless it is there", () => {
    const box = { item: item("n1", null), x: 100, y: 1000, width: 100, height: 44 };
    expect(centred(box, { x: 0, y: -900, scale: 1 }, 500, 400)).toBeNull();
    expect(centred(box, { x: 0, y: 0, scale: 0.5 }, 500, 400)).toEqual({ x: 175, y: -311, scale: 0.5 });
  });
});
