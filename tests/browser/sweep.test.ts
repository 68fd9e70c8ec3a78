// A sweep: its curves, tables and notes against `opsight sweep`, and from a point to its profile.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousViolations } from "./audit";
import { OPSIGHT, startViewer, type JsonRow, type Viewer } from "./opsight";
import { expectSame, Site, useSite } from "./page";

const site = useSite();
const BATCHES = [1, 2, 4, 8, 16, 32, 64];
let folder = "";
let profiles = "";
let sweep = "";
let viewer: Viewer;
const pages: Site[] = [];

// Steps of one op and one kernel, which take as long as is said.
function trace(us: number): string {
  const span = (cat: string, name: string, tid: number, ts: number, dur: number, args: object) => ({ ph: "X", cat, name, pid: cat === "kernel" ? 0 : 1, tid, ts: ts * us, dur: dur * us, args });
  const events = Array.from({ length: 6 }, (_, step) => [
    span("user_annotation", `ProfilerStep#${String(step)}`, 1, 100 * step, 95, {}),
    span("cpu_op", "aten::linear", 1, 100 * step + 5, 20, {}),
    span("cuda_runtime", "cudaLaunchKernel", 1, 100 * step + 10, 5, { correlation: step + 1 }),
    span("kernel", "gemm", 7, 100 * step + 30, 40, { correlation: step + 1, device: 0, stream: 7 }),
  ]).flat();
  return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}

const said = (...options: string[]): Record<string, JsonRow[]> & { notes: string[] } =>
  JSON.parse(execFileSync(OPSIGHT, ["sweep", sweep, "--format", "json", ...options], { encoding: "utf8" })) as Record<string, JsonRow[]> & { notes: string[] };

async function show(hash = "", options = {}): Promise<Site> {
  const browser = site().page.context().browser();
  if (!browser) throw new Error("the browser has gone");
  const page = await Site.open(browser, viewer.url, options);
  pages.push(page);
  if (hash) await page.go(hash);
  return page;
}

// A list or a box, by what stands before it.
const choice = (page: Site, name: string) => page.page.locator("label", { hasText: new RegExp(`^${name}`) }).locator("select, input");

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "opsight-sweep-"));
  profiles = path.join(folder, "profiles");
  mkdirSync(profiles);
  for (const batch of BATCHES) {
    for (const [kind, us] of [["flat", Math.max(8, batch * 1.03)], ["line", 6 + batch]] as const) {
      const file = path.join(folder, `${kind}${String(batch)}.json`);
      writeFileSync(file, trace(us));
      execFileSync(OPSIGHT, ["import", "-q", "-o", path.join(profiles, `${kind}${String(batch)}.opsight`), file]);
    }
  }
  sweep = path.join(folder, "curves");
  execFileSync(OPSIGHT, ["sweep", "--vary", `batch=${BATCHES.join(",")}`, "--vary", "kind=flat,line", "--from", path.join(profiles, "{kind}{batch}.opsight"), "-o", sweep], { stdio: "ignore" });
  viewer = await startViewer([sweep, profiles]);
});

