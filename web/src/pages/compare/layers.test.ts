import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { Row } from "../../table/row";
import { blocksOf, findLayer, layerPair, mostOf, nameOf, shadeOf } from "./layers";
import { pickOf, pickOfRow, pickText } from "./pick";

// A model whose second block was renamed and got slower, and whose head is gone.
const layers = {
  columns: ["base_layer", "new_layer", "base_gpu_ns", "new_gpu_ns"].map((key) => ({ key, header: key, unit: "none" })),
  rows: [
    ["/", "/", 5, 5],
    ["/M/B_0", "/M/B_0", 100, 100],
    ["/M/B_1/Linear", "/M/Block_1/Linear", 50, 90],
    ["/M/Head", null, 30, null],
  ],
} as unknown as Table;

describe("the layers of two runs", () => {
  const pair = layerPair(layers, "gpu");

  it("add up to their parents on each side", () => {
    expect([pair.base.ns, pair.new.ns]).toEqual([185, 195]);
    expect(findLayer(pair.base, "/M")?.ns).toBe(180);
    expect(findLayer(pair.new, "/M")?.ns).toBe(190);
  });

  it("know what belongs to them, also where only what is in them has rows", () => {
    expect(findLayer(pair.base, "/M/B_1")?.other).toBe("/M/Block_1");
    expect(findLayer(pair.new, "/M/Block_1")?.other).toBe("/M/B_1");
    expect(findLayer(pair.base, "/M/Head")?.other).toBeNull();
  });

  it("say how many they are where a loop calls one in their place", () => {
    const unrolled = {
      columns: ["base_layer", "new_layer", "base_gpu_ns", "new_gpu_ns", "base_layers", "new_layers"].map((key) => ({ key, header: key, unit: "none" })),
      rows: [["/block/linear", "/blocks/0/linear", 300, 300, 1, 3]],
    } as unknown as Table;
    const { base, new: next } = layerPair(unrolled, "gpu");
    const name = (root: typeof base, path: string) => {
      const found = findLayer(root, path);
      return found && nameOf(found);
    };
    expect(name(base, "/block/linear")).toBe("linear");
    expect(name(next, "/blocks/0/linear")).toBe("linear and 2 more");
    expect(name(next, "/blocks")).toBe("blocks");
  });

  it("are as wide as their time, and coloured by their difference", () => {
    const before = blocksOf(pair, "base", 200, 0);
    const block = before.find((each) => each.layer.path === "/M/B_1");
    expect([block?.width, block?.x, block?.change]).toEqual([0.25, 0.5, 40]);
    expect(mostOf(pair)).toBe(40);
    const shade = (path: string) => before.filter((each) => each.layer.path === path).map((each) => shadeOf(each, "base", 40));
    expect(shade("/M/B_1")).toEqual([3]);
    expect(shade("/M/B_0")).toEqual([0]);
    expect(shade("/M/Head")).toEqual([-3]);
    const same = blocksOf(pair, "new", 200, 0).find((each) => each.layer.path === "/M/B_0");
    expect(same?.change, "not -0").toBe(0);
  });
});

describe("what is picked", () => {
  it("comes back from the address as it went in", () => {
    for (const pick of [
      { what: "layer", base: "/M/a:b 100%", new: null },
      { what: "op", base: "3", new: "17" },
    ] as const) {
      expect(pickOf(pickText(pick))).toEqual(pick);
    }
    for (const wrong of [null, "", "op::", "op:x:1", "row:1:2", "layer:1"]) expect(pickOf(wrong)).toBeNull();
  });

  it("is an op or a layer of a row, or nothing", () => {
    const table = { columns: ["base_op_id", "new_op_id"].map((key) => ({ key, header: key, unit: "count" })), rows: [[4, null], [null, null]] } as unknown as Table;
    expect(table.rows.map((cells) => pickOfRow(new Row(table, cells), "ops"))).toEqual(["op:4:", null]);
    expect(pickOfRow(new Row(layers, layers.rows[2] ?? []), "layers")).toBe("layer:%2FM%2FB_1%2FLinear:%2FM%2FBlock_1%2FLinear");
  });
});
