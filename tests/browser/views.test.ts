// Each view's numbers are those of `opsight report` for the same range.
import { describe, expect, it } from "vitest";
import { report, run, type JsonRow, type Summary } from "./opsight";
import { expectSame, fileOf, has, idOf, NEEDS_CORPUS, numberOf, useSite } from "./page";

const site = useSite();

interface Listed {
  view: string;
  table: string;
  sort: string;
  gpu?: boolean;
}

const TABLES: Listed[] = [
  { view: "types", table: "op_type", sort: "self_cpu_time_ns" },
  { view: "ops", table: "detailed", sort: "self_cpu_time_ns" },
  { view: "types", table: "op_type", sort: "self_gpu_time_ns", gpu: true },
  { view: "ops", table: "detailed", sort: "self_gpu_time_ns", gpu: true },
  { view: "kernels", table: "kernel", sort: "total_gpu_time_ns", gpu: true },
];

const RANGES = [
  { query: "", options: [] },
  { query: "iter_start=2&iter_stop=3", options: ["--iter-start", "2", "--iter-stop", "3"] },
  { query: "all=1", options: ["--all-iterations"] },
];

// The value beside a name in a list of facts.
async function fact(within: string, name: string): Promise<string> {
  const line = site().page.locator(within).locator("dl > div", { has: site().page.locator(`dt:text-is("${name}")`) }).first();
  const number = line.locator(".num[title]").first();
  return (await number.count()) > 0 ? ((await number.getAttribute("title")) ?? "") : ((await line.locator("dd").textContent()) ?? "");
}

describe.each(RANGES)("over the range '$query'", ({ query, options }) => {
  it.for(TABLES)("$view shows the rows of $table by $sort", async ({ view, table, sort, gpu }, { skip }) => {
    const profile = gpu ? "gpu" : "training";
    skip(!has(profile), NEEDS_CORPUS);
    const expected = report(fileOf(profile), table, "--sort", `${sort}:desc`, "--limit", "25", ...options);
    await site().show(`${view}?${query}`, profile);
    const shown = await site().table(table).rows();
    expect(shown.length).toBe(expected.length);
    expected.forEach((row, at) => {
      for (const [key, text] of Object.entries(shown[at] ?? {})) expectSame(text, row[key], `${table} row ${String(at)} ${key}`);
    });
  });

  // The run of eight ranks has one iteration: no range to choose.
  const summed = query.startsWith("iter_start") ? ["training", "gpu"] : ["training", "gpu", "ranks"];
  it.for(summed)("the dashboard of %s is the summary", async (profile, { skip }) => {
    skip(!has(profile), NEEDS_CORPUS);
    const summary = report<Summary>(fileOf(profile), "summary", ...options);
    await site().show(`dashboard?${query}`, profile);
    const tile = (name: string) => `section[aria-label="${name}"]`;
    // Of one iteration there is no middle and no spread.
    if (Number(summary.iterations.selected) > 1) {
      expectSame(await fact(tile("Iteration time"), "Median"), summary.iterations.median_ns, "median");
      expectSame(await fact(tile("Iteration time"), "Deviation"), summary.iterations.stddev_ns, "deviation");
    }
    expectSame(await fact(tile("Wall clock"), "Iterations in it"), summary.iterations.selected, "iterations");
    const big = site().page.locator(`${tile("Wall clock")} .big .num`);
    expectSame((await big.getAttribute("title")) ?? "", summary.wall_clock_ns, "wall clock");
    const legend = site().page.locator("section", { has: site().page.getByRole("heading", { name: "Where the wall clock goes" }) });
    for (const [name, key] of Object.entries({ "Kernels without Tensor Cores": "non_tensor_core_kernel_pct", "CPU alone": "cpu_pct", "Idle or not recorded": "idle_pct", Communication: "communication_pct" })) {
      const entry = legend.locator(".legend li", { has: site().page.locator(`span:text-is("${name}")`) }).locator("b");
      // Of a run without a GPU its kernels and communication are not 0, but not there.
      if (summary.gpu_utilization_pct === null && /kernel|communication/.test(key)) expect([await entry.count(), summary[key] ?? 0]).toEqual([0, 0]);
      else expectSame((await entry.getAttribute("title")) ?? "", summary[key], name);
    }
    if (summary.devices.length > 0) {
      const donut = site().page.getByRole("img", { name: /^GPU utilization/ }).locator("title");
      expectSame((await donut.textContent()) ?? "", summary.gpu_utilization_pct, "GPU utilization");
    }
  });
});

