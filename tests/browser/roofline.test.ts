// The roofline shows what `opsight report --report roofline` says, and leads to it.
import { describe, expect, it } from "vitest";
import { report, type JsonRow } from "./opsight";
import { fileOf, has, NEEDS_CORPUS, useSite } from "./page";

const site = useSite();
const circles = () => site().page.locator(".roofline circle.point");
const number = (row: JsonRow, key: string): number => Number(row[key] ?? 0);

describe("the roofline", () => {
  it("has a circle for each op with work, higher where the rate is higher", async ({ skip }) => {
    skip(!has("gpu"), NEEDS_CORPUS);
    const sections = report<Record<string, JsonRow[]>>(fileOf("gpu"), "roofline");
    const rows = (sections.roofline ?? []).filter((row) => number(row, "intensity") > 0 && number(row, "flops_per_s") > 0);
    await site().show("roofline", "gpu");
    expect(await circles().count()).toBe(rows.length);
    const places = new Map(await circles().evaluateAll((all) => all.map((each) => [each.getAttribute("data-key") ?? "", Number(each.getAttribute("cy"))] as const)));
    const sorted = [...rows].sort((a, b) => number(a, "flops_per_s") - number(b, "flops_per_s"));
    const heights = sorted.map((row) => places.get(String(row.op_id)) ?? NaN);
    heights.forEach((height, at) => {
      if (at > 0) expect(height).toBeLessThanOrEqual((heights[at - 1] ?? 0) + 1e-6);
    });
  });

  it("leads from a circle to its row and details", async ({ skip }) => {
    skip(!has("gpu"), NEEDS_CORPUS);
    await site().show("roofline", "gpu");
    const last = circles().last(); // drawn above all others
    const key = await last.getAttribute("data-key");
    const box = await last.boundingBox();
    await site().page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
    expect(await site().page.locator(".chart-tip").count()).toBe(1);
    await site().page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
    await site().idle();
    const selected = await site().parameter("sel");
    expect(selected).toBe(key);
    expect(await site().page.getByRole("complementary").count()).toBe(1);
  });

  it("draws the levels before the memory, and says of them what is known", async ({ skip }) => {
    skip(!has("gpu"), NEEDS_CORPUS);
    const sections = report<Record<string, JsonRow[]>>(fileOf("gpu"), "roofline");
    const levels = (sections.roofline_ceilings ?? []).filter((row) => String(row.unit).startsWith("memory "));
    expect(levels.length).toBeGreaterThan(0);
    await site().show("roofline", "gpu");
    const said = (await site().page.locator(".roof-levels").textContent()) ?? "";
    for (const row of levels) expect(said).toContain(`${String(row.unit).slice("memory ".length)} ${row.bytes_per_s === null ? "not known" : ""}`);
    const known = levels.filter((row) => row.bytes_per_s !== null).length;
    expect(await site().page.locator(".roofline line.roof.level title").count()).toBeLessThanOrEqual(known);
    const boxes = await site()
      .page.locator(".roofline text.roof-name")
      .evaluateAll((all) => all.map((each) => each.textContent));
    expect(new Set(boxes).size).toBe(boxes.length);
  });

  it("names the processor that ops ran on, whose ceilings are derived", async () => {
    await site().show("roofline", "training");
    const title = await site().page.locator(".card h2").first().textContent();
    const sections = report<Record<string, JsonRow[]>>(fileOf("training"), "roofline");
    const known = sections.roofline_ceilings?.[0];
    expect(title).toContain(known ? String(known.name) : "No ceilings are known");
    expect(await site().page.locator(".roofline .roof-name").count()).toBeGreaterThanOrEqual(known ? 2 : 0);
    expect(await circles().count()).toBeGreaterThan(0);
  });
});
