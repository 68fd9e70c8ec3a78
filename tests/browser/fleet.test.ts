// The fleet: runs of a store by label, over time and one by one, against `opsight fleet`; and a viewer without profiles.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./audit";
import { OPSIGHT, startViewer, type JsonRow, type Viewer } from "./opsight";
import { expectSame, fileOf, has, Site, useSite } from "./page";

const site = useSite();
let folder = "";
let store = "";
const open: { viewer: Viewer; page: Site }[] = [];

const fleet = (...options: string[]): JsonRow[] => JSON.parse(execFileSync(OPSIGHT, ["fleet", ...options, "--json"], { encoding: "utf8" })) as JsonRow[];

async function show(paths: string[], options = {}): Promise<Site> {
  const viewer = await startViewer(paths);
  const browser = site().page.context().browser();
  if (!browser) throw new Error("the browser has gone");
  const page = await Site.open(browser, viewer.url, options);
  open.push({ viewer, page });
  return page;
}

// A list to choose from, by what stands before it.
const choice = (page: Site, name: string) => page.page.locator("label", { hasText: new RegExp(`^${name}`) }).locator("select");

async function closeAll(): Promise<void> {
  for (const { viewer, page } of open.splice(0)) {
    await page.context.close();
    await viewer.stop();
  }
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "opsight-fleet-"));
  store = path.join(folder, "team");
  const push = (name: string, ...labels: string[]) => {
    execFileSync(OPSIGHT, ["fleet", "push", fileOf(name), "--to", store, ...labels.flatMap((label) => ["--label", label])], { stdio: "ignore" });
  };
  push("training", "model=cnn", "device=cpu");
  push("ranges", "model=made", "device=cpu");
  push("ranges_gpu", "model=made", "device=gpu", "gpu_hours=100");
  for (const name of ["gpu", "ranks"]) if (has(name)) push(name, `model=${name}`, "device=gpu");
});

afterAll(async () => {
  await closeAll();
  rmSync(folder, { recursive: true, force: true });
});