describe("the views of one profile", () => {
  it("the dashboard lists the top ops and layers of the reports", async () => {
    await site().show("dashboard");
    const card = (name: string) => site().page.locator("section.card", { has: site().page.getByRole("heading", { name, exact: true }) });
    const sums = new Map<string, number>();
    for (const row of report(fileOf("training"), "detailed")) sums.set(String(row.op_name), (sums.get(String(row.op_name)) ?? 0) + Number(row.self_cpu_time_ns));
    const ops = [...sums.values()].sort((a, b) => b - a).slice(0, 10);
    const times = await card("Top 10 ops").locator("tbody td:nth-last-child(2) .num").evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title") ?? ""));
    expect(times.map(numberOf)).toEqual(ops);
    const layers = report(fileOf("training"), "group_op", "--sort", "total_cpu_time_ns:desc", "--limit", "11").filter((row) => row.name !== "/");
    const names = await card("Top layers").locator("tbody td:first-child a").allTextContents();
    expect(names).toEqual(layers.slice(0, 10).map((row) => row.name));
  });

  it("layers are the groups of the report, forward and backward", async () => {
    await site().show("layers");
    const groups = new Map(report(fileOf("training"), "group_op").map((row) => [row.name, row]));
    const rows = await site().table("layers").rows();
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) {
      const group = groups.get(row.name ?? "");
      expect(group, row.name).toBeDefined();
      for (const key of ["calls", "forward_cpu_time_ns", "backward_cpu_time_ns", "total_cpu_time_ns"]) expectSame(row[key], group?.[key], `${String(row.name)} ${key}`);
    }
  });

  it.skipIf(!has("gpu"))("GPUs and their streams are those of the summary", async () => {
    const { devices, streams } = report<Summary>(fileOf("gpu"), "summary");
    await site().show("gpus", "gpu");
    const shown = await site().table("devices").rows();
    expect(shown.length).toBe(devices.length);
    for (const [at, device] of devices.entries()) {
      for (const key of ["busy_ns", "gpu_utilization_pct", "name"]) expectSame(shown[at]?.[key], device[key], `${key} ${String(at)}`);
    }
    const rows = await site().table("streams").rows();
    for (const [at, stream] of streams.entries()) {
      for (const key of ["spans", "busy_ns", "host_wait_ns", "queued_wait_ns", "other_wait_ns"]) expectSame(rows[at]?.[key], stream[key], `${key} ${String(at)}`);
    }
  });

  it.skipIf(!has("gpu"))("from an iteration to an op to its kernels", async () => {
    await site().show("by-op", "gpu");
    await site().click(site().table("iteration_choice").root.locator("tbody tr").nth(1));
    const [iteration] = ((await site().parameter("sel")) ?? "").split("~");
    await site().click(site().table("iteration_ops").root.locator("tbody tr").first());
    const op = Number(await site().parameter("op"));
    const kernels = (JSON.parse(run("report", fileOf("gpu"), "--report", "iteration", "--format", "json")) as { iteration: { kernels: JsonRow[] } }).iteration.kernels;
    const expected = kernels.filter((row) => String(row.iteration) === iteration && row.op_id === op);
    const shown = await site().table("iteration_op_kernels").rows();
    expect(shown.length).toBe(expected.length);
    expect(shown.map((row) => numberOf(row.gpu_duration_ns ?? "")).sort()).toEqual(expected.map((row) => row.gpu_duration_ns).sort());
  });

  it.skipIf(!has("gpu"))("an iteration has its kernels also where the range is the whole run, or a kept one", async () => {
    const expected = report(fileOf("gpu"), "kernel", "--iter-start", "3", "--iter-stop", "3").map((row) => row.total_gpu_time_ns);
    for (const range of ["whole=1", "all=1", "iter_start=1&iter_stop=4", "key_op=Optimizer.step%23SGD.step&all=1"]) {
      await site().show(`by-iteration?sel=3~&k.size=1000&${range}`, "gpu");
      const shown = (await site().table("kernel").column("total_gpu_time_ns")).map(numberOf);
      expect(shown.length, range).toBeGreaterThan(0);
      if (!range.startsWith("key_op")) expect(shown.sort(), range).toEqual([...expected].sort());
      await site().show(`by-op?sel=3~&${range}`, "gpu");
      expect(await site().table("iteration_ops").root.locator("tbody tr").count(), range).toBeGreaterThan(0);
    }
  });

  it.skipIf(!has("gpu"))("an op shows its kernels, a kernel of an iteration its launch", async () => {
    const top = report(fileOf("gpu"), "kernel", "--limit", "1")[0] as JsonRow;
    await site().show(`ops?sel=${String(top.op_id)}`, "gpu");
    const kernels = report(fileOf("gpu"), "kernel", "--sort", "total_gpu_time_ns:desc").filter((row) => row.op_id === top.op_id);
    const shown = await site().table("ops_kernels").rows();
    expect(shown.map((row) => numberOf(row.total_gpu_time_ns ?? ""))).toEqual(kernels.map((row) => row.total_gpu_time_ns));
  });

  it.skipIf(!has("ranks"))("communication of several ranks is the summary's", async () => {
    const summary = report<Summary>(fileOf("ranks"), "summary");
    await site().show("communication", "ranks");
    expectSame(await fact("main", "Communicating"), summary.communication_ns, "communicating");
    expectSame(await fact("main", "Hidden by computation"), summary.communication_overlap_pct, "overlap");
    expectSame(await fact("main", "Exposed"), summary.exposed_communication_ns, "exposed");
    expect((await site().table("communication").rows()).length).toBeGreaterThan(0);
  });

  it.skipIf(!has("gpu"))("memory shows a peak, and all that the ops of the range allocated", async () => {
    await site().show("memory", "gpu");
    const query =
      "SELECT sum(bytes) AS bytes FROM memory_events WHERE bytes > 0 AND time_ns >= (SELECT min(begin_ns) FROM iterations) " +
      "AND time_ns < (SELECT max(end_ns) FROM iterations)";
    const sums = JSON.parse(run("sql", fileOf("gpu"), "--json", query)) as JsonRow[];
    await site().show("memory?size=1000&all=1", "gpu");
    const peak = await site().page.locator(".card-note .num").first().getAttribute("title");
    expect(numberOf(peak ?? "")).toBeGreaterThan(0);
    const rows = await site().table("memory_allocators").rows();
    const allocated = rows.map((row) => numberOf(row.allocated_bytes ?? "")).reduce((a, b) => a + b, 0);
    expect(allocated).toBe(sums[0]?.bytes);
  });

  it.skipIf(!has("gpu"))("two runs are compared as opsight compare does", async () => {
    const told = JSON.parse(run("compare", fileOf("training"), fileOf("gpu"), "--json")) as { notes: string[]; budget: JsonRow[]; ops: JsonRow[] };
    const asked: string[] = [];
    site().page.on("request", (request) => request.url().includes("/compare?") && asked.push(new URL(request.url()).search));
    await site().show(`compare?with=${idOf("gpu")}`);
    const answer = (await site().page.locator(".comparison-answer").textContent()) ?? "";
    // The names of the files stand nowhere in it; its first letter is a capital here.
    expect(answer.slice(1)).toBe(told.notes[0]?.slice(1));
    const rows = await site().table("compare_budget").rows();
    // What neither run recorded is not a row here.
    const recorded = told.budget.filter((row) => row.base_ns !== null || row.new_ns !== null);
    expect(rows.map((row) => numberOf(row.difference_ns ?? ""))).toEqual(recorded.map((row) => row.difference_ns));
    const changed = told.budget.filter((row) => (row.difference_ns ?? 0) !== 0).length;
    expect(await site().page.locator(".waterfall li").count()).toBe(changed + 2);
    const ops = await site().table("compare_ops").rows();
    expect(ops[0]?.op).toBe(told.ops[0]?.op);
    // Over a range that both have, nothing else is asked.
    asked.length = 0;
    await site().show(`compare?with=${idOf("gpu")}&iter_start=1&iter_stop=2`);
    expect(asked.length).toBeGreaterThan(0);
    for (const each of asked) expect(each).toContain("iter_start=1");
  });
});
