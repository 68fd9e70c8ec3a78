// What every table does, whichever it is: the rows that are shown are those of its own export, sorted, filtered and
// cut.
import { describe, expect, it } from "vitest";
import type { JsonRow, Value } from "./opsight";
import { expectSame, has, idOf, numberOf, useSite } from "./page";

const site = useSite();

interface Listed {
  view: string;
  table: string;
  number: string; // a column to sort and filter by
  prefix?: string;
  profile?: string;
}

const TABLES: Listed[] = [
  { view: "types", table: "op_type", number: "calls" },
  { view: "ops", table: "detailed", number: "total_cpu_time_ns" },
  { view: "ops?sel=512", table: "ops_kernels", number: "total_gpu_time_ns", prefix: "k." },
  { view: "kernels", table: "kernel", number: "avg_gpu_time_ns" },
  { view: "kernels?tab=launches", table: "kernels", number: "gpu_duration_ns" },
  { view: "kernels?tab=tensor", table: "tensor_core", number: "non_tc_gpu_time_ns" },
  { view: "roofline", table: "roofline", number: "time_ns" },
  { view: "roofline?tab=kernels", table: "roofline_kernels", number: "bytes_min" },
  { view: "microscope?tab=kernels", table: "characterize_kernels", number: "working_set_bytes" },
  { view: "by-iteration", table: "iterations", number: "duration_ns" },
  { view: "by-op?sel=2~0", table: "iteration_ops", number: "self_gpu_time_ns", prefix: "o." },
  { view: "by-op?sel=2~0&op=512", table: "ops_kernels", number: "total_gpu_time_ns", prefix: "k." },
  { view: "by-op?sel=2~0&op=512&each=1", table: "iteration_op_kernels", number: "gpu_duration_ns", prefix: "k." },
  { view: "by-iteration?sel=2~0", table: "kernel", number: "total_gpu_time_ns", prefix: "k." },
  { view: "by-iteration?sel=2~0&each=1", table: "kernels", number: "gpu_duration_ns", prefix: "k." },
  { view: "memory", table: "memory_allocators", number: "allocated_bytes" },
  { view: "memory", table: "memory_peak", number: "bytes", prefix: "p." },
  { view: "communication", table: "communication", number: "total_gpu_time_ns", profile: "ranks" },
  { view: "gpus", table: "devices", number: "gpu_utilization_pct", profile: "ranks" },
  { view: "gpus", table: "streams", number: "busy_ns", prefix: "s.", profile: "ranks" },
  { view: "ranges", table: "ranges", number: "total_time_ns", profile: "ranges" },
  { view: "diagnostics", table: "diagnostics", number: "count", profile: "ranks" },
];

// All rows as the table's own menu gives them.
async function exported(table: string): Promise<JsonRow[]> {
  const { root } = site().table(table);
  const open = root.getByRole("button", { name: "Export all matching rows" });
  await site().click(open);
  const address = await root.getByRole("link", { name: "JSON" }).getAttribute("href");
  const rows = await site().page.evaluate(async (url) => (await fetch(url)).text(), address ?? "");
  await site().press("Escape");
  return JSON.parse(rows) as JsonRow[];
}

async function showsRows(table: string, expected: readonly JsonRow[], column: string): Promise<void> {
  const shown = await site().table(table).column(column);
  expect(shown.length).toBe(Math.min(25, expected.length));
  shown.forEach((text, at) => {
    expectSame(text, expected[at]?.[column], `${table} ${column} ${String(at)}`);
  });
}

const byNumber = (column: string, sign: number) => (a: JsonRow, b: JsonRow) => sign * (Number(a[column]) - Number(b[column]));
const known = (value: Value | undefined) => typeof value === "number";

describe.each(TABLES)("$view, table $table", ({ view, table, number, prefix, profile }) => {
  const name = profile ?? "gpu";

  it.skipIf(!has(name))("sorts, filters, pages and exports", async () => {
    await site().show(view, name);
    const all = await exported(table);
    expect(all.length).toBeGreaterThan(0);
    for (const order of ["desc", "asc"]) {
      await site().table(table).sortBy(number);
      const sorted = all.filter((row) => known(row[number])).sort(byNumber(number, order === "desc" ? -1 : 1));
      await showsRows(table, sorted.slice(0, 25), number);
    }
    const middle = Number(all[Math.floor(all.length / 2)]?.[number]);
    await site().table(table).filter(number, `>= ${String(middle)}`);
    const matching = all.filter((row) => known(row[number]) && Number(row[number]) >= middle);
    expect(numberOf((await site().table(table).count()).split("of ")[1] ?? "")).toBe(matching.length);
    expect((await exported(table)).length).toBe(matching.length);
    const pages = Math.ceil(matching.length / 25);
    const next = site().table(table).root.getByRole("button", { name: "Page on" });
    expect(await next.isEnabled()).toBe(pages > 1);
    if (pages > 1) {
      await site().click(next);
      expect(await site().parameter(`${prefix ?? ""}page`)).toBe("1");
      await showsRows(table, matching.sort(byNumber(number, 1)).slice(25, 50), number);
    }
    expect(await site().parameter("profile")).toBe(idOf(name));
  });
});
