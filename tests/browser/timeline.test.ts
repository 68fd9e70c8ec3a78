// The timeline: known events lie where they must, with the chain that the profile's own tables tell; search and sums
// count what SQL counts; everything works by keyboard.
import { describe, expect, it } from "vitest";
import { seriousViolations } from "./audit";
import { run, type JsonRow } from "./opsight";
import { fileOf, has, idOf, numberOf, useSite } from "./page";

const site = useSite();
const gpu = describe.skipIf(!has("gpu"));

const sql = (statement: string): JsonRow[] => JSON.parse(run("sql", fileOf("gpu"), statement, "--format", "json")) as JsonRow[];

interface Shown {
  view: { begin: number; end: number; width: number };
  selected: { name: string; span: number; begin_ns: number; dur_ns: number; depth: number } | null;
  range: { begin: number; end: number } | null;
}
// What the timeline says that it shows.
const shown = (): Promise<Shown> =>
  site().page.evaluate(() => {
    const { view, selected, range } = (globalThis as unknown as { opsightTimeline: Shown }).opsightTimeline;
    return { view, selected, range };
  });

const show = (query: string) => site().go(`#/timeline?profile=${idOf("gpu")}&${query}`);

// Where a time of a row lies on the screen: rows by the place of their names.
async function pointOf(row: string, time: number, depth = 0): Promise<{ x: number; y: number }> {
  const stage = await site().page.locator(".tl-stage").boundingBox();
  const head = await site().page.locator(".tl-row", { has: site().page.locator(`.title:text-is("${row}")`) }).first().boundingBox();
  if (!stage || !head) throw new Error(`no row ${row}`);
  const { view } = await shown();
  return { x: stage.x + ((time - view.begin) / (view.end - view.begin)) * view.width, y: head.y + 3 + 18 * depth + 8 };
}

const chain = (): Promise<string[]> =>
  site().page.locator(".tl-chain").first().locator("li").evaluateAll((items) =>
    items.map((item) => `${item.querySelector(".role")?.textContent ?? ""} ${item.querySelector(".link")?.textContent ?? ""}`),
  );

// Kernels with what launched them, from the middle of the run.
function kernels(count: number): JsonRow[] {
  return sql(
    `SELECT k.begin_ns, k.dur_ns, k.label, k.stream, k.op_span, k.iteration, a.name AS call, a.begin_ns AS call_begin
     FROM kernels k JOIN api_calls a ON a.id = k.launch_id WHERE k.dur_ns > 20000 AND k.op_span IS NOT NULL
     ORDER BY k.begin_ns LIMIT ${String(count)} OFFSET 800`,
  );
}

function opsAround(op: number): string[] {
  const names: string[] = [];
  for (let at: number | null = op; at !== null; ) {
    const row: JsonRow | undefined = sql(`SELECT name, parent_op FROM ops WHERE id = ${String(at)}`)[0];
    names.push(`op ${String(row?.name)}`);
    at = typeof row?.parent_op === "number" ? row.parent_op : null;
  }
  return names;
}

