// Small things that people trip over: what covers text, what stays, what leads nowhere, what is cut off.
import { describe, expect, it } from "vitest";
import { report, run, type JsonRow } from "./opsight";
import { fileOf, has, numberOf, useSite } from "./page";

const site = useSite();
const sql = (query: string): JsonRow[] => JSON.parse(run("sql", fileOf("gpu"), query, "--format", "json")) as JsonRow[];

describe.skipIf(!has("gpu"))("a row of a table", () => {
  it("keeps its icons beside its last column, not over it", async () => {
    await site().show("kernels?tab=launches", "gpu");
    const table = site().page.locator("[data-table]", { has: site().page.getByTitle("Show in timeline") }).first();
    const row = table.locator("tbody tr").first();
    await row.hover();
    const wrap = table.locator(".table-wrap");
    await wrap.evaluate((element) => {
      element.scrollLeft = element.scrollWidth;
    });
    const [last, icons] = await Promise.all([row.locator("td[data-key]").last().boundingBox(), row.locator("td.row-actions").boundingBox()]);
    expect(icons?.x).toBeGreaterThanOrEqual((last?.x ?? Infinity) + (last?.width ?? 0) - 1);
  });
});

describe("views that have nothing of a run", () => {
  it("are dimmed and say why; the others are not", async () => {
    await site().show("dashboard");
    const entry = (name: string) => site().page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
    const communication = entry("Communication");
    expect(await communication.getAttribute("title")).toBe("Nothing of this kind was recorded");
    expect(await communication.getAttribute("class")).toContain("nothing");
    const dim = await communication.evaluate((element) => getComputedStyle(element).color);
    const plain = await entry("Layers").evaluate((element) => getComputedStyle(element).color);
    expect(dim).not.toBe(plain);
    expect(await entry("Layers").getAttribute("title")).toBeNull();
  });
});

describe("the list of what can end an iteration", () => {
  it("begins with what takes most, and each is there more than once", async () => {
    await site().show("iterations");
    await site().click(site().page.getByRole("button", { name: /^up to the end of/ }));
    const rows = await site().table("key_ops").rows();
    expect(rows.length).toBeGreaterThan(3);
    const times = rows.map((row) => numberOf(row.total_cpu_time_ns ?? ""));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    for (const row of rows) expect(numberOf(row.calls ?? ""), row.name).toBeGreaterThanOrEqual(2);
  });
});

describe("the nodes of a model", () => {
  it("tell their time in the picture", async () => {
    await site().show("model");
    const graph = site().page.locator(".model-box");
    await graph.first().waitFor();
    const texts = await graph.evaluateAll((boxes) => boxes.filter((box) => box.getAttribute("aria-expanded") !== "true").map((box) => box.querySelectorAll("text")[1]?.textContent ?? ""));
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.filter((text) => /\d (ns|µs|ms|s)\b/.test(text)).length).toBeGreaterThan(texts.length / 2);
  });
});

describe.skipIf(!has("gpu"))("of a run on a GPU", () => {
  it("the top ops tell their type and their use of Tensor Cores", async () => {
    await site().show("dashboard", "gpu");
    const card = site().page.locator("section.card", { has: site().page.getByRole("heading", { name: "Top 10 GPU ops", exact: true }) });
    const shown = await card.locator("tbody tr").evaluateAll((rows) =>
      rows.map((row) => ({ name: row.querySelector("a")?.textContent, type: row.querySelector("td.type")?.getAttribute("title"), tc: row.querySelector(".badge")?.textContent })),
    );
    expect(shown.length).toBe(10);
    const ops = new Map(report(fileOf("gpu"), "detailed").map((row) => [row.op_name, row]));
    for (const { name, type, tc } of shown) {
      expect(type, name ?? "").toBe(ops.get(name ?? "")?.op_type);
      expect(tc, name ?? "").toBe("no"); // FP32 on a V100
    }
  });

  it("an iteration tells its kernels on Tensor Cores, and their part of the time", async () => {
    await site().show("iterations", "gpu");
    const wanted = report<{ iterations: JsonRow[] }>(fileOf("gpu"), "iteration").iterations;
    const rows = await site().table("iterations").rows();
    expect(rows.length).toBe(wanted.length);
    for (const [at, row] of rows.entries())
      for (const key of ["kernels", "tc_kernels"]) expect(numberOf(row[key] ?? ""), key).toBe(wanted[at]?.[key]);
    expect(rows.map((row) => numberOf(row.kernel_share_pct ?? "")).reduce((sum, share) => sum + share)).toBeCloseTo(100, 0);
  });

  it("the timeline shades what lies outside of the range", async () => {
    const [first] = sql("SELECT min(begin_ns) AS begin, max(end_ns) AS stop FROM iterations WHERE iteration = 3");
    const length = Number(first?.stop) - Number(first?.begin);
    await site().show(`timeline?iter_start=3&iter_stop=3&begin=${String(Number(first?.begin) - length)}&end=${String(Number(first?.stop) + length)}`, "gpu");
    const colours = await site().page.evaluate(() => {
      const bars = document.querySelectorAll<HTMLCanvasElement>(".tl-stage canvas")[1];
      if (!bars) throw new Error("nothing is drawn");
      // The commonest colour of a column of pixels is that of its background.
      const background = (part: number) => {
        const data = bars.getContext("2d")?.getImageData(Math.round(bars.width * part), 0, 1, bars.height).data ?? new Uint8ClampedArray();
        const seen = new Map<string, number>();
        for (let at = 0; at < data.length; at += 4) {
          const colour = data.slice(at, at + 3).join(" ");
          seen.set(colour, (seen.get(colour) ?? 0) + 1);
        }
        return [...seen].sort((a, b) => b[1] - a[1])[0]?.[0];
      };
      return [background(0.1), background(0.45), background(0.9)];
    });
    expect(colours[0]).toBe(colours[2]);
    expect(colours[0]).not.toBe(colours[1]);
  });

  it("what is told of the event under the pointer goes with the pointer", async () => {
    const [kernel] = sql("SELECT begin_ns, dur_ns FROM kernels ORDER BY dur_ns DESC LIMIT 1");
    const begin = Number(kernel?.begin_ns);
    const dur = Number(kernel?.dur_ns);
    await site().show(`timeline?begin=${String(begin - dur)}&end=${String(begin + 2 * dur)}`, "gpu");
    const stage = await site().page.locator(".tl-stage").boundingBox();
    const head = await site().page.locator(".tl-row", { has: site().page.locator(".title", { hasText: /^stream/ }) }).first().boundingBox();
    await site().page.mouse.move((stage?.x ?? 0) + (stage?.width ?? 0) / 2, (head?.y ?? 0) + 8);
    await site().idle();
    expect(await site().page.locator(".tl-tip").count()).toBe(1);
    await site().page.mouse.move(5, 5);
    await site().idle();
    expect(await site().page.locator(".tl-tip").count()).toBe(0);
  });
});
