// A program with NVTX ranges and no framework: what the views say of it are the numbers of `opsight report`, and what
// is not there is said with what to do about it.
import { describe, expect, it } from "vitest";
import { report, type JsonRow, type Summary } from "./opsight";
import { expectSame, fileOf, has, useSite } from "./page";

const site = useSite();

const card = (title: string) => site().page.locator("section.card", { has: site().page.getByRole("heading", { name: title, exact: true }) });
const numbersOf = (title: string): Promise<string[][]> =>
  card(title).locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [row.querySelector("a")?.textContent ?? "", ...[...row.querySelectorAll(".num")].map((cell) => cell.getAttribute("title") ?? "")]),
  );

describe.each(["ranges", "ranges_gpu"])("the dashboard of %s", (profile) => {
  it("shows wall clock, threads and the ranges that take most", async () => {
    const summary = report<Summary>(fileOf(profile), "summary");
    await site().show("dashboard", profile);
    expectSame((await card("Wall clock").locator(".big .num").getAttribute("title")) ?? "", summary.wall_clock_ns, "wall clock");
    const threads = card("Wall clock").locator("dl > div", { hasText: "Threads" }).locator(".num");
    expectSame((await threads.getAttribute("title")) ?? "", 2, "threads");
    for (const [title, key] of [["Ranges by own time", "self_time_ns"], ["Ranges by total time", "total_time_ns"]] as const) {
      const wanted = report(fileOf(profile), "ranges", "--merge-numbers", "--sort", `${key}:desc`, "--limit", "10").filter((row) => row[key] !== null);
      const shown = await numbersOf(title);
      expect(shown.map((row) => row[0])).toEqual(wanted.map((row) => row.range));
      wanted.forEach((row, at) => {
        expectSame(shown[at]?.[1], row.calls, "calls");
        expectSame(shown[at]?.[2], row[key], key);
      });
    }
    const [first] = report(fileOf(profile), "ranges", "--merge-numbers", "--limit", "1");
    // Beside a GPU's work a range may only wait.
    const headline = await site().page.getByRole("region", { name: "The range that takes most" }).allTextContents();
    expect(headline.length).toBe(profile === "ranges" ? 1 : 0);
    expect(headline.every((text) => text.includes(`“${String(first?.range)}”`))).toBe(true);
  });

  it("says nothing about what the program does not have", async () => {
    await site().show("dashboard", profile);
    const text = (await site().page.locator("main").textContent()) ?? "";
    for (const word of ["torch", "Findings", "rules", "Top layers", "0.00%"]) expect(text).not.toContain(word);
    expect(await card("Where the wall clock goes").count()).toBe(1);
  });

  it("suggests what to take as iterations", async () => {
    await site().show("dashboard", profile);
    await site().click(card("Iterations").getByRole("link", { name: "Take each as an iteration" }));
    expect(await site().parameter("iteration_range")).toBe("^step$");
    const summary = report<Summary>(fileOf(profile), "summary", "--iteration-range", "^step$");
    expectSame((await card("Iteration time").locator(".big .num").getAttribute("title")) ?? "", summary.iterations.avg_iteration_time_ns, "average");
    await site().show("iterations", profile);
    expect(await site().page.getByText("The range “step” comes 12 times", { exact: false }).count()).toBe(1);
  });
});

describe("the ranges", () => {
  it.each(["", "iteration_range=^step$&iter_start=3&iter_stop=5", "key_op=step"])("have the numbers of the report: %s", async (query) => {
    const options = [...new URLSearchParams(query)].flatMap(([key, value]) => [`--${key.replace("_", "-")}`, value]);
    const wanted = report(fileOf("ranges_gpu"), "ranges", ...options, "--limit", "25");
    await site().show(`ranges?${query}`, "ranges_gpu");
    const rows = await site().table("ranges").rows();
    expect(rows.length).toBe(wanted.length);
    wanted.forEach((row: JsonRow, at) => {
      for (const [key, shown] of Object.entries(rows[at] ?? {})) expectSame(shown, row[key], `${String(row.range)} ${key}`);
    });
  });

  it("lead to the timeline, and to iterations that are these", async () => {
    await site().show("ranges", "ranges");
    await site().click(site().table("ranges").root.locator('tbody tr:has-text("exchange halo")'));
    const details = site().page.getByRole("complementary", { name: "Details" });
    await site().click(details.getByRole("link", { name: "Find in timeline" }));
    expect(await site().page.locator(".tl-details h2").textContent()).toBe("exchange halo");
    await site().page.goBack();
    await site().idle();
    await site().click(details.getByRole("link", { name: "Take as iterations" }));
    expect(await site().page.locator(".figures").textContent()).toContain("In all12");
  });

  it.skipIf(!has("gpu"))("whose names differ in numbers alone are one row on request, and so are iterations", async () => {
    const wanted = report(fileOf("gpu"), "ranges", "--merge-numbers", "--limit", "25");
    expect(wanted.length).toBeLessThan(report(fileOf("gpu"), "ranges", "--limit", "25").length);
    await site().show("ranges", "gpu");
    await site().click(site().page.getByRole("button", { name: "Merge numbers" }));
    const rows = await site().table("ranges").rows();
    expect(rows.map((row) => row.range)).toEqual(wanted.map((row) => row.range));
    rows.forEach((row, at) => {
      expectSame(row.calls, wanted[at]?.calls, "calls");
    });
    await site().click(site().table("ranges").root.locator('tbody tr:has-text("ProfilerStep##")'));
    await site().click(site().page.getByRole("complementary", { name: "Details" }).getByRole("link", { name: "Take as iterations" }));
    expect(await site().page.locator(".figures").textContent()).toContain("In all6");
  });

  it("of a PyTorch run are its annotations", async () => {
    const wanted = report(fileOf("training"), "ranges", "--limit", "25");
    await site().show("ranges");
    expect(await site().table("ranges").column("range")).toEqual(wanted.map((row) => row.range));
    expect(wanted.length).toBeGreaterThan(0);
  });
});