gpu("an event", () => {
  it("is found by the pointer where it lies, with its chain up to the iteration", async () => {
    for (const kernel of kernels(3)) {
      const begin = Number(kernel.begin_ns);
      const dur = Number(kernel.dur_ns);
      await show(`begin=${String(begin - 20 * dur)}&end=${String(begin + 20 * dur)}`);
      const { x, y } = await pointOf(`stream ${String(kernel.stream)}`, begin + dur / 2);
      await site().page.mouse.move(x, y);
      await site().idle();
      expect(await site().page.locator(".tl-tip b").textContent()).toBe(kernel.label);
      await site().page.mouse.click(x, y);
      await site().idle();
      expect((await shown()).selected).toMatchObject({ name: kernel.label, begin_ns: begin, dur_ns: dur, depth: 0 });
      const expected = [`kernel ${String(kernel.label)}`, `API call ${String(kernel.call)}`, ...opsAround(Number(kernel.op_span)), `iteration Iteration ${String(kernel.iteration)}`];
      expect((await chain()).filter((line) => !line.startsWith("layer"))).toEqual(expected);
      await site().click(site().page.locator(".tl-chain li", { hasText: "API call" }).locator("button").first());
      expect((await shown()).selected).toMatchObject({ name: kernel.call, begin_ns: Number(kernel.call_begin) });
      const launched = await site().page.locator(".tl-chain").last().locator("li").allTextContents();
      expect(launched.some((line) => line.includes(String(kernel.label)))).toBe(true);
    }
  });

  it("is drawn in the colour of its kind, from its begin to its end", async () => {
    const [kernel] = kernels(1);
    const begin = Number(kernel?.begin_ns);
    const dur = Number(kernel?.dur_ns);
    await show(`begin=${String(begin - dur)}&end=${String(begin + 2 * dur)}`);
    const colors = await site().page.evaluate(({ from, length }) => {
      const { view } = (globalThis as unknown as { opsightTimeline: Shown }).opsightTimeline;
      const bars = document.querySelectorAll<HTMLCanvasElement>(".tl-stage canvas")[1];
      const head = [...document.querySelectorAll(".tl-row")].find((row) => row.querySelector(".title")?.textContent?.startsWith("stream"));
      if (!bars || !head) throw new Error("nothing is drawn");
      const y = Math.round(head.getBoundingClientRect().top - bars.getBoundingClientRect().top + 8);
      const at = (time: number) => {
        const x = Math.round(((time - view.begin) / (view.end - view.begin)) * view.width);
        return [...(bars.getContext("2d")?.getImageData(x, y, 1, 1).data.slice(0, 3) ?? [])].join(" ");
      };
      return { inside: at(from + length * 0.1), late: at(from + length * 0.9) };
    }, { from: begin, length: dur });
    const wanted = await site().page.evaluate((uses) => {
      const name = uses === "yes" ? "--c-tensor_core" : uses === "no" ? "--c-other_kernel" : "--c-unknown";
      const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1);
      return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(" ");
    }, sql(`SELECT uses_tc FROM kernels WHERE begin_ns = ${String(begin)}`)[0]?.uses_tc);
    expect(colors).toEqual({ inside: wanted, late: wanted });
  });

  it("is reached from its row in a table, and leads back to the table", async () => {
    await site().show("kernels?tab=launches", "gpu");
    await site().click(site().page.getByTitle("Show in timeline").first());
    const { selected } = await shown();
    const [kernel] = sql(`SELECT label FROM kernels WHERE begin_ns = ${String(selected?.begin_ns)}`);
    expect(selected?.name).toBe(kernel?.label);
    await site().click(site().page.getByText("Show in table"));
    expect(await site().hash).toContain("#/kernels");
    const row = site().table("kernels").root.locator("tbody tr.selected");
    expect(numberOf((await row.locator('[data-key="gpu_start_ns"]').getAttribute("title")) ?? "")).toBe(selected?.begin_ns);
  });

  it("leads to the very row in its table, on whichever page that is, and scrolls to it", async () => {
    const [late] = sql("SELECT id, begin_ns FROM kernels WHERE iteration = 4 ORDER BY begin_ns LIMIT 1 OFFSET 700");
    const [early] = sql("SELECT begin_ns FROM kernels WHERE iteration = 0 ORDER BY begin_ns LIMIT 1 OFFSET 40");
    for (const begin of [late?.begin_ns, early?.begin_ns]) {
      const [kernel] = sql(`SELECT label FROM kernels WHERE begin_ns = ${String(begin)}`);
      await show(`find=${encodeURIComponent(String(kernel?.label))}&at=${String(begin)}`);
      await site().click(site().page.getByText("Show in table"));
      const row = site().table("kernels").root.locator("tbody tr.selected");
      expect(numberOf((await row.locator('[data-key="gpu_start_ns"]').getAttribute("title")) ?? "")).toBe(begin);
      const [end, bottom] = await row.evaluate((line) => [line.getBoundingClientRect().bottom, line.closest(".table-wrap")?.getBoundingClientRect().bottom ?? 0]);
      expect(end).toBeLessThanOrEqual((bottom ?? 0) + 2);
    }
    // Thousands of rows that are equal in what the table is sorted by.
    const [far] = sql("SELECT rank, device, stream, begin_ns, correlation FROM kernels ORDER BY iteration DESC, begin_ns DESC LIMIT 1");
    const [tied] = sql("SELECT count(*) AS kernels FROM kernels WHERE uses_tc = 'no'");
    expect(tied?.kernels).toBeGreaterThan(20 * 25);
    const selection = [far?.rank, far?.device, far?.stream, far?.begin_ns, far?.correlation].join("~");
    await site().show(`kernels?tab=launches&all=1&sort=uses_tc:asc&sel=${selection}&reveal=1`, "gpu");
    const shownRow = site().table("kernels").root.locator("tbody tr.selected");
    expect(numberOf((await shownRow.locator('[data-key="gpu_start_ns"]').getAttribute("title")) ?? "")).toBe(far?.begin_ns);
    await show("find=aten%3A%3Acudnn_batch_norm_backward");
    const op = await shown();
    await site().click(site().page.getByText("Show in table"));
    const name = await site().table("detailed").root.locator('tbody tr.selected [data-key="op_name"]').getAttribute("title");
    expect(name).toBe(op.selected?.name);
  });
});

