// One rank of several alone, chosen at the top of the page, on eight real ranks: its numbers are those of `--rank`, the
// choice stays in the address, and what is about all ranks says so.
import { describe, expect, it } from "vitest";
import { report, type Summary } from "./opsight";
import { expectSame, fileOf, has, useSite } from "./page";

const site = useSite();
const choice = () => site().page.getByRole("combobox", { name: "Ranks shown" });

async function choose(label: string): Promise<void> {
  await choice().selectOption({ label });
  await site().idle();
}

describe.skipIf(!has("ranks"))("one rank of several", () => {
  it("is chosen at the top, and the numbers of every view are its own", async () => {
    await site().show("ops", "ranks");
    const every = await site().table("detailed").count();
    expect(await choice().locator("option").allTextContents()).toEqual(["All ranks", ...Array.from({ length: 8 }, (_, rank) => `Rank ${String(rank)}`)]);
    await choose("Rank 3");
    expect(await site().parameter("only_rank")).toBe("3");
    const wanted = report(fileOf("ranks"), "detailed", "--rank", "3");
    const rows = await site().table("detailed").rows();
    expect(rows.length).toBeGreaterThan(3);
    for (const [at, row] of rows.entries()) {
      expectSame(row.op_name, wanted[at]?.op_name, `row ${String(at)}`);
      expectSame(row.calls, wanted[at]?.calls, `calls of row ${String(at)}`);
      expectSame(row.self_gpu_time_ns, wanted[at]?.self_gpu_time_ns, `time of row ${String(at)}`);
    }
    // To other views, and back to all.
    await site().click(site().page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "GPUs" }));
    expect(await site().parameter("only_rank")).toBe("3");
    expect(await choice().inputValue()).toBe("3");
    await site().show("ops?only_rank=3", "ranks");
    await choose("All ranks");
    expect(await site().parameter("only_rank")).toBeNull();
    expect(await site().table("detailed").count()).toBe(every);
  });

  it("is chosen with the keyboard, and left by the back button", async () => {
    await site().show("kernels", "ranks");
    await choice().focus();
    await site().press("ArrowDown");
    expect(await site().parameter("only_rank")).toBe("0");
    await site().page.goBack();
    await site().idle();
    expect(await site().parameter("only_rank")).toBeNull();
    expect(await choice().inputValue()).toBe("");
  });

  it("shows its rows of what is about ranks, and says what is about all of them", async () => {
    await site().show("ranks?only_rank=5", "ranks");
    const main = site().page.locator("main");
    expect(await site().table("ranks").column("rank")).toEqual(["5"]);
    expect(await main.textContent()).toContain("are about all ranks together, and rank 5 alone is shown");
    expect(await site().page.locator('[data-table="rank_path"], [data-table="rank_layers"]').count()).toBe(0);
    expect(await main.getByRole("alert").count()).toBe(0);
    await site().click(main.getByRole("link", { name: "Show all ranks" }));
    expect(await site().table("ranks").column("rank")).toHaveLength(8);
    await site().show("communication?only_rank=5", "ranks");
    expect(await main.textContent()).toContain("Process groups and the collectives of their ranks are about all ranks together");
    expect(await site().page.locator('[data-table="groups"], [data-table="collectives"], [data-table="collective_calls"]').count()).toBe(0);
    expect(new Set(await site().table("communication").column("rank"))).toEqual(new Set(["5"]));
    expect(await main.getByRole("alert").count()).toBe(0);
  });

  it("has a timeline of its own rows, and a search in them", async () => {
    const ranks = () =>
      site().page.evaluate(() => [
        ...new Set((globalThis as unknown as { opsightTimeline: { info: { tracks: { rank: number }[] } } }).opsightTimeline.info.tracks.map((track) => track.rank)),
      ]);
    await site().show("timeline", "ranks");
    expect(await ranks()).toHaveLength(8);
    await choose("Rank 6");
    await expect.poll(ranks).toEqual([6]);
    await site().show("timeline?only_rank=6&path=1", "ranks");
    await expect.poll(ranks).toEqual([6]);
    await site().show("timeline?only_rank=6&find=nccl", "ranks");
    const selected = () =>
      site().page.evaluate(() => {
        const { selected: at, info } = (globalThis as unknown as { opsightTimeline: { selected: { track: number } | null; info: { tracks: { id: number; rank: number }[] } } }).opsightTimeline;
        return info.tracks.find((track) => track.id === at?.track)?.rank;
      });
    await expect.poll(selected).toBe(6);
  });

  it("is said where there is none of that number", async () => {
    await site().show("ops?only_rank=8", "ranks");
    await expect.poll(() => site().parameter("only_rank")).toBeNull();
    await site().idle();
    expect(await site().page.getByRole("status", { name: "The address was put right" }).textContent()).toContain("There is no rank “8”");
    expect((await site().table("detailed").rows()).length).toBeGreaterThan(3);
  });

  it("has a dashboard of its own", async () => {
    const [one, all] = [report<Summary>(fileOf("ranks"), "summary", "--rank", "2"), report<Summary>(fileOf("ranks"), "summary")];
    expect(one.gpu_utilization_pct).not.toBe(all.gpu_utilization_pct);
    await site().show("dashboard?only_rank=2", "ranks");
    const wall = site().page.locator('section[aria-label="Wall clock"] .big .num');
    expectSame((await wall.getAttribute("title")) ?? "", one.wall_clock_ns, "wall clock");
    const donut = site().page.getByRole("img", { name: /^GPU utilization/ }).locator("title");
    expectSame((await donut.textContent()) ?? "", one.gpu_utilization_pct, "GPU utilization");
    expect(await site().page.locator("main").getByRole("alert").count()).toBe(0);
  });
});

describe("a profile of one rank", () => {
  it("offers no choice", async () => {
    await site().show("ops", "training");
    expect(await choice().count()).toBe(0);
    await site().show("ops?only_rank=0", "training");
    await expect.poll(() => site().parameter("only_rank")).toBeNull();
  });
});
