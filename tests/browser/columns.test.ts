// Widths of columns and panes, and names that read the same.
import { afterEach, describe, expect, it } from "vitest";
import { report } from "./opsight";
import { fileOf, has, idOf, useSite } from "./page";

const site = useSite();
const ops = () => site().table("detailed");
const head = (key: string) => ops().root.locator(`th[data-key="${key}"]`);
const width = async (key: string) => (await head(key).boundingBox())?.width ?? 0;

afterEach(async () => {
  await site().page.evaluate(() => {
    localStorage.clear();
  });
});

describe("a column", () => {
  it("is made wider and narrower by the keyboard, which stays", async () => {
    await site().show("ops");
    const before = await width("direction");
    await head("direction").getByRole("button").focus();
    await site().press("Shift+ArrowRight", "Shift+ArrowRight");
    expect(await width("direction")).toBeCloseTo(before + 32, 0);
    await site().show("types");
    await site().show("ops");
    expect(await width("direction")).toBeCloseTo(before + 32, 0);
    await head("direction").getByRole("button").focus();
    await site().press("Shift+ArrowLeft");
    expect(await width("direction")).toBeCloseTo(before + 16, 0);
    expect(await site().parameter("sort")).toBeNull();
  });

  it("is dragged at its border, and fits again at a double click", async () => {
    await site().show("ops");
    const before = await width("op_name");
    const box = (await head("op_name").locator(".grip").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await site().page.mouse.move(x, y);
    await site().page.mouse.down();
    await site().page.mouse.move(x - 60, y);
    await site().page.mouse.up();
    await site().idle();
    expect(Math.abs((await width("op_name")) - (before - 60))).toBeLessThan(4);
    await head("op_name").locator(".grip").dblclick();
    await site().idle();
    expect(await width("op_name")).toBeCloseTo(before, 0);
  });
});

describe("the pane of details", () => {
  it("has a border that keys move", async () => {
    await site().show("ops?sel=1");
    const pane = site().page.getByRole("complementary", { name: "Details" });
    const before = (await pane.boundingBox())?.width ?? 0;
    const border = site().page.getByRole("separator", { name: "Width of the details" });
    await border.focus();
    await site().press("ArrowRight", "ArrowRight");
    expect((await pane.boundingBox())?.width).toBeCloseTo(before - 48, 0);
    expect(await border.getAttribute("aria-valuenow")).toBe(String(Math.round(before) - 48));
    await border.dblclick();
    expect((await pane.boundingBox())?.width).toBeCloseTo(before, 0);
  });
});

describe("rows that read the same", () => {
  it("are told apart by layer or shapes", async () => {
    await site().show("ops?filter=op_name:contains:conv&size=100");
    const cells = await ops().root.locator('tbody td[data-key="op_name"]').evaluateAll((all) => all.map((cell) => ({ name: cell.getAttribute("title") ?? "", whole: [...cell.querySelectorAll("[title]")].map((each) => each.getAttribute("title")).join() })));
    const repeated = cells.filter((cell) => cells.filter((each) => each.name === cell.name).length > 1);
    expect(repeated.length).toBeGreaterThan(3);
    const told = new Set(repeated.map((cell) => `${cell.name} ${cell.whole}`));
    expect(repeated.every((cell) => cell.whole !== "")).toBe(true);
    expect(told.size).toBe(repeated.length);
  });

  it.skipIf(!has("gpu"))("have different starts", async () => {
    await site().show("kernels?tab=launches&sort=gpu_start_ns:asc", "gpu");
    const starts = await site().table("kernels").shown("gpu_start_ns");
    expect(new Set(starts).size).toBe(starts.length);
  });
});

describe("a search", () => {
  it("says in which hidden column it found a row", async () => {
    const hit = report(fileOf("training"), "detailed").find((row) => String(row.layer).includes("layer2"));
    expect(hit).toBeDefined();
    await site().show("ops?cols=op_name,calls&search=layer2");
    const marks = ops().root.locator(".found-in");
    expect(await marks.count()).toBe((await ops().rows()).length);
    expect(await marks.first().textContent()).toBe("found in Layer");
    expect(await marks.first().getAttribute("title")).toContain("layer2");
    await site().show("ops?cols=op_name,calls,layer&search=layer2");
    expect(await marks.count()).toBe(0);
  });

  it("knows the words of cells", async () => {
    await site().show("ops?search=backward&cols=op_name,direction&size=1000");
    const directions = await ops().shown("direction");
    const expected = report(fileOf("training"), "detailed").filter((row) => row.direction === "bprop").length;
    expect(directions.filter((each) => each === "backward").length).toBe(expected);
  });
});

// What the server answers at an address of the API.
const asked = (path: string): Promise<Record<string, unknown>> => site().page.evaluate(async (at) => (await (await fetch(`./api/v1${at}`)).json()) as Record<string, unknown>, path);

describe("every column", () => {
  it("of every table has a definition on its head", async () => {
    const { profiles } = (await asked("/profiles")) as { profiles: { id: string; name: string }[] };
    const undefinedHeads = new Set<string>();
    let seen = 0;
    for (const { id } of profiles.filter(({ name }) => ["training", "ranges_gpu", "gpu", "ranks"].map(idOf).includes(name))) {
      const { error } = (await asked(`/profiles/${id}/tables/none`)) as { error: { remedy: string } };
      for (const table of error.remedy.replace("the tables are ", "").split(", ")) {
        const { columns } = (await asked(`/profiles/${id}/tables/${table}?page_size=1&op=2&iteration=2`)) as { columns?: { header: string; description?: string }[] };
        seen += columns ? 1 : 0;
        for (const column of columns ?? []) if (!column.description) undefinedHeads.add(`${table}: ${column.header}`);
      }
    }
    expect(seen).toBeGreaterThan(50);
    expect([...undefinedHeads]).toEqual([]);
  });
});
