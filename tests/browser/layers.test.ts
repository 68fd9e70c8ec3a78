// The table of layers is a tree, and does what all tables do.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { report } from "./opsight";
import { fileOf, numberOf, useSite } from "./page";

const site = useSite();
const layers = () => site().table("layers");
const groups = () => report(fileOf("training"), "group_op");
const names = () => layers().column("name");
const parent = (name: string) => name.slice(0, Math.max(1, name.lastIndexOf("/")));

describe("the tree of layers", () => {
  it("is sorted within siblings", async () => {
    await site().show("layers");
    for (const order of ["desc", "asc"]) {
      await layers().sortBy("forward_cpu_time_ns");
      const rows = await layers().rows();
      const first = rows.filter((row) => parent(row.name ?? "") === "/ResNet" && row.name !== "/ResNet").map((row) => numberOf(row.forward_cpu_time_ns ?? ""));
      expect(first.length).toBeGreaterThan(2);
      expect(first).toEqual([...first].sort((a, b) => (order === "desc" ? b - a : a - b)));
      const all = rows.map((row) => row.name ?? "");
      for (const name of all) if (name !== "/") expect(all.indexOf(parent(name)), name).toBeLessThan(all.indexOf(name));
    }
  });

  it("keeps the ancestors of what a filter leaves, and counts them", async () => {
    await site().show("layers");
    await layers().filter("name", "conv2");
    const shown = await names();
    const found = groups().map((row) => String(row.name)).filter((name) => name.includes("conv2"));
    expect(found.length).toBeGreaterThan(1);
    for (const name of found) {
      for (let at = name; at !== "/"; at = parent(at)) expect(shown).toContain(at);
    }
    const context = await layers().root.locator("tbody tr.context").count();
    expect(shown.length - context).toBe(found.length);
    expect(await layers().count()).toContain(`(${String(groups().length)} in all)`);
  });

  it("pages, and shows the columns that the address names", async () => {
    await site().show("layers?size=25&filter=calls:ge:1");
    const all = groups().length;
    expect(all).toBeGreaterThan(25);
    expect((await names()).length).toBe(25);
    await site().click(layers().root.getByRole("button", { name: "Page on" }));
    expect((await names()).length).toBe(all - 25);
    await site().show("layers?cols=name,max_cpu_time_ns");
    expect(Object.keys((await layers().rows())[0] ?? {})).toEqual(["name", "max_cpu_time_ns"]);
  });

  it("is exported as CSV and JSON, all of what matches", async () => {
    await site().show("layers?filter=name:contains:conv2");
    const found = groups().filter((row) => String(row.name).includes("conv2"));
    for (const kind of ["CSV", "JSON"]) {
      await site().click(layers().root.getByRole("button", { name: "Export all matching rows" }));
      const [download] = await Promise.all([site().page.waitForEvent("download"), layers().root.getByRole("button", { name: kind, exact: true }).click()]);
      expect(download.suggestedFilename()).toBe(`training Layers.${kind.toLowerCase()}`);
      const text = readFileSync(await download.path(), "utf8");
      if (kind === "CSV") expect(text.trim().split("\n").length).toBe(found.length + 1);
      else expect(new Set((JSON.parse(text) as { name: string }[]).map((row) => row.name))).toEqual(new Set(found.map((row) => row.name)));
    }
  });

  it("leads from a layer to where it runs first", async () => {
    await site().show("layers?sel=%2FResNet%2Flayer2");
    const details = site().page.getByRole("complementary");
    await site().click(details.getByRole("link", { name: "Find in timeline" }));
    expect(await site().page.getByRole("heading", { level: 1 }).textContent()).toBe("Timeline");
    const chain = site().page.locator(".tl-chain");
    expect(await chain.textContent()).toContain("ResNet/layer2");
  });
});
