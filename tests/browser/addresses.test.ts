// Everything that is shown stands in the address: bookmarks, the back button, links between views; and what happens
// where an address is wrong, a file cannot be read, or the server has gone.
import { copyFileSync, renameSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { report, startViewer, type Viewer } from "./opsight";
import { fileOf, has, idOf, made, Site, useSite } from "./page";

const site = useSite();

describe("addresses", () => {
  it("bring back a view as it was, in another window", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    await table.search("conv");
    await table.sortBy("calls");
    await site().click(table.root.locator("tbody tr").nth(1));
    const before = { rows: await table.rows(), hash: await site().hash };
    const page = await site().context.newPage();
    await page.goto(new URL(`/${before.hash}`, site().url).href);
    await page.evaluate(() => (globalThis as unknown as { opsightIdle: () => Promise<void> }).opsightIdle());
    const row = page.locator('[data-table="detailed"] tbody tr');
    expect(await row.count()).toBe(before.rows.length);
    expect(await page.locator('[data-table="detailed"] input[type=search]').inputValue()).toBe("conv");
    expect(await row.nth(1).getAttribute("aria-selected")).toBe("true");
    expect(await page.getByRole("complementary", { name: "Details" }).count()).toBe(1);
    await page.close();
  });

  it("go back step by step", async () => {
    await site().show("dashboard");
    const links = site().page.getByRole("navigation", { name: "Views" });
    await site().click(links.getByRole("link", { name: "Op types" }));
    await site().table("op_type").sortBy("calls");
    await site().page.goBack();
    await site().idle();
    expect(await site().parameter("sort")).toBeNull();
    await site().page.goBack();
    await site().idle();
    expect(await site().page.getByRole("heading", { level: 1 }).textContent()).toBe("Dashboard");
  });

  it.skipIf(!has("gpu"))("keep the steps that were gone back over, however fast", async () => {
    const picked = (): Promise<number | undefined> =>
      site().page.evaluate(() => (globalThis as unknown as { opsightTimeline?: { selected: { span: number } | null } }).opsightTimeline?.selected?.span);
    const written = () => expect.poll(async () => String((await picked()) ?? "") === (await site().parameter("span"))).toBe(true);
    await site().show("timeline?find=aten%3A%3Aconv2d", "gpu");
    await expect.poll(picked).toBeDefined();
    await written();
    const spans = [await picked()];
    await site().page.locator(".tl-stage").focus();
    for (let step = 0; step < 3; step++) {
      await site().press("ArrowRight");
      await expect.poll(picked).not.toBe(spans.at(-1));
      await written();
      spans.push(await picked());
    }
    // The answer to the first step back comes after the second step.
    const events = "**/timeline/event?*";
    await site().page.route(events, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await route.continue().catch(() => undefined);
    });
    try {
      await site().page.evaluate(() => {
        history.back();
        setTimeout(() => {
          history.back();
        }, 100);
      });
      await expect.poll(picked).toBe(spans[1]);
      await site().page.waitForTimeout(1000);
      expect(await picked()).toBe(spans[1]);
      await site().page.evaluate(() => {
        history.go(2);
      });
      await expect.poll(picked).toBe(spans[3]);
    } finally {
      await site().page.unroute(events);
    }
  });

  it("keep profile and range from view to view", async () => {
    await site().show("dashboard?iter_start=2&iter_stop=3");
    await site().click(site().page.getByRole("link", { name: "Layers", exact: true }));
    expect(await site().hash).toBe(`#/layers?profile=${idOf("training")}&iter_start=2&iter_stop=3`);
    expect(await site().page.getByRole("button", { name: /^Range of iterations/ }).textContent()).toContain("2–3");
  });

  it("say that comparing needs a second profile", async () => {
    const viewer = await startViewer([fileOf("training")]);
    try {
      const page = await site().context.newPage();
      await page.goto(viewer.url);
      const link = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Compare" });
      await expect.poll(() => link.getAttribute("title")).toContain("second profile");
      await page.close();
    } finally {
      await viewer.stop();
    }
  });

  it("choose a range in the bar at the top", async () => {
    await site().show("types");
    await site().click(site().page.getByRole("button", { name: /^Range of iterations/ }));
    const panel = site().page.getByRole("group", { name: /^Range of iterations/ });
    await panel.getByLabel("First").fill("3");
    await panel.getByLabel("Last").fill("4");
    await site().click(panel.getByRole("button", { name: "Apply" }));
    expect([await site().parameter("iter_start"), await site().parameter("iter_stop")]).toEqual(["3", "4"]);
    expect(await site().page.getByRole("button", { name: /^Range of iterations/ }).textContent()).toContain("3–4 · 2 of");
  });

  it("lead from an op's row on the dashboard to all ops of that name", async () => {
    await site().show("dashboard");
    const link = site().page.locator("section.card", { hasText: "Top 10 ops" }).locator("tbody a").first();
    const name = await link.textContent();
    await site().click(link);
    expect(new Set(await site().table("detailed").column("op_name"))).toEqual(new Set([name]));
  });
});

