// Two runs side by side: what is picked in one picture or table is shown in all, and stands in the address.
import { describe, expect, it } from "vitest";
import { has, idOf, made, useSite } from "./page";

describe("comparing a run with itself", () => {
  const site = useSite();
  const shades = () => site().page.locator(".two-icicles .block").evaluateAll((blocks) => [...new Set(blocks.map((block) => block.classList.item(1)))]);
  const scales = () => site().page.locator(".two-timelines .tl-stage").evaluateAll((stages) => stages.map((stage) => stage.getAttribute("data-ns-per-pixel")));
  const open = () => site().show(`compare?with=${idOf("training")}`);

  it("finds nothing that differs, and colours nothing", async () => {
    await open();
    expect(await site().page.locator(".comparison-answer").textContent()).toContain("the same");
    expect(await shades()).toEqual(["same"]);
    expect(await site().page.locator(".two-icicles svg").count()).toBe(2);
  });

  it("shows a row of a table in both timelines at one scale, and the address brings it back", async () => {
    await open();
    expect(await site().page.locator(".two-timelines").count()).toBe(0);
    await site().click(site().table("compare_ops").root.locator("tbody tr").first());
    const pick = await site().parameter("pick");
    expect(pick).toMatch(/^op:\d+:\d+$/);
    await site().page.locator(".two-timelines .tl-stage").nth(1).waitFor();
    await site().idle();
    const [before, after] = await scales();
    expect(before).toBe(after);
    const said = await site().page.locator(".two-timelines p").allTextContents();
    expect(said).toHaveLength(2);
    expect(said[0]?.replace("Before", "")).toBe(said[1]?.replace("After", ""));
    const { hash } = site();
    await open();
    await site().go(await hash);
    await site().page.locator(".two-timelines .tl-stage").nth(1).waitFor();
    expect(await site().table("compare_ops").root.locator('tbody tr[aria-selected="true"]').count()).toBe(1);
  });

  it.skipIf(!has("gpu"))("opens the difference from layers to kernels, and the address keeps what is open", async () => {
    const show = () => site().show(`compare?with=${idOf("gpu")}`, "gpu");
    await show();
    const row = (level: number, more = "") => site().page.locator(`table[aria-label="Where the difference lies"] tbody tr[aria-level="${String(level)}"]${more}`);
    expect(await row(2).count()).toBe(0);
    for (const level of [1, 2]) {
      await row(level, "[aria-expanded]").first().focus();
      await site().press("ArrowRight");
    }
    const kernels = await row(3).count();
    expect(kernels).toBeGreaterThan(0);
    const { hash } = site();
    const opened = await hash;
    await show();
    expect(await row(2).count()).toBe(0);
    await site().go(opened);
    expect(await row(3).count()).toBe(kernels);
  });

  it("compares the time of an item, which the address keeps", async () => {
    await open();
    const fields = site().page.getByRole("group", { name: "Items of an iteration" });
    await fields.getByLabel("after").fill("10");
    await site().press("Enter");
    await fields.getByLabel("before").fill("5");
    await site().press("Enter");
    expect([await site().parameter("base_items"), await site().parameter("new_items")]).toEqual(["5", "10"]);
    await site().page.locator(".comparison-answer", { hasText: "of an item (5 an iteration before, 10 after)" }).waitFor();
    await site().show(`compare?with=${idOf("training")}&base_items=none`);
    expect(await site().parameter("base_items")).toBeNull();
  });

  it("takes more runs of a side, which the address keeps, and lets them go", async () => {
    await open();
    const more = site().page.getByRole("group", { name: "More runs after" });
    await more.getByRole("combobox").selectOption({ index: 1 });
    await site().page.locator(".comparison-answer").waitFor();
    expect(await site().parameter("new_runs")).not.toBeNull();
    expect((await site().table("compare_runs").rows()).length).toBe(3);
    await site().click(more.getByRole("button"));
    expect(await site().parameter("new_runs")).toBeNull();
    await site().show(`compare?with=${idOf("training")}&base_runs=nobody`);
    expect(await site().parameter("base_runs")).toBeNull();
  });

  it("goes through the layers by arrow keys", async () => {
    await open();
    await site().page.locator(".two-icicles").focus();
    await site().press("ArrowDown");
    expect(await site().parameter("pick")).toBe("layer:%2F:%2F");
    await site().press("ArrowDown");
    const child = await site().parameter("pick");
    expect(child).toMatch(/^layer:%2F[^:]+:%2F[^:]+$/);
    expect(await site().page.locator(".two-icicles .block.selected").count()).toBe(2);
    await site().press("ArrowUp");
    expect(await site().parameter("pick")).toBe("layer:%2F:%2F");
  });

  it("filters by what is real and by the kind of change", async () => {
    await open();
    const card = site().page.locator("section.card", { has: site().page.getByRole("heading", { name: /^Ops/ }) });
    await site().click(card.getByRole("button", { name: "Real only" }));
    expect(await site().parameter("ops.filter")).toBe("verdict:eq:real");
    expect(await site().table("compare_ops").rows()).toEqual([]);
  });

  it("refuses what names nothing", async () => {
    await site().show(`compare?with=${idOf("training")}&pick=nonsense`);
    expect(await site().parameter("pick")).toBeNull();
  });
});

describe("the trend of all runs", () => {
  const site = useSite();
  it("draws a point for each, and lists them", async () => {
    await site().show("trend");
    const rows = await site().table("trend_runs").rows();
    expect(rows.length).toBeGreaterThan(0);
    expect(await site().page.locator(".trend-point").count()).toBe(rows.length);
    expect(rows.length).toBeLessThanOrEqual(Object.keys(made().files).length);
  });
});
