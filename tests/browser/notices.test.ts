// What an address asks for that cannot be is said, with what is shown instead; and what is kept, and what is not.
import { mkdtempSync, copyFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { run, startViewer } from "./opsight";
import { fileOf, has, Site, useSite } from "./page";

const site = useSite();
// Whatever was slow enough for warm-up when the run was recorded, its last iteration is in the range.
const last = (): string => {
  const [row] = JSON.parse(run("sql", fileOf("training"), "SELECT max(iteration) AS last FROM iterations", "--format", "json")) as { last: number }[];
  return String(row?.last);
};
const notice = () => site().page.getByRole("status", { name: "The address was put right" });

describe("an address that cannot be", () => {
  it.each([
    ["ops?page=abc", "“abc” is not a page: the first is shown", "page"],
    ["ops?size=0", "A page cannot have “0” rows: it has 25", "size"],
    ["ops?cols=op_name,colour", "There is no column “colour”", "colour"],
    ["ops?iter_start=abc", "“iter_start=abc” is not the number of an iteration: it was left out", "abc"],
    ["ops?iter_start=-1&iter_stop=1.5", "“iter_stop=1.5” is not the number of an iteration", "iter_"],
    ["dashboard?iter_start=500&iter_stop=900", "There is no range of iterations 500 to 900: the default range is shown", "900"],
    ["iterations?key_op=nobody", "No op or range is named 'nobody': the default range is shown", "nobody"],
    ["ranges?iteration_range=%5B", "the default range is shown", "iteration_range"],
    ["layers?aggregation=never", "There is no aggregation 'never': the default range is shown", "never"],
    ["memory?all=perhaps", "“all=perhaps” is neither 1 nor 0", "perhaps"],
    ["ops?sort=no_such_column:desc", "cannot be sorted by 'no_such_column:desc': the table's own order is shown", "no_such_column"],
    ["ops?filter=no_such_column:eq:1", "There is no column 'no_such_column' to filter by: all rows are shown", "no_such_column"],
    ["ops?filter=calls:eq:many", "'many' is not a number: all rows are shown", "many"],
    ["ops?filter=nonsense", "“nonsense” is not a filter", "filter"],
    ["ops?iteration=3", "“iteration=3”, which means nothing here", "iteration"],
    ["ops?start=3", "“start=3”, which means nothing here", "start"],
    ["layers?sort=colour:asc", "There is no column “colour” to sort by", "sort"],
    ["layers?measure=weight", "There is no time “weight”", "measure"],
    ["kernels?tab=other", "There is no tab “other”: “By kernel and op” is shown", "tab"],
    ["iterations?rank=9", "There is no rank “9”: rank 0 is shown", "rank"],
    ["compare?with=yesterday", "The run “yesterday” is not here", "with"],
    ["timeline?begin=900&end=100", "ends before it begins", "end=100&"],
    ["timeline?begin=soon", "“begin=soon” is not a time", "soon"],
    ["timeline?track=1&span=99999999", "There is no event 99999999 on that track", "99999999"],
    ["timeline?track=99999&span=1", "There is no track 99999", "99999"],
    ["timeline?find=nobody", "Nothing in this timeline is called “nobody”", "find"],
    ["model?colour=limiter&sel=n99999", "has no node or group “n99999”", "sel"],
    ["by-op?sel=99999", "There is no iteration “99999” in this range", "sel"],
    ["by-op?sel=abc", "There is no iteration “abc” in this range", "sel"],
    ["by-op?sel=LAST&op=99999", "Iteration LAST has no op “99999”", "op="],
  ])("%s", async (address, said, gone) => {
    await site().show(address.replace("LAST", last));
    expect(await notice().textContent()).toContain(said.replace("LAST", last));
    expect(await site().page.getByRole("alert").count()).toBe(0);
    expect(await site().hash).not.toContain(gone === "page" ? "page=" : gone);
    await site().click(site().page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Op types" }));
    expect(await notice().count()).toBe(0);
  });

  it("a page beyond the last is the last", async () => {
    await site().show("ops?page=900");
    expect(await notice().textContent()).toMatch(/There is no page 901: the last of \d+ is shown/);
    expect((await site().table("detailed").rows()).length).toBeGreaterThan(0);
    await site().click(notice().getByRole("button", { name: "Close" }));
    expect(await notice().count()).toBe(0);
  });

  it("keeps what is selected where only the range is refused", async () => {
    const selected = last();
    await site().show(`by-op?sel=${selected}&key_op=nobody`);
    expect(await notice().textContent()).toContain("No op or range is named 'nobody'");
    expect(await notice().textContent()).not.toContain("none is selected");
    expect(await site().parameter("sel")).toBe(selected);
  });

  it("finds a name that is before the time in the address", async () => {
    await site().show("timeline?find=aten%3A%3Aconv2d&at=999999999999999");
    await expect.poll(async () => site().parameter("span")).not.toBeNull();
    expect(await notice().count()).toBe(0);
  });

  it("an address that is right says nothing", async () => {
    for (const address of ["ops?page=1&size=25&sort=calls:asc&filter=calls:ge:1&cols=op_name,calls", "layers?sort=calls:desc", "kernels?tab=launches", "iterations", "compare", "memory"]) {
      await site().show(address);
      expect(await notice().count(), address).toBe(0);
    }
  });
});

describe("a run in the address", () => {
  it("is the same where the viewer is started with other files", async () => {
    await site().go("#/ops?sort=calls:asc");
    expect(await site().parameter("profile")).toBe("training");
    const rows = await site().table("detailed").rows();
    const viewer = await startViewer([fileOf("damaged"), fileOf("training")]);
    const other = await Site.open(site().page.context().browser() ?? raise(), viewer.url);
    try {
      await other.go(await site().hash);
      expect(await other.table("detailed").rows()).toEqual(rows);
    } finally {
      await other.context.close();
      await viewer.stop();
    }
  });
});

describe("a source without times", () => {
  it("is said to have none where its events are drawn", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "opsight-untimed-"));
    const trace = path.join(folder, "net.profile.json");
    const layers = [1, 2, 3].map((each) => ({ name: `conv${String(each)}`, timeMs: each, averageMs: each, percentage: 10 }));
    writeFileSync(trace, JSON.stringify([{ count: 1 }, ...layers]));
    run("import", "-q", "-o", path.join(folder, "net.opsight"), trace);
    const viewer = await startViewer([path.join(folder, "net.opsight")]);
    const other = await Site.open(site().page.context().browser() ?? raise(), viewer.url);
    try {
      await other.go("#/timeline");
      expect(await other.page.getByRole("note").textContent()).toContain("The source tells no times");
      await site().show("timeline");
      expect(await site().page.getByRole("note").count()).toBe(0);
    } finally {
      await other.page.context().close();
      await viewer.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("ranges", () => {
  it("of a viewer that may not write are not said to be kept, and stand in the list once", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "opsight-read-only-"));
    const file = path.join(folder, "copy.opsight");
    copyFileSync(fileOf("training"), file);
    const viewer = await startViewer([file], "--read-only");
    const other = await Site.open(site().page.context().browser() ?? raise(), viewer.url);
    try {
      await other.go("#/iterations?iter_start=2&iter_stop=3");
      expect(await other.page.getByText("to keep it for later").count()).toBe(0);
      expect(await other.page.getByText("to keep it until the viewer ends").count()).toBe(1);
      // Without a name nothing is kept, and the address says it all.
      await other.click(other.page.getByRole("button", { name: "Re-aggregate" }));
      expect(await other.parameter("aggregation")).toBeNull();
      for (let again = 0; again < 2; again++) {
        await other.page.getByLabel("Name, to keep it until the viewer ends").fill("Twice");
        await other.click(other.page.getByRole("button", { name: "Re-aggregate" }));
      }
      const card = other.page.getByRole("region", { name: "Named ranges" });
      expect(await card.locator(".kept li").count()).toBe(1);
      expect(await card.textContent()).toContain("not kept: gone when the viewer ends, because the viewer was started read-only");
    } finally {
      await other.context.close();
      await viewer.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it("can end at ranges of the recording, such as an optimizer's step", async () => {
    await site().show("iterations");
    await site().click(site().page.getByRole("button", { name: /up to the end of an op or range/ }));
    const list = site().table("key_ops");
    await list.pick("kind", "range");
    expect(await list.column("name")).toContain("Optimizer.step#SGD.step");
    await site().click(list.root.getByText("Optimizer.step#SGD.step"));
    expect(await site().parameter("key_op")).toBe("Optimizer.step#SGD.step");
  });
});

describe("an op without kernels", () => {
  const empty = () => site().page.locator('section[aria-label="Kernels of the op"] .empty-text');

  it.skipIf(!has("gpu"))("says that its GPU time is copies, where it has some", async () => {
    await site().show("ops?sort=self_gpu_time_ns:desc", "gpu");
    const table = site().table("detailed");
    const copies = (await table.column("op_name")).findIndex((name) => name.startsWith("aten::copy_"));
    await site().click(table.root.locator("tbody tr").nth(copies));
    expect(await empty().textContent()).toContain("copy or set memory");
  });

  it.skipIf(!has("gpu"))("is told from one that is not there", async () => {
    await site().show("ops?sel=99999", "gpu");
    expect(await empty().textContent()).toContain("The selected op is not in this range.");
  });
});

describe("the dashboard", () => {
  it.skipIf(!has("gpu"))("shows the average iteration time, which is the wall clock by iterations", async () => {
    await site().show("dashboard", "gpu");
    const exact = async (tile: string) => Number(((await site().page.locator(`section.tile[aria-label="${tile}"] .big .num`).getAttribute("title")) ?? "").replace(/\D/g, ""));
    expect(Math.abs((await exact("Iteration time")) - (await exact("Wall clock")) / 5)).toBeLessThan(1);
  });
});

function raise(): never {
  throw new Error("no browser");
}
