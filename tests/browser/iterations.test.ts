// Choosing the range, keeping it, and cutting iterations otherwise.
import { describe, expect, it } from "vitest";
import { report, run, type JsonRow, type Summary } from "./opsight";
import { expectSame, fileOf, has, numberOf, useSite } from "./page";

const site = useSite();
const slider = (name: string) => site().page.getByRole("slider", { name });
const figure = async (name: string) =>
  (await site().page.locator(".figure", { has: site().page.locator(`dt:text-is("${name}")`) }).locator("dd").textContent()) ?? "";

async function dashboardIs(options: string[]): Promise<void> {
  await site().click(site().page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Dashboard" }));
  const summary = report<Summary>(fileOf("training"), "summary", ...options);
  const wall = await site().page.locator('section[aria-label="Wall clock"] .big .num').getAttribute("title");
  expectSame(wall ?? "", summary.wall_clock_ns, "wall clock");
}

describe("iterations", () => {
  it("are all there, with the range and its badges", async () => {
    await site().show("iterations");
    const { iterations } = report<Summary>(fileOf("training"), "summary");
    expect([await figure("In all"), await figure("In the range")]).toEqual([String(iterations.total), String(iterations.selected)]);
    expect([await figure("First"), await figure("Last")]).toEqual([String(iterations.start), String(iterations.stop)]);
    const rows = await site().table("iterations").rows();
    const expected = (JSON.parse(run("report", fileOf("training"), "--report", "iteration", "--format", "json")) as { iteration: { iterations: JsonRow[] } }).iteration.iterations;
    expect(rows.map((row) => numberOf(row.duration_ns ?? ""))).toEqual(expected.map((row) => row.duration_ns));
  });

  it("tell their parts on hover, and these make up the whole", async () => {
    await site().show("iterations?all=1");
    const chart = site().page.locator(".iteration-chart svg");
    const box = await chart.boundingBox();
    if (!box) throw new Error("the chart is not shown");
    await site().page.mouse.move(box.x + box.width / 2, box.y + box.height - 40);
    await site().idle();
    const tip = site().page.locator(".tip");
    expect(await tip.isVisible()).toBe(true);
    const parts = await tip.locator("dl > div:not(.whole) dd").evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title") ?? ""));
    const sum = parts.map(numberOf).reduce((a, b) => a + b, 0);
    const index = Number((await tip.locator("b").textContent())?.match(/\d+/)?.[0]);
    const row = (await site().table("iterations").rows()).find((each) => each.iteration === String(index));
    expect(sum).toBe(numberOf(row?.duration_ns ?? ""));
  });

  it("are re-aggregated over typed bounds, kept under a name, and taken away", async () => {
    await site().show("iterations");
    await site().page.getByLabel("First iteration").and(site().page.locator("input")).fill("2");
    await site().page.getByLabel("Last iteration").and(site().page.locator("input")).fill("4");
    await site().page.getByLabel("Name, to keep it for later").fill("Steady state");
    await site().click(site().page.getByRole("button", { name: "Re-aggregate" }));
    // The address says the range itself: it means the same for whoever opens it.
    expect([await site().parameter("iter_start"), await site().parameter("iter_stop"), await site().parameter("aggregation")]).toEqual(["2", "4", null]);
    expect(await figure("In the range")).toBe("3");
    await dashboardIs(["--iter-start", "2", "--iter-stop", "4"]);
    await site().show("iterations");
    const kept = site().page.locator(".kept li", { hasText: "Steady state" });
    await site().click(kept.getByRole("link"));
    expect(await figure("First")).toBe("2");
    await site().click(kept.getByRole("button", { name: "Remove Steady state" }));
    expect(await kept.count()).toBe(0);
    expect(await figure("First")).toBe("2");
  });

  it("are chosen by dragging a bound, and by the arrow keys on it", async () => {
    // All of them: how many count as warm-up depends on the machine, and a bound stops at the other one.
    await site().show("iterations?all=1");
    const first = Number(await slider("First iteration").getAttribute("aria-valuenow"));
    await slider("First iteration").focus();
    await site().press("ArrowRight", "ArrowRight");
    expect(await slider("First iteration").getAttribute("aria-valuenow")).toBe(String(first + 2));
    const handle = await slider("Last iteration").locator("rect").boundingBox();
    const chart = await site().page.locator(".iteration-chart svg").boundingBox();
    if (!handle || !chart) throw new Error("the chart is not shown");
    const last = Number(await slider("Last iteration").getAttribute("aria-valuenow"));
    await site().page.mouse.move(handle.x + 5, handle.y + 10);
    await site().page.mouse.down();
    await site().page.mouse.move(handle.x - chart.width / 6, handle.y + 10, { steps: 4 });
    await site().page.mouse.up();
    await site().idle();
    expect(Number(await slider("Last iteration").getAttribute("aria-valuenow"))).toBeLessThan(last);
    // Past the other bound it stops there.
    const left = await slider("Last iteration").locator("rect").boundingBox();
    if (!left) throw new Error("the bound is not shown");
    await site().page.mouse.move(left.x + 5, left.y + 10);
    await site().page.mouse.down();
    await site().page.mouse.move(chart.x + 60, left.y + 10, { steps: 2 });
    await site().page.mouse.up();
    await site().idle();
    expect(await slider("Last iteration").getAttribute("aria-valuenow")).toBe(String(first + 2));
  });

  it("are cut at the end of an op that one picks", async () => {
    await site().show("iterations");
    await site().click(site().page.getByRole("button", { name: /up to the end of an op/ }));
    const dialog = site().page.getByRole("dialog");
    await dialog.locator("input[type=search]").fill("nll_loss_forward");
    await site().idle();
    const name = (await site().table("key_ops").column("name"))[0] ?? "";
    await site().click(dialog.locator("tbody tr").first());
    expect(await site().parameter("key_op")).toBe(name);
    await dashboardIs(["--key-op", name]);
  });

  it("of a pattern that matches nothing are those of the recording, which is said", async () => {
    await site().show("iterations?iteration_range=no such range");
    expect(await site().page.getByRole("status", { name: "The address was put right" }).textContent()).toContain("No range has a name like 'no such range'");
    expect(await site().parameter("iteration_range")).toBeNull();
    expect((await site().table("iterations").rows()).length).toBeGreaterThan(0);
  });

  it.skipIf(!has("ranks"))("of several ranks are shown rank by rank", async () => {
    await site().show("iterations", "ranks");
    await site().page.locator(".inline-label select").selectOption("3");
    await site().idle();
    expect(await site().parameter("rank")).toBe("3");
  });
});