gpu("coming back", () => {
  it("finds window and selection as they were, by the link and by the back button", async () => {
    await show("find=aten%3A%3Aconv2d");
    await site().page.locator(".tl-stage").focus();
    await site().press("+");
    const before = await shown();
    await site().click(site().page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Op types" }));
    await site().click(site().page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Timeline" }));
    await expect.poll(async () => (await shown()).selected?.span).toBe(before.selected?.span);
    expect((await shown()).view.begin).toBeCloseTo(before.view.begin, -1);
    expect((await shown()).view.end).toBeCloseTo(before.view.end, -1);
    await site().page.goBack();
    await site().page.goBack();
    await site().idle();
    await expect.poll(async () => (await shown()).selected?.span).toBe(before.selected?.span);
    expect((await shown()).view.begin).toBeCloseTo(before.view.begin, -1);
  });
  it("words the details as tables do", async () => {
    await show("find=aten%3A%3Acudnn_batch_norm_backward");
    const text = await site().page.getByRole("complementary").textContent();
    expect(text).toContain("backward");
    expect(text).not.toContain("bprop");
    expect(text).toMatch(/Begin[\d,]+\.\d{6} ms/);
  });
});

gpu("the search", () => {
  it("counts what SQL counts and goes through it in time, forward and back", async () => {
    const [all] = sql("SELECT count(*) AS n FROM ops WHERE name ILIKE '%conv2d%'");
    const first = sql("SELECT begin_ns FROM ops WHERE name ILIKE '%conv2d%' ORDER BY begin_ns LIMIT 3").map((row) => row.begin_ns);
    await show("begin=0&end=846695000");
    const { page } = site();
    await page.keyboard.press("/");
    await page.keyboard.type("Conv2D");
    const found: number[] = [];
    for (const keys of ["Enter", "Enter", "Enter", "Shift+Enter"]) {
      await site().press(keys);
      found.push((await shown()).selected?.begin_ns ?? -1);
    }
    expect(found).toEqual([first[0], first[1], first[2], first[1]]);
    expect(await page.locator(".tl-found").textContent()).toBe(`2 of ${Number(all?.n).toLocaleString("en-US")}`);
    await page.locator(".tl-search input").fill("no such name");
    await site().press("Enter");
    expect(await page.locator(".tl-found").textContent()).toBe("no match");
  });
});

gpu("a stretch of time", () => {
  it("is chosen with Shift and added up by name, cut at its ends", async () => {
    const [span] = sql("SELECT min(begin_ns) AS b, max(end_ns) AS e FROM kernels WHERE iteration = 2");
    await show(`begin=${String(span?.b)}&end=${String(span?.e)}`);
    const { page } = site();
    const stage = await page.locator(".tl-stage").boundingBox();
    if (!stage) throw new Error("no stage");
    await page.keyboard.down("Shift");
    await page.mouse.move(stage.x + stage.width * 0.2, stage.y + 200);
    await page.mouse.down();
    await page.mouse.move(stage.x + stage.width * 0.7, stage.y + 210, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.locator(".tl-sums tbody tr").first().waitFor();
    await site().idle();
    const { range } = await shown();
    const begin = Math.round(range?.begin ?? 0);
    const end = Math.round(range?.end ?? 0);
    const expected = sql(
      `SELECT name, count(*) AS n, sum(least(end_ns, ${String(end)}) - greatest(begin_ns, ${String(begin)})) AS total FROM kernels
       WHERE begin_ns < ${String(end)} AND end_ns > ${String(begin)} GROUP BY name ORDER BY total DESC LIMIT 5`,
    );
    const rows = await page.locator(".tl-sums tbody tr").evaluateAll((list) =>
      list.map((row) => Object.fromEntries([...row.querySelectorAll("td")].map((cell) => [cell.dataset.key ?? "", cell.getAttribute("title") ?? ""]))),
    );
    for (const row of expected) {
      const found = rows.find((cells) => cells.name === row.name);
      expect(numberOf(found?.count ?? ""), String(row.name)).toBe(row.n);
      expect(numberOf(found?.total_ns ?? ""), String(row.name)).toBe(Number(row.total));
    }
    await site().click(page.getByLabel("Close the sums"));
    expect((await shown()).range).toBeNull();
  });
});

gpu("the keyboard", () => {
  it("moves the picture without a click on it first, and leaves text fields alone", async () => {
    await show("begin=300000000&end=400000000");
    await site().page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
    });
    const width = async () => {
      const { view } = await shown();
      return view.end - view.begin;
    };
    const before = await width();
    await site().page.keyboard.down("w");
    await site().page.waitForTimeout(150);
    await site().page.keyboard.up("w");
    expect(await width()).toBeLessThan(before);
    const { view } = await shown();
    await site().page.keyboard.press("/");
    await site().page.keyboard.type("wasd");
    expect((await shown()).view).toEqual(view);
    await site().page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
    });
    await site().press("g", "d");
    expect(await site().page.getByRole("heading", { level: 1 }).textContent()).toBe("Dashboard");
  });

  it("keeps the zoom from event to event", async () => {
    await show("find=aten%3A%3Aconv2d");
    const { view } = await shown();
    for (let step = 0; step < 5; step++) await site().press("ArrowRight");
    const after = await shown();
    expect(after.selected?.begin_ns).toBeGreaterThan(view.begin);
    expect(after.view.end - after.view.begin).toBeCloseTo(view.end - view.begin, 0);
  });

  it("goes from event to event, says which, zooms, and lets go", async () => {
    const ops = sql("SELECT name, begin_ns FROM ops WHERE parent_op IS NULL AND tid = (SELECT tid FROM ops WHERE name = 'aten::conv2d' LIMIT 1) ORDER BY begin_ns");
    const at = ops.findIndex((row) => row.name === "aten::conv2d");
    await show("find=aten%3A%3Aconv2d");
    expect((await shown()).selected?.begin_ns).toBe(ops[at]?.begin_ns);
    await site().page.locator(".tl-stage").focus();
    const said = () => site().page.locator(".tl-frame [aria-live]").textContent();
    await site().press("ArrowRight");
    expect((await shown()).selected).toMatchObject({ name: ops[at + 1]?.name, begin_ns: ops[at + 1]?.begin_ns });
    expect(await said()).toContain(String(ops[at + 1]?.name));
    await site().press("ArrowLeft", "ArrowDown");
    expect((await shown()).selected?.depth).toBe(1);
    await site().press("ArrowUp");
    expect((await shown()).selected?.begin_ns).toBe(ops[at]?.begin_ns);
    const length = async () => (await shown()).view.end - (await shown()).view.begin;
    const before = await length();
    await site().press("+");
    expect(await length()).toBeCloseTo(before / 2, -1);
    await site().press("0");
    const [whole] = sql("SELECT max(end_ns) - min(begin_ns) AS ns FROM ops");
    expect(await length()).toBeGreaterThan(Number(whole?.ns) * 0.99);
    await site().press("Escape");
    expect((await shown()).selected).toBeNull();
    expect(await said()).toBe("");
  });

  it("takes every step, also where details arrive between two keys", async () => {
    const ops = sql("SELECT begin_ns FROM ops WHERE parent_op IS NULL AND tid = (SELECT tid FROM ops WHERE name = 'aten::conv2d' LIMIT 1) AND begin_ns >= (SELECT min(begin_ns) FROM ops WHERE name = 'aten::conv2d') ORDER BY begin_ns LIMIT 4");
    await show("find=aten%3A%3Aconv2d");
    await site().page.locator(".tl-stage").focus();
    const windows = "**/timeline/window?*";
    await site().page.route(windows, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await route.continue();
    });
    try {
      await site().press("ArrowRight", "ArrowRight", "ArrowRight");
      await expect.poll(async () => (await shown()).selected?.begin_ns).toBe(ops[3]?.begin_ns);
    } finally {
      await site().page.unroute(windows);
    }
  });

  it("opens and closes rows", async () => {
    await show("");
    const rows = await site().page.locator(".tl-row").count();
    const button = site().page.locator('.tl-row.group button[aria-expanded="true"]').first();
    await button.focus();
    await site().press("Enter");
    expect(await site().page.locator(".tl-row").count()).toBeLessThan(rows);
    await site().press("Enter");
    expect(await site().page.locator(".tl-row").count()).toBe(rows);
  });
});

