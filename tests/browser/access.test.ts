// Nobody is kept out: everything works from the keyboard, and an audit by axe finds nothing serious in any view.
import { describe, expect, it } from "vitest";
import { seriousViolations, violations } from "./audit";
import { has, useSite } from "./page";

const VIEWS = ["dashboard", "advice", "iterations", "types", "layers", "microscope", "ops?sel=1", "by-iteration", "by-op", "kernels", "kernels?tab=launches", "kernels?tab=tensor", "gpus", "memory", "communication", "ranks", "compare", "compare?pick=layer:%2F:%2F", "trend", "diagnostics"];

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  const site = useSite({ colorScheme });

  it.each(VIEWS)("%s has no serious violation", async (view) => {
    await site().show(view, has("gpu") ? "gpu" : "training");
    expect(await seriousViolations(site().page)).toEqual([]);
  });

  it.each(["microscope", "trend", "roofline"])("%s has no other violation either", async (view) => {
    await site().show(view, has("gpu") ? "gpu" : "training");
    expect(await violations(site().page)).toEqual([]);
  });

  it.skipIf(!has("ranks")).each(["ops", "ranks", "communication"])("%s of one rank of several has no serious violation", async (view) => {
    await site().show(`${view}?only_rank=3`, "ranks");
    expect(await seriousViolations(site().page)).toEqual([]);
  });

  it("nor have the panels, dialogs and errors", async () => {
    await site().show("ops");
    await site().click(site().page.getByRole("button", { name: "Filter by column" }));
    await site().click(site().page.getByRole("button", { name: "Choose columns" }));
    expect(await seriousViolations(site().page)).toEqual([]);
    await site().press("Escape", "?");
    expect(await seriousViolations(site().page)).toEqual([]);
    await site().press("Escape");
    await site().go("#/dashboard?profile=77");
    expect(await seriousViolations(site().page)).toEqual([]);
  });
});

describe("with the keyboard alone", () => {
  const site = useSite();
  const focused = () => site().page.evaluate(() => document.activeElement?.textContent ?? "");
  const title = () => site().page.getByRole("heading", { level: 1 }).textContent();

  it("to the content, to every view, and help", async () => {
    await site().show("dashboard");
    await site().page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
    });
    await site().press("Tab");
    expect(await focused()).toBe("To the content");
    await site().press("Enter");
    expect(await site().page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    await site().press("g", "o");
    expect(await title()).toBe("Ops and kernels");
    await site().press("?");
    const help = site().page.getByRole("dialog", { name: "Keyboard" });
    expect(await help.isVisible()).toBe(true);
    await site().press("g", "d");
    expect(await title()).toBe("Ops and kernels");
    await site().press("Escape");
    expect(await help.count()).toBe(0);
    await site().press("g", "l");
    expect(await title()).toBe("Layers");
  });

  it("through a table: search, rows, selection, details, pages", async () => {
    await site().show("ops");
    await site().press("/");
    await site().page.keyboard.type("a");
    await site().idle();
    expect(await site().parameter("search")).toBe("a");
    const rows = site().table("detailed").root.locator("tbody tr");
    await rows.first().focus();
    await site().press("ArrowDown", "ArrowDown", "Enter");
    const op = await site().parameter("sel");
    expect(op).not.toBeNull();
    expect(await rows.nth(2).getAttribute("aria-selected")).toBe("true");
    await site().press("End", "PageDown");
    expect(await site().parameter("page")).toBe("1");
    await rows.first().focus();
    await site().press("Escape");
    expect(await site().parameter("sel")).toBeNull();
  });

  it("through the tree of layers", async () => {
    await site().show("layers");
    await site().table("layers").root.locator("tbody tr").first().focus();
    const depth = () => site().page.evaluate(() => document.activeElement?.getAttribute("aria-level"));
    expect(await depth()).toBe("1");
    await site().press("ArrowRight");
    expect(await depth()).toBe("2");
    await site().press("ArrowLeft", "ArrowLeft");
    await site().press("Home", "ArrowLeft");
    expect(await site().table("layers").root.locator("tbody tr").count()).toBe(1);
    await site().press("ArrowRight", "Enter");
    expect(await site().parameter("sel")).toBe("/");
  });

  it("through tabs, and with the theme", async () => {
    await site().show("kernels");
    await site().page.getByRole("tab", { name: "By kernel and op" }).focus();
    await site().press("ArrowRight");
    expect(await site().parameter("tab")).toBe("launches");
    const theme = () => site().page.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await site().press("t");
    expect(await theme()).not.toBe(before);
    await site().page.reload();
    await site().idle();
    expect(await theme()).not.toBe(before);
  });
});
