// A narrow window, as of a phone: every view keeps within it, and scrolls only where a table does.
import { describe, expect, it } from "vitest";
import { has, useSite } from "./page";

const site = useSite({ viewport: { width: 390, height: 844 } });

const VIEWS = ["dashboard", "advice", "iterations", "timeline", "ranges", "types", "layers", "ops?sel=512", "roofline", "microscope", "by-iteration?sel=2~0", "by-op", "kernels", "gpus", "memory", "communication", "ranks", "recorded", "compare", "trend", "diagnostics"];

describe.skipIf(!has("gpu"))("in a narrow window", () => {
  it.each(VIEWS)("%s is no wider", async (view) => {
    await site().show(view, "gpu");
    expect(await site().page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  });
});

describe.skipIf(!has("ranks"))("one rank of several, in a narrow window", () => {
  it.each(["dashboard", "timeline", "communication", "ranks"])("%s is no wider, and the choice stands whole in it", async (view) => {
    await site().show(`${view}?only_rank=3`, "ranks");
    expect(await site().page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    const box = await site().page.getByRole("combobox", { name: "Ranks shown" }).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
  });
});
