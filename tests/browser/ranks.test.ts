// Ranks: who others wait for, the heat map by pointer and keys, and one collective across its ranks, on eight real ranks.
import { describe, expect, it } from "vitest";
import { report, run, type JsonRow } from "./opsight";
import { fileOf, has, idOf, useSite } from "./page";

const site = useSite();
const ranks = describe.skipIf(!has("ranks"));

interface Drawn {
  selected: { track: number; begin_ns: number } | null;
  together: { call: string; parts: { rank: number; last: boolean; span: number; begin_ns: number; dur_ns: number }[] } | null;
}
const drawn = (): Promise<Drawn> =>
  site().page.evaluate(() => {
    const { selected, together } = (globalThis as unknown as { opsightTimeline: Drawn }).opsightTimeline;
    return { selected, together };
  });

ranks("several ranks", () => {
  it("are named by whom the others wait for", async () => {
    const [worst] = report(fileOf("ranks"), "stragglers", "--limit", "1");
    await site().show("ranks", "ranks");
    const said = (await site().page.locator(".lead").first().textContent()) ?? "";
    expect(said).toContain(`longest for rank ${String(worst?.rank)}`);
    expect(said).toContain(String(worst?.cause));
    expect(await site().table("ranks").column("rank")).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  });

  it("have a heat map that keys walk through, and a cell leads to the timeline", async () => {
    const rows = report(fileOf("ranks"), "rank_iterations");
    await site().show("communication", "ranks");
    const picture = site().page.locator(".heat-picture");
    await picture.focus();
    await site().press("ArrowDown", "ArrowDown", "ArrowDown");
    const row = rows.find((each) => each.rank === 3);
    expect(await site().page.locator(".heat .heat-said").textContent()).toContain(`Rank 3, iteration ${String(row?.iteration)}: `);
    await site().page.locator(".heat-head select").selectOption("computing_ns");
    await site().idle();
    expect(await site().parameter("measure")).toBe("computing_ns");
    await picture.focus();
    await site().press("Enter");
    expect(await site().hash).toContain("#/timeline");
    expect(Number(await site().parameter("begin"))).toBe(row?.begin_ns);
  });

  it("are opened and scrolled to where a finding's place is of one of them", async () => {
    await site().show("advice", "ranks");
    const place = site().page.getByRole("link", { name: / at .* of rank [1-7]$/ }).first();
    const rank = /of rank (\d)$/.exec((await place.textContent()) ?? "")?.[1];
    await site().click(place);
    const shown = () =>
      site().page.evaluate((key) => {
        const timeline = (globalThis as unknown as { opsightTimeline: { scroll: number; height: number; layout: { rows: { key: string; open: boolean; y: number }[] } } }).opsightTimeline;
        const row = timeline.layout.rows.find((each) => each.key === key);
        return row?.open === true && row.y >= timeline.scroll && row.y < timeline.scroll + timeline.height;
      }, `rank ${String(rank)}`);
    await expect.poll(shown).toBe(true);
  });

  it("have each collective once, with its members and its place on all ranks", async () => {
    const [call] = report(fileOf("ranks"), "collective_calls", "--sort", "waiting_ns:desc", "--limit", "1");
    const members = report(fileOf("ranks"), "collective_members").filter((each) => each.call === call?.call);
    await site().show(`communication?call=${String(call?.call)}`, "ranks");
    expect((await site().table("collective_members").rows()).length).toBe(members.length);
    await site().click(site().page.getByRole("link", { name: "Show across ranks" }));
    await expect.poll(async () => (await drawn()).together?.parts.length).toBe(8);
    const { together } = await drawn();
    expect(together?.parts.filter((part) => part.last).map((part) => part.rank)).toEqual([call?.last_rank]);
    // Each part is the event that the timeline has there.
    expect(together?.parts.every((part) => part.span >= 0)).toBe(true);
  });

  it("are joined where a part of a collective is selected, and let go with it", async () => {
    const kernels = JSON.parse(
      run("sql", fileOf("ranks"), "SELECT track, begin_ns, rank FROM kernels WHERE class = 'communication' AND rank = 2 ORDER BY begin_ns LIMIT 1", "--format", "json"),
    ) as JsonRow[];
    await site().go(`#/timeline?profile=${idOf("ranks")}&find=${encodeURIComponent("nccl")}&at=${String(kernels[0]?.begin_ns)}`);
    await expect.poll(async () => (await drawn()).together?.parts.length ?? 0).toBe(8);
    const list = site().page.locator('section[aria-label="On all ranks"] li');
    expect(await list.count()).toBe(8);
    const before = (await drawn()).selected;
    await site().click(list.nth(5).getByRole("button"));
    expect((await drawn()).selected?.track).not.toBe(before?.track);
    await site().press("Escape");
    await expect.poll(async () => (await drawn()).together).toBeNull();
  });
});

describe("one rank", () => {
  it("says that there is nobody to compare with, and what to do", async () => {
    await site().show("ranks", "training");
    const text = (await site().page.locator("main").textContent()) ?? "";
    expect(text).toContain("One rank only");
    expect(text).toContain("torchrun");
  });
});