describe("a store alone", () => {
  it("is where the page begins, and nothing else is offered", async () => {
    const page = await show([store]);
    expect(await page.hash).toBe("#/fleet");
    const links = page.page.getByRole("navigation", { name: "Views" }).getByRole("link");
    expect(await links.allTextContents()).toEqual(["Opsight", "Fleet"]);
    expect(await page.page.title()).toBe("Fleet · Opsight");
    await page.go("#/dashboard");
    expect(await page.page.getByRole("heading", { name: "No profile is open" }).count()).toBe(1);
    await page.click(page.page.getByRole("link", { name: "To what it shows" }));
    expect(await page.hash).toBe("#/fleet");
    await page.press("?");
    expect(await page.page.getByRole("dialog").locator(".key-list dd").filter({ hasText: "Dashboard" }).count()).toBe(0);
    await page.press("Escape");
    expect(page.complaints).toEqual([]);
    await closeAll();
  });

  it("has the rows of the command line, and those of a label", async () => {
    const page = await show([store]);
    const compare = async (tab: string, name: string, ...options: string[]) => {
      const said = fleet("report", store, "--report", name, ...options);
      const rows = await page.table(`fleet_${name}`).rows();
      expect(rows.length, name).toBe(Math.min(25, said.length));
      rows.forEach((row, at) => {
        for (const [key, text] of Object.entries(row)) if (!["run", "worst_run"].includes(key)) expectSame(text, said[at]?.[key], `${tab} ${name} ${key}`);
      });
    };
    await compare("runs", "runs");
    await compare("runs", "labels");
    for (const [tab, names] of Object.entries({ ranks: ["ranks"], ops: ["ops", "kernels"], tensor: ["tensor_cores", "devices"], findings: ["findings"] })) {
      await page.go(`#/fleet?tab=${tab}`);
      for (const name of names) await compare(tab, name);
    }
    await page.go("#/fleet?tab=ops");
    await choice(page, "device").selectOption("gpu");
    await page.idle();
    expect(await page.parameter("label")).toBe("device=gpu");
    await compare("ops", "ops", "--label", "device=gpu");
    await choice(page, "model").selectOption("made");
    await page.idle();
    await compare("ops", "kernels", "--label", "device=gpu", "--label", "model=made");
    await choice(page, "model").selectOption("cnn");
    await page.idle();
    expect(await page.page.getByRole("alert").textContent()).toContain("No run has all of these labels");
    await page.click(page.page.getByRole("link", { name: "All runs of the store" }));
    await compare("ops", "ops");
    expect(page.complaints).toEqual([]);
    await closeAll();
  });

  it("draws each run that has iterations, and the keyboard reads and chooses one", async () => {
    const page = await show([store]);
    const runs = fleet("list", store);
    const timed = runs.filter((run) => run.iteration_ns !== null);
    const points = page.page.locator(".line-chart [data-point]");
    expect((await points.evaluateAll((all) => all.map((each) => each.getAttribute("data-point")))).sort()).toEqual(timed.map((run) => run.run).sort());
    await page.page.locator(".line-chart svg[role=group]").focus();
    await page.press("Home");
    expect(await page.page.locator(".line-chart [role=status]").textContent()).toContain(`${String(timed[0]?.name)}, ${String(timed[0]?.recorded)}`);
    await page.press("Enter");
    expect(await page.parameter("run")).toBe(timed[0]?.run);
    expect((await page.table("fleet_runs").column("name"))).toEqual([timed[0]?.name]);
    await page.click(page.page.getByRole("button", { name: /^All runs, not/ }));
    expect((await page.table("fleet_runs").rows()).length).toBe(runs.length);
    await choice(page, "By label").selectOption("model");
    await page.idle();
    expect(await page.page.locator(".line-chart .legend li").allTextContents()).toEqual([...new Set(timed.map((run) => /model=(\w+)/.exec(String(run.labels))?.[1]))].sort());
    await page.click(page.page.locator(".line-chart .legend button").first());
    expect(await points.count()).toBeLessThan(timed.length);
    expect(page.complaints).toEqual([]);
    await closeAll();
  });

  it("puts two sides beside each other, as the command line does", async () => {
    const page = await show([store]);
    const side = (name: string) => page.page.getByRole("group", { name, exact: true });
    const list = (name: string, label: string) => side(name).locator("label", { hasText: new RegExp(`^${label}`) }).locator("select");
    const compare = async (base: string, next: string) => {
      const said = fleet("compare", store, "--base", base, "--new", next) as unknown as Record<string, JsonRow[]>;
      for (const name of ["times", "shares", "ops"]) {
        const rows = await page.table(`fleet_${name}`).rows();
        expect(rows.length, name).toBe(Math.min(25, said[name]?.length ?? -1));
        rows.forEach((row, at) => {
          for (const [key, text] of Object.entries(row)) expectSame(text, said[name]?.[at]?.[key], `${name} ${key}`);
        });
      }
    };
    await choice(page, "model").selectOption("cnn");
    await page.idle();
    await page.click(page.page.getByRole("tab", { name: "Compare" }));
    expect([await page.parameter("new"), await page.parameter("base")]).toEqual(["model=cnn", null]);
    expect(await page.page.getByText("Choose the runs of both sides").count()).toBe(1);
    await list("Base", "model").selectOption("made");
    await page.idle();
    await compare("model=made", "model=cnn");
    await page.click(page.page.getByRole("button", { name: "Swap" }));
    await compare("model=cnn", "model=made");
    const made = fleet("list", store).find((run) => run.name === "ranges_gpu");
    await list("New", "model").selectOption("");
    await list("New", "Run").selectOption(String(made?.run));
    await page.idle();
    expect(await page.parameter("new")).toBe(made?.run);
    await compare("model=cnn", String(made?.run));
    expect(await page.page.getByRole("region", { name: "What changed" }).textContent()).toContain("new: ranges_gpu");
    await page.click(page.page.getByRole("button", { name: "New without ranges_gpu" }));
    expect(await page.page.getByText("Choose the runs of both sides").count()).toBe(1);
    await page.go("#/fleet?tab=compare&base=nobody&new=model%3Dmade");
    expect(await page.page.getByRole("alert").textContent()).toContain("no run 'nobody'");
    await page.go("#/fleet?tab=compare&base=model%3Dcnn&new=team%3Dnone");
    expect(await page.page.getByRole("alert").textContent()).toContain("No run has all of these labels");
    await list("New", "team").selectOption("");
    await page.idle();
    expect(await page.parameter("new")).toBe(null);
    expect(page.complaints).toEqual([]);
    await closeAll();
  });

  it("says so where it is empty, damaged, or the address is wrong", async () => {
    const empty = path.join(folder, "empty");
    const damaged = path.join(folder, "damaged");
    for (const each of [empty, damaged]) execFileSync(OPSIGHT, ["fleet", "push", fileOf("training"), "--to", each], { stdio: "ignore" });
    for (const run of fleet("list", empty)) rmSync(path.join(empty, "_runs", `${String(run.run)}.json`));
    for (const run of fleet("list", damaged)) writeFileSync(path.join(damaged, "_runs", `${String(run.run)}.json`), "no manifest");
    const page = await show([empty, damaged]);
    expect(await page.page.getByRole("heading", { name: "The store empty has no run yet" }).count()).toBe(1);
    await page.go("#/fleet?store=damaged");
    expect(await page.page.getByRole("alert").textContent()).toMatch(/[0-9a-f]{32}\.json/);
    await page.go("#/fleet?store=nobody&tab=all");
    const told = page.page.getByRole("status", { name: "The address was put right" });
    expect(await told.textContent()).toContain("There is no store “nobody”: “empty” is shown");
    expect(page.complaints).toEqual([]);
    await closeAll();
  });
});

