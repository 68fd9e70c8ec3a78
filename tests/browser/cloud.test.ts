// A cloud of mappings: its tables, picture and loop nests against `opsight map --cloud`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousViolations } from "./audit";
import { OPSIGHT, startViewer, type JsonRow, type Viewer } from "./opsight";
import { expectSame, Site, useSite } from "./page";

interface Cloud {
  notes: string[];
  best: JsonRow[];
  front: JsonRow[];
  points: JsonRow[];
  told: { draw: number; loop_nest: string; levels: JsonRow[] }[];
}

const site = useSite();
let folder = "";
let cloud: Cloud;
let viewer: Viewer;
const pages: Site[] = [];

const bestDraw = (objective: string): number => Number(cloud.best.find((row) => row.objective === objective)?.draw);
const nestOf = (draw: number): string => cloud.told.find((each) => each.draw === draw)?.loop_nest ?? "none";

async function show(hash = "", options = {}): Promise<Site> {
  const browser = site().page.context().browser();
  if (!browser) throw new Error("the browser has gone");
  const page = await Site.open(browser, viewer.url, options);
  pages.push(page);
  if (hash) await page.go(hash);
  return page;
}

const shownNest = async (page: Site): Promise<string> => (await page.page.getByLabel("Loop nest").textContent()) ?? "";

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "opsight-cloud-"));
  const problem = path.join(folder, "problem.yaml");
  writeFileSync(problem, "problem: {N: 1, C: 16, K: 16, P: 7, Q: 7, R: 3, S: 3}\n");
  const text = execFileSync(OPSIGHT, ["map", problem, "--arch", "eyeriss-256", "--cloud", "4000", "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  cloud = JSON.parse(text) as Cloud;
  writeFileSync(path.join(folder, "cloud.json"), text);
  writeFileSync(path.join(folder, "bad.json"), text.replace(/("points": \[\s*\{[^}]*"cycles": )\d+/, "$1-1"));
  viewer = await startViewer([path.join(folder, "cloud.json"), path.join(folder, "bad.json")]);
});

afterAll(async () => {
  for (const page of pages) await page.context.close();
  await viewer.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a cloud of mappings", () => {
  it("is where the page begins, with the notes, tables and least mapping of the command line", async () => {
    const page = await show();
    expect(await page.hash).toBe("#/mappings");
    const shown = await page.page.locator("section", { has: page.page.getByRole("heading", { name: /^Mappings of/ }) }).locator(".notes li").allTextContents();
    expect(shown.map((note) => note.slice(1).replace(/\.$/, ""))).toEqual(cloud.notes.map((note) => note.slice(1).replace(/\.$/, "")));
    for (const [name, rows] of [["cloud_best", cloud.best], ["cloud_front", cloud.front.slice(0, 25)], ["cloud_levels", cloud.told.find((each) => each.draw === bestDraw("energy"))?.levels ?? []]] as const) {
      const seen = await page.table(name).rows();
      expect(seen.length, name).toBe(rows.length);
      seen.forEach((row, at) => {
        for (const [key, text] of Object.entries(row)) expectSame(text, rows[at]?.[key], `${name} ${key}`);
      });
    }
    expect(await page.table("cloud_levels").root.locator('td[data-key="energy_pj"] .bar-fill').count()).toBeGreaterThan(3);
    expect(await shownNest(page)).toBe(nestOf(bestDraw("energy")));
    expect(page.complaints).toEqual([]);
  });

  it("draws the front, and goes along it by the keyboard", async () => {
    const page = await show("#/mappings");
    const picture = page.page.locator(".cloud svg[role=group]");
    expect(await picture.locator("[data-draw]").count()).toBe(cloud.front.length);
    await picture.focus();
    await page.press("Home");
    expect(await page.page.locator(".cloud [role=status]").textContent()).toContain(`Draw ${String(cloud.front[0]?.draw)}, on the Pareto front`);
    await page.press("ArrowRight", "Enter");
    expect(await page.parameter("draw")).toBe(String(cloud.front[1]?.draw));
    expect(await shownNest(page)).toBe(nestOf(Number(cloud.front[1]?.draw)));
    await page.click(page.page.locator(".cloud .legend button", { hasText: "Pareto front" }));
    expect(await picture.locator("[data-draw]").count()).toBe(0);
    expect(page.complaints).toEqual([]);
  });

  it("shows the mapping of a row, of the least of an objective and of an address", async () => {
    const page = await show("#/mappings?objective=delay&scale=linear");
    expect(await shownNest(page)).toBe(nestOf(bestDraw("delay")));
    await page.table("cloud_best").root.locator('tr[data-row="edp"]').focus();
    await page.press("Enter");
    expect(await page.parameter("objective")).toBe("edp");
    expect(await shownNest(page)).toBe(nestOf(bestDraw("edp")));
    const last = cloud.front.at(-1);
    await page.click(page.table("cloud_front").root.locator(`tr[data-row="${String(last?.draw)}"]`));
    expect(await page.parameter("draw")).toBe(String(last?.draw));
    const told = new Set(cloud.told.map((each) => each.draw));
    const other = cloud.points.find((each) => !told.has(Number(each.draw)));
    await page.go(`#/mappings?draw=${String(other?.draw)}`);
    expect(await page.page.getByText(`opsight map ... --draw ${String(other?.draw)}`).count()).toBe(1);
    await page.go("#/mappings?draw=none&objective=speed&scale=round&cloud=other.json");
    const corrected = (await page.page.getByRole("status", { name: "The address was put right" }).textContent()) ?? "";
    for (const part of ["“speed”", "“round”", "“other.json”", "no mapping of draw “none”"]) expect(corrected).toContain(part);
    expect(page.complaints).toEqual([]);
  });

  it("says what is wrong with a file", async () => {
    const page = await show("#/mappings?cloud=bad.json");
    expect(await page.page.getByRole("alert").textContent()).toContain("bad.json: is not a cloud of mappings as Opsight writes it: points, row 1, cycles is not a whole number");
    await page.page.locator("label", { hasText: /^Cloud/ }).locator("select").selectOption("cloud.json");
    await page.idle();
    expect(await page.page.getByRole("alert").count()).toBe(0);
  });

  it("without one the view says how to make one", async () => {
    await site().go("#/mappings");
    expect(await site().page.getByRole("heading", { name: "No cloud of mappings is open" }).count()).toBe(1);
  });

  it.each(["light", "dark"] as const)("has no serious violation in the %s theme, and is no wider than a phone", async (colorScheme) => {
    const page = await show("#/mappings?objective=edp", { colorScheme, viewport: { width: 390, height: 844 } });
    expect(await page.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    expect(await seriousViolations(page.page)).toEqual([]);
  });
});