afterAll(async () => {
  for (const page of pages) await page.context.close();
  await viewer.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a sweep", () => {
  it("is where the page begins, with the notes and tables of the command line", async () => {
    const page = await show();
    expect(await page.hash).toBe("#/sweep");
    const { notes, ...tables } = said();
    const shown = await page.page.locator("section", { has: page.page.getByRole("heading", { name: "What it shows" }) }).locator(".notes li").allTextContents();
    expect(shown.map((note) => note.slice(1))).toEqual(notes.map((note) => note.slice(1)));
    const compare = async (name: string) => {
      const rows = await page.table(`sweep_${name}`).rows();
      expect(rows.length, name).toBe(Math.min(25, tables[name]?.length ?? 0));
      rows.forEach((row, at) => {
        for (const [key, text] of Object.entries(row)) expectSame(text, tables[name]?.[at]?.[key], `${name} ${key}`);
      });
    };
    for (const name of ["points", "fit", "curve"]) await compare(name);
    for (const name of ["growth", "op_types", "ops", "kernels"]) {
      await page.go(`#/sweep?tab=${name}`);
      await compare(name);
    }
    expect(page.complaints).toEqual([]);
  });

  it("draws its points, the line that holds, and the knee where one is claimed", async () => {
    const page = await show("#/sweep");
    const { points = [], curve = [], fit = [] } = said();
    const charts = page.page.locator(".line-chart");
    for (const chart of [0, 2]) expect(await charts.nth(chart).locator("[data-point]").count()).toBe(points.length);
    expect(await page.page.getByRole("heading", { name: "Throughput against latency" }).count()).toBe(1);
    const claimed = curve.flatMap((row) => [row.knee, row.saturation]).filter((each) => each !== null);
    expect(claimed.length).toBeGreaterThan(0);
    expect(await charts.first().locator(".trend-change").count()).toBe(new Set(claimed).size);
    const holding = fit.filter((row) => row.holds).length;
    expect(holding).toBe(1);
    expect(await charts.nth(1).locator(".chart-fit").count()).toBe(holding);
    await choice(page, "Axes").selectOption("logarithmic");
    await page.idle();
    expect(await page.parameter("scale")).toBe("logarithmic");
    expect(await charts.nth(1).locator(".chart-fit").count()).toBe(0);
    await page.click(charts.first().locator(".legend button").first());
    expect(await charts.first().locator("[data-point]").count()).toBe(points.length / 2);
    expect(page.complaints).toEqual([]);
  });

  it("leads from a point to its profile, by the keyboard and from the table", async () => {
    const page = await show("#/sweep");
    await page.page.locator(".line-chart svg[role=group]").first().focus();
    await page.press("Home");
    expect(await page.page.locator(".line-chart [role=status]").first().textContent()).toContain("batch=1,kind=flat: ");
    await page.press("Enter");
    expect(await page.hash).toBe("#/dashboard?profile=flat1");
    await page.press("g", "z");
    await page.click(page.page.getByRole("link", { name: "Run 1 of batch=16,kind=line" }));
    expect(await page.hash).toBe("#/dashboard?profile=line16");
    expect(page.complaints).toEqual([]);
  });

  it("takes items and limits as the command does, and says what is none", async () => {
    const page = await show("#/sweep");
    await choice(page, "Items").fill("batch*10");
    await page.press("Enter");
    await choice(page, "Latency at most").fill("1500us");
    await page.press("Enter");
    const [best] = said("--items", "batch*10", "--max-latency", "1500us").best ?? [];
    const [row] = await page.table("sweep_best").rows();
    for (const [key, text] of Object.entries(row ?? {})) expectSame(text, best?.[key], key);
    await choice(page, "Memory at most").fill("much");
    await page.press("Enter");
    expect(await choice(page, "Memory at most").getAttribute("aria-invalid")).toBe("true");
    expect(await page.parameter("memory")).toBeNull();
    await choice(page, "Items").fill("nothing");
    await page.press("Enter");
    expect(await page.page.getByRole("alert").textContent()).toContain("'nothing' is neither varied nor a number");
    await page.click(page.page.getByRole("link", { name: "The sweep as it is by itself" }));
    expect(await page.page.getByRole("alert").count()).toBe(0);
    await page.go("#/sweep?sweep=other&latency=soon&tab=none");
    const told = (await page.page.getByRole("status", { name: "The address was put right" }).textContent()) ?? "";
    for (const part of ["There is no sweep “other”", "“soon” is not a time", "There is no tab “none”"]) expect(told).toContain(part);
    expect(page.complaints).toEqual([]);
  });

  it("shows what devices did also where no profile is open", async () => {
    const alone = await startViewer([sweep]);
    const browser = site().page.context().browser();
    if (!browser) throw new Error("the browser has gone");
    const page = await Site.open(browser, alone.url);
    try {
      expect(await page.page.getByRole("navigation", { name: "Views" }).getByRole("link").allTextContents()).toEqual(["Opsight", "Sweep"]);
      expect(await page.table("sweep_points").root.locator('th[data-key="gpu_utilization_pct"]').count()).toBe(1);
      expect(await page.page.getByText("none of their profiles is here").count()).toBe(1);
    } finally {
      await page.context.close();
      await alone.stop();
    }
  });

  it("is compared with another one, as the command does it, and turned round", async () => {
    const other = path.join(folder, "later");
    execFileSync(OPSIGHT, ["sweep", "--vary", "batch=2,4,8", "--vary", "kind=line", "--from", path.join(profiles, "{kind}{batch}.opsight"), "-o", other], { stdio: "ignore" });
    const apart = path.join(folder, "apart");
    execFileSync(OPSIGHT, ["sweep", "--vary", "size=2,4", "--from", path.join(profiles, "flat{size}.opsight"), "-o", apart], { stdio: "ignore" });
    const three = await startViewer([other, sweep, apart]);
    const browser = site().page.context().browser();
    if (!browser) throw new Error("the browser has gone");
    const page = await Site.open(browser, three.url);
    try {
      expect(await page.page.locator(".chart-line.dotted").count()).toBe(0);
      await choice(page, "Compare with").selectOption("curves");
      await page.idle();
      expect(await page.parameter("base")).toBe("curves");
      const changes = (base: string, next: string) => JSON.parse(execFileSync(OPSIGHT, ["sweep", "--compare", base, next, "--format", "json"], { encoding: "utf8" })) as Record<string, JsonRow[]> & { notes: string[] };
      const shown = async (title: string) => page.page.locator("section", { has: page.page.getByRole("heading", { name: title }) }).locator(".notes li").allTextContents();
      const told = changes(sweep, other);
      expect((await shown("What changed from curves to later")).map((note) => note.slice(1))).toEqual(told.notes.map((note) => note.slice(1)));
      const rows = await page.table("changed_points").rows();
      expect(rows.length).toBe(3);
      rows.forEach((row, at) => {
        for (const [key, text] of Object.entries(row)) expectSame(text, told.points?.[at]?.[key], key);
      });
      expect(rows[0]?.verdict).toBe("equal");
      const throughput = page.page.locator(".line-chart").first();
      expect(await throughput.locator(".chart-line.dotted").count()).toBe(2);
      expect(await throughput.locator("[data-point]").count()).toBe(3 + 2 * BATCHES.length);
      expect(await throughput.locator(".legend li").allTextContents()).toEqual(["later: kind=line", "curves: kind=flat", "curves: kind=line"]);
      expect(await seriousViolations(page.page)).toEqual([]);
      await page.click(page.page.getByRole("button", { name: "Swap" }));
      expect([await page.parameter("sweep"), await page.parameter("base")]).toEqual(["curves", "later"]);
      expect((await shown("What changed from later to curves")).map((note) => note.slice(1))).toEqual(changes(other, sweep).notes.map((note) => note.slice(1)));
      expect(page.complaints).toEqual([]);
      await choice(page, "Compare with").selectOption("apart");
      await page.idle();
      expect(await page.page.getByRole("alert").textContent()).toContain("They cannot be compared.");
      await page.go("#/sweep?base=nothing");
      expect(await page.page.getByRole("status", { name: "The address was put right" }).textContent()).toContain("There is no other sweep “nothing”");
    } finally {
      await page.context.close();
      await three.stop();
    }
  });

  it("without one the view says how to make one", async () => {
    await site().go("#/sweep");
    expect(await site().page.getByRole("heading", { name: "No sweep is open" }).count()).toBe(1);
  });

  it.each(["light", "dark"] as const)("has no serious violation in the %s theme, and is no wider than a phone", async (colorScheme) => {
    const page = await show("#/sweep?latency=1s", { colorScheme, viewport: { width: 390, height: 844 } });
    expect(await page.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    expect(await seriousViolations(page.page)).toEqual([]);
  });
});
