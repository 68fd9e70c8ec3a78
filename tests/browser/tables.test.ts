// Every table sorts, filters, searches, pages, chooses columns and exports.
import { readFileSync } from "node:fs";
import type { Download, Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { report, type JsonRow } from "./opsight";
import { expectSame, fileOf, numberOf, useSite } from "./page";

const site = useSite();
const rows = (...options: string[]): JsonRow[] => report(fileOf("training"), "detailed", ...options);

async function downloaded(link: Locator): Promise<[string, string]> {
  const [download] = await Promise.all([site().page.waitForEvent("download"), link.click()]);
  return [download.suggestedFilename(), readFileSync(await (download as Download).path(), "utf8")];
}

describe("a table", () => {
  it("sorts at the server: down, up, and back to its own order", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    const own = await table.column("self_cpu_time_ns");
    for (const order of ["desc", "asc"]) {
      await table.sortBy("calls");
      expect(await site().parameter("sort")).toBe(`calls:${order}`);
      const expected = rows("--sort", `calls:${order}`, "--limit", "25").map((row) => row.calls);
      expect((await table.column("calls")).map(numberOf)).toEqual(expected);
      const head = table.root.locator('th[data-key="calls"]');
      expect(await head.getAttribute("aria-sort")).toBe(order === "desc" ? "descending" : "ascending");
    }
    await table.sortBy("calls");
    expect(await site().parameter("sort")).toBeNull();
    expect(await table.column("self_cpu_time_ns")).toEqual(own);
  });

  it("filters by column, text and number with units", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    await table.filter("op_name", "conv");
    await table.filter("total_cpu_time_ns", "> 1 ms");
    const expected = rows().filter((row) => String(row.op_name).toLowerCase().includes("conv") && Number(row.total_cpu_time_ns) > 1e6);
    expect(expected.length).toBeGreaterThan(0);
    expect(await table.count()).toContain(`of ${String(expected.length)} (`);
    const shown = (await table.column("op_name")).concat();
    expect(shown.every((name) => name.toLowerCase().includes("conv"))).toBe(true);
    expect((await table.column("total_cpu_time_ns")).map(numberOf).every((ns) => ns > 1e6)).toBe(true);
    expect(new URLSearchParams((await site().hash).split("?")[1]).getAll("filter")).toEqual(["op_name:contains:conv", "total_cpu_time_ns:gt:1000000"]);
  });

  it("says where a filter is not a number, and asks for nothing then", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    await table.filter("calls", "> many");
    const input = table.root.locator('.filter-row td[data-key="calls"] input');
    expect(await input.getAttribute("aria-invalid")).toBe("true");
    expect(await site().parameter("filter")).toBeNull();
  });

  it("searches in all texts, and says so when nothing matches", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    await table.search("BATCH_NORM");
    const shown = await table.rows();
    expect(shown.length).toBeGreaterThan(0);
    expect(await site().parameter("search")).toBe("BATCH_NORM");
    await table.search("no op has this name");
    expect(await table.root.getByText("No row matches").isVisible()).toBe(true);
    await site().click(table.root.getByRole("button", { name: "Take search and filters away" }));
    expect((await table.rows()).length).toBe(25);
  });

  it("pages, with a size of one's own, and every row once", async () => {
    await site().show("ops?size=100");
    const table = site().table("detailed");
    const all = rows("--sort", "self_cpu_time_ns:desc");
    const seen: number[] = [];
    for (let page = 0; page * 100 < all.length; page++) {
      seen.push(...(await table.column("self_cpu_time_ns")).map(numberOf));
      const next = table.root.getByRole("button", { name: "Page on" });
      if (await next.isEnabled()) await site().click(next);
    }
    expect(seen).toEqual(all.map((row) => row.self_cpu_time_ns));
  });

  it("shows the columns that one chooses, and keeps them in the address", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    await site().click(table.root.getByRole("button", { name: "Choose columns" }));
    await site().click(table.root.getByRole("checkbox", { name: "Op ID" }));
    await site().press("Escape");
    const expected = rows("--sort", "self_cpu_time_ns:desc", "--limit", "25").map((row) => String(row.op_id));
    expect(await table.column("op_id")).toEqual(expected);
    await site().page.reload();
    await site().idle();
    expect(await table.column("op_id")).toEqual(expected);
  });

  it("exports what matches, all pages of it, as CSV and JSON", async () => {
    await site().show("ops?filter=op_name:contains:conv&sort=calls:asc");
    const table = site().table("detailed");
    const expected = rows("--sort", "calls:asc").filter((row) => String(row.op_name).toLowerCase().includes("conv"));
    const open = table.root.getByRole("button", { name: "Export all matching rows" });
    await site().click(open);
    const [json, jsonText] = await downloaded(table.root.getByRole("link", { name: "JSON" }));
    expect(json).toMatch(/\.json$/);
    expect(JSON.parse(jsonText)).toEqual(expected);
    await site().click(open);
    const [csv, csvText] = await downloaded(table.root.getByRole("link", { name: "CSV" }));
    expect(csv).toMatch(/\.csv$/);
    const lines = csvText.trim().split("\n");
    expect(lines[0]).toContain("Op Name");
    expect(lines.length).toBe(expected.length + 1);
  });

  it("copies to the clipboard what the CSV holds", async () => {
    await site().context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await site().show("types");
    const table = site().table("op_type");
    await site().click(table.root.getByRole("button", { name: "Export all matching rows" }));
    await site().click(table.root.getByRole("button", { name: "Copy as CSV" }));
    const copied = await site().page.evaluate(() => navigator.clipboard.readText());
    const expected = report(fileOf("training"), "op_type");
    expect(copied.trim().split("\n").length).toBe(expected.length + 1);
    expect(await table.root.getByText("copied to the clipboard").count()).toBe(1);
  });

  it("shows all of a row in its details, which can be closed", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    await site().click(table.root.locator("tbody tr").nth(2));
    const expected = rows("--sort", "self_cpu_time_ns:desc", "--limit", "3")[2] as JsonRow;
    expect(await site().parameter("sel")).toBe(String(expected.op_id));
    const details = site().page.getByRole("complementary", { name: "Details" });
    const facts = new Map(
      await details.locator(".facts dd").evaluateAll((all) => all.map((each) => [each.getAttribute("data-key") ?? "", each.getAttribute("title") ?? each.textContent ?? ""] as const)),
    );
    // What a run without a GPU leaves out is about the GPU: empty, or what the CPU's time says already.
    const left = Object.entries(expected).filter(([key]) => !facts.has(key));
    expect(facts.size + left.length).toBe(Object.keys(expected).length);
    expect(facts.size).toBeGreaterThan(15);
    for (const [key, value] of left) expect([0, false, null, "no", key.includes("overhead") ? expected[key.replace("overhead", "time")] : 0], key).toContain(value);
    for (const [key, shown] of facts) expectSame(shown, expected[key], key);
    await site().click(details.getByRole("button", { name: "Close details" }));
    expect(await details.count()).toBe(0);
    expect(await site().parameter("sel")).toBeNull();
  });

  it("says op types in words, with what the framework calls them", async () => {
    await site().show("types");
    const cell = site().table("op_type").root.locator('tbody td[data-key="op_type"][title="convolution_backward"]');
    expect(await cell.locator("a").textContent()).toBe("Convolution, backward");
    expect(await cell.locator(".apart").textContent()).toBe("convolution_backward");
  });

  it("shows the exact value on hover and a fitting unit in the cell", async () => {
    await site().show("ops");
    const cell = site().table("detailed").root.locator('tbody td[data-key="total_cpu_time_ns"]').first();
    expect(await cell.getAttribute("title")).toMatch(/^[\d,]+ ns$/);
    expect(await cell.textContent()).toMatch(/^[\d.,]+ (µs|ms|s)/);
  });
});