describe("a store and profiles", () => {
  it("open each other: a run by its name where its profile is here under whatever name", async () => {
    const renamed = path.join(folder, "elsewhere.opsight");
    copyFileSync(fileOf("training"), renamed);
    const page = await show([renamed, store, fileOf("ranges")]);
    expect(await page.hash).toBe("#/fleet");
    const named = page.table("fleet_runs").root.locator('td[data-key="name"] a');
    expect((await named.allTextContents()).sort()).toEqual(["ranges", "training"]);
    await page.click(named.filter({ hasText: "training" }));
    expect(await page.hash).toBe("#/dashboard?profile=elsewhere");
    await page.press("g", "f");
    expect(await page.hash).toMatch(/^#\/fleet/);
    await choice(page, "Profile").selectOption("ranges");
    await page.idle();
    expect(await page.hash).toBe("#/dashboard?profile=ranges");
    expect(page.complaints).toEqual([]);
    await closeAll();
  });
});

it("says that no profile is at hand only once that is known", async () => {
  const page = await show([store, fileOf("ranges")]);
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.page.route("**/stores/0/profiles?*", async (route) => {
    await held;
    await route.continue();
  });
  await page.page.evaluate(() => {
    location.hash = "#/fleet?label=model%3Dcnn";
  });
  await page.table("fleet_runs").root.waitFor();
  await page.page.reload();
  await page.page.getByText("Looking which runs have their profile here").waitFor();
  expect(await page.page.getByText("No profile of these runs is open").count()).toBe(0);
  answer();
  await page.page.getByText("No profile of these runs is open").waitFor();
  await closeAll();
});

it("without a store the view says how to make one", async () => {
  await site().go("#/fleet");
  expect(await site().page.getByRole("heading", { name: "No store of runs is open" }).count()).toBe(1);
  expect(await site().page.getByRole("link", { name: "Fleet" }).getAttribute("title")).toContain("opsight view STORE");
});

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  it("no tab has a violation, nor is one wider than a phone", async () => {
    const page = await show([store], { colorScheme, viewport: { width: 390, height: 844 } });
    for (const tab of ["runs", "ranks", "ops", "tensor", "findings", "compare&base=model%3Dcnn&new=model%3Dmade"]) {
      await page.go(`#/fleet?tab=${tab}`);
      expect(await page.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), tab).toBe(0);
      expect(await violations(page.page), tab).toEqual([]);
    }
    await closeAll();
  });
});