describe("rows and the timeline", () => {
  const details = () => site().page.getByRole("complementary");

  it.skipIf(!has("gpu"))("lead from a kernel's launch to its event, and back to the table", async () => {
    await site().show("kernels?tab=launches&sort=gpu_duration_ns:desc", "gpu");
    const row = site().table("kernels").root.locator("tbody tr").first();
    const kernel = (await site().table("kernels").column("kernel_name"))[0] ?? "";
    await site().click(row.getByRole("link", { name: "Show in timeline" }));
    expect(await site().page.getByRole("heading", { level: 1 }).textContent()).toBe("Timeline");
    expect(await details().textContent()).toContain(kernel);
    await site().click(details().getByRole("link", { name: "Show in table" }));
    expect(await site().hash).toMatch(/^#\/(kernels|ops)/);
  });

  it("lead from an op to its first event in the range", async () => {
    await site().show("ops");
    await site().click(site().table("detailed").root.locator("tbody tr").first());
    const name = (await details().getByRole("heading").textContent()) ?? "";
    await site().click(details().getByRole("link", { name: "Find in timeline" }));
    expect(await details().textContent()).toContain(name);
  });
});

describe("what is wrong is said", () => {
  const alert = () => site().page.locator("main").getByRole("alert");

  it("a profile that is not there", async () => {
    await site().go("#/dashboard?profile=yesterday");
    expect(await alert().textContent()).toContain("The run “yesterday” is not here");
    await site().click(alert().getByRole("link", { name: "Open training" }));
    expect(await site().page.getByRole("heading", { name: "Wall clock", exact: true }).count()).toBe(1);
  });

  it("a file that is damaged, with others to open", async () => {
    await site().show("dashboard", "damaged");
    expect(await alert().textContent()).toContain("damaged.opsight is truncated");
    expect(await alert().getByRole("link").count()).toBeGreaterThan(0);
  });

  it("a file that is not a profile", async () => {
    await site().show("ops", "foreign");
    expect(await alert().getByRole("heading").textContent()).toBe("This file is not a profile");
  });

  it("a view that does not exist", async () => {
    await site().go("#/nonsense");
    expect(await site().page.getByText("There is no view “nonsense”").isVisible()).toBe(true);
  });

  it("a server that has gone: what was there stays, and it says what to do", async () => {
    const viewer = await startViewer([fileOf("training")]);
    const other = await Site.open(site().context.browser() ?? raise(), viewer.url);
    try {
      await other.show("types");
      const before = await other.table("op_type").rows();
      await viewer.stop();
      await other.click(other.table("op_type").root.locator('th[data-key="calls"] button'));
      const banner = other.page.locator(".banner[role=alert]");
      await banner.waitFor();
      expect(await banner.textContent()).toContain("opsight view");
      expect((await other.table("op_type").rows()).length).toBe(before.length);
      expect(await other.page.getByText("The server does not answer", { exact: false }).count()).toBe(1);
    } finally {
      await viewer.stop();
      await other.context.close();
    }
  });
});

describe("a server that was started anew", () => {
  it("says that it has another token, and goes on at the same view when it is given", async () => {
    const first = await startViewer([fileOf("training")]);
    const other = await Site.open(site().context.browser() ?? raise(), first.url);
    let second: Viewer | null = null;
    try {
      await other.show("ops?search=conv");
      const before = await other.table("detailed").rows();
      await first.stop();
      await other.click(other.table("detailed").root.locator('th[data-key="calls"] button'));
      second = await startViewer([fileOf("training")], "-p", new URL(first.url).port);
      const given = other.page.getByLabel("URL that opsight view printed");
      await given.waitFor();
      expect((await other.table("detailed").rows()).length).toBe(before.length);
      await given.fill("no such thing");
      await other.press("Enter");
      expect(await other.page.getByText("That has no token.").count()).toBe(1);
      await given.fill(second.url);
      await other.page.keyboard.press("Enter");
      await other.page.waitForLoadState();
      await other.page.waitForFunction(() => document.querySelector(".banner") === null);
      await other.idle();
      expect(await other.parameter("search")).toBe("conv");
      expect(await other.parameter("sort")).toMatch(/^calls/);
      expect((await other.table("detailed").rows()).length).toBe(before.length);
    } finally {
      await first.stop();
      await second?.stop();
      await other.context.close();
    }
  });
});

describe("a profile that is written anew", () => {
  it.skipIf(!has("gpu"))("is not mixed with the one before, and shown on request", async () => {
    const file = path.join(made().folder, "again.opsight");
    copyFileSync(fileOf("training"), file);
    const viewer = await startViewer([file]);
    const other = await Site.open(site().context.browser() ?? raise(), viewer.url);
    try {
      await other.show("types", "again");
      const before = await other.table("op_type").rows();
      copyFileSync(fileOf("gpu"), `${file}.new`);
      renameSync(`${file}.new`, file);
      await other.click(other.table("op_type").root.locator('th[data-key="calls"] button'));
      const banner = other.page.locator(".banner[role=alert]");
      await banner.waitFor();
      expect(await banner.textContent()).toContain("written anew");
      expect(await other.table("op_type").rows()).toEqual(before);
      await banner.getByRole("button", { name: "Show the new one" }).click();
      await other.page.waitForFunction(() => document.querySelector(".banner") === null);
      await other.idle();
      const expected = report(fileOf("gpu"), "op_type", "--sort", "calls:desc", "--limit", "25");
      expect(await other.table("op_type").column("op_type")).toEqual(expected.map((row) => row.op_type));
    } finally {
      await viewer.stop();
      await other.context.close();
    }
  });
});

function raise(): never {
  throw new Error("no browser");
}