gpu("the address", () => {
  it("holds the window and the selected event, and brings both back", async () => {
    await show("find=aten%3A%3Aconv2d");
    await site().page.waitForFunction(() => location.hash.includes("span="));
    const hash = await site().hash;
    const before = await shown();
    await site().go("#/nothing");
    await site().go(hash);
    const after = await shown();
    expect(after.selected).toMatchObject({ name: "aten::conv2d", begin_ns: before.selected?.begin_ns });
    expect(after.view.begin).toBeCloseTo(before.view.begin, -1);
    expect(after.view.end).toBeCloseTo(before.view.end, -1);
  });
});

describe.skipIf(!has("gpu")).each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  const themed = useSite({ colorScheme });
  it("an audit finds nothing serious, with details and sums open", async () => {
    await themed().go(`#/timeline?profile=${idOf("gpu")}&find=aten%3A%3Aconv2d`);
    const { page } = themed();
    const stage = await page.locator(".tl-stage").boundingBox();
    if (!stage) throw new Error("no stage");
    await page.mouse.move(stage.x + 50, stage.y + 55);
    await page.mouse.down();
    await page.mouse.move(stage.x + 250, stage.y + 55, { steps: 3 });
    await page.mouse.up();
    await page.locator(".tl-sums tbody tr").first().waitFor();
    await themed().idle();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
