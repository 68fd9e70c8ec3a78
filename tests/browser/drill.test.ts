// From a number to what it is about: by what identifies it, and never more than that. What is about several ranks says
// which; filters, steps back, printing and definitions do what they say.
import { describe, expect, it } from "vitest";
import { report, run, type JsonRow } from "./opsight";
import { fileOf, has, idOf, numberOf, useSite } from "./page";

const site = useSite();
const gpu = describe.skipIf(!has("gpu"));
const ranks = describe.skipIf(!has("ranks"));

const sql = (profile: string, statement: string): JsonRow[] => JSON.parse(run("sql", fileOf(profile), statement, "--format", "json")) as JsonRow[];

interface Picked {
  name: string;
  begin_ns: number;
}
interface Stretch {
  begin_ns: number;
  end_ns: number;
}
interface View {
  begin: number;
  end: number;
}
const selected = (): Promise<Picked | null> =>
  site().page.evaluate(() => (globalThis as unknown as { opsightTimeline: { selected: Picked | null } }).opsightTimeline.selected);

gpu("find in timeline", () => {
  it("opens the very op where others have its name", async () => {
    const ops = sql("gpu", "SELECT o.op, any_value(i.name) AS name, min(o.begin_ns) AS first FROM raw.ops o JOIN raw.op_identities i ON i.id = o.op WHERE i.name = 'aten::cudnn_convolution' AND o.iteration >= 0 GROUP BY o.op ORDER BY first DESC LIMIT 2");
    expect(ops.length).toBe(2);
    for (const op of ops) {
      await site().show(`ops?all=1&sel=${String(op.op)}`, "gpu");
      await site().click(site().page.getByRole("link", { name: "Find in timeline" }));
      await expect.poll(async () => (await selected())?.begin_ns).toBe(op.first);
      expect((await selected())?.name).toBe(op.name);
    }
  });

  it("shows the longest stretch of what a finding is about, with as much around it", async () => {
    await site().show("advice", "gpu");
    const place = await site().page.evaluate(async (name) => {
      const asked = async (path: string): Promise<unknown> => (await fetch(`./api/v1/profiles${path}`)).json();
      const { profiles } = (await asked("")) as { profiles: { id: string; name: string }[] };
      const { findings } = (await asked(`/${profiles.find((each) => each.name === name)?.id ?? ""}/findings`)) as { findings: { places: Stretch[] }[] };
      return findings.flatMap((each) => each.places)[0];
    }, idOf("gpu"));
    if (place === undefined) throw new Error("no finding has a place");
    await site().click(site().page.getByRole("link", { name: / at \d/ }).first());
    const length = place.end_ns - place.begin_ns;
    const view = () => site().page.evaluate(() => (globalThis as unknown as { opsightTimeline?: { view: View } }).opsightTimeline?.view);
    await expect.poll(async () => (await view())?.begin).toBe(Math.max(0, place.begin_ns - length));
    expect((await view())?.end).toBe(place.end_ns + length);
  });

  it.each([["ops", "op_name"], ["kernels", "kernel_name"]])("leads from the rows that prove a finding to its %s", async (view, key) => {
    await site().show("advice", "gpu");
    const link = site().page.locator(`.evidence-rows a[href^="#/${view}?"]`).first();
    const name = (await link.textContent()) ?? "";
    await site().click(link);
    const names = await site()
      .page.locator(`tbody td[data-key="${key}"]`)
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title") ?? cell.textContent ?? ""));
    expect(new Set(names)).toEqual(new Set([name]));
  });

  it("has a step back for each event that was selected", async () => {
    await site().go(`#/timeline?profile=${idOf("gpu")}&find=aten%3A%3Aconv2d`);
    await expect.poll(async () => (await selected())?.name).toBe("aten::conv2d");
    await site().page.waitForFunction(() => location.hash.includes("span="));
    const first = (await selected())?.begin_ns;
    await site().page.locator(".tl-stage").focus();
    await site().press("ArrowRight");
    await expect.poll(async () => (await selected())?.begin_ns).not.toBe(first);
    await site().page.waitForTimeout(500);
    await site().page.goBack();
    await site().idle();
    await expect.poll(async () => (await selected())?.begin_ns).toBe(first);
  });

  it("keeps what is searched for and the colouring in the address", async () => {
    await site().go(`#/timeline?profile=${idOf("gpu")}&search=conv&colour=tc`);
    expect(await site().page.getByLabel("Search events by name").inputValue()).toBe("conv");
    expect(await site().page.getByLabel("Colour by").inputValue()).toBe("tc");
    await site().page.getByLabel("Colour by").selectOption("name");
    expect(await site().parameter("colour")).toBe("name");
  });
});

describe("a layer's ops", () => {
  it("are those in it, and not those of a layer whose name begins alike", async () => {
    const [layer] = sql("training", "SELECT path FROM raw.layers a WHERE EXISTS (FROM raw.layers b WHERE b.parent = a.id) ORDER BY depth DESC LIMIT 1");
    const path = String(layer?.path);
    await site().show(`layers?sel=/${path}`);
    await site().click(site().page.getByRole("link", { name: "Its ops" }));
    const table = site().table("detailed");
    const found = await table.column("layer");
    expect(found.length).toBeGreaterThan(1);
    for (const each of found) expect(each === path || each.startsWith(`${path}/`), each).toBe(true);
    expect(await (await table.filterBox("layer")).inputValue()).toBe(`${path}/*`);
  });
});

ranks("iterations of several ranks", () => {
  // One iteration of each rank is in the range: that one takes longer than the others may be chance, so none is called
  // the slowest.
  it("say of which rank they are: the one that took longest, until another is chosen", async () => {
    const rows = JSON.parse(run("sql", fileOf("ranks"), "SELECT count(*) AS n FROM raw.iterations WHERE NOT warmup GROUP BY rank", "--format", "json")) as JsonRow[];
    expect(rows.map((row) => row.n)).toEqual(Array(8).fill(1));
    await site().show("dashboard", "ranks");
    const card = site().page.locator("section.card", { has: site().page.getByRole("heading", { name: "Iterations", exact: true }) });
    const picker = card.getByLabel("Rank");
    const options = await picker.locator("option").allTextContents();
    expect(options).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    const times = report(fileOf("ranks"), "ranks");
    const longest = times.reduce((most, each) => (Number(each.wall_ns) > Number(most.wall_ns) ? each : most));
    expect(await picker.inputValue()).toBe(String(longest.rank));
    expect(longest.rank).not.toBe(0);
    await picker.selectOption("5");
    await site().idle();
    expect(await card.textContent()).toContain("of rank 5");
    expect(await site().parameter("rank")).toBe("5");
  });
});

describe("tables", () => {
  it("keep their filters when the row of filters is closed", async () => {
    await site().show("ops");
    const table = site().table("detailed");
    await table.filter("op_name", "conv");
    const button = table.root.getByRole("button", { name: "Filter by column" });
    for (let again = 0; again < 2; again++) {
      await site().click(button);
      expect(await site().parameter("filter")).toBe("op_name:contains:conv");
    }
    await site().click(table.root.getByRole("button", { name: "Clear filters" }));
    expect(await site().parameter("filter")).toBeNull();
  });

  it("go to the page that is typed", async () => {
    await site().show("ops?size=25");
    const table = site().table("detailed");
    await table.root.getByLabel("Page", { exact: true }).fill("3");
    await site().press("Enter");
    expect(await site().parameter("page")).toBe("2");
    expect(await table.count()).toMatch(/^51–/);
  });

  it("say what their columns mean", async () => {
    await site().show("ops");
    const head = site().table("detailed").root.locator('th[data-key="self_cpu_time_ns"] button');
    expect(await head.getAttribute("title")).toContain("without its child ops");
  });

  it("have no columns about a GPU where none was recorded", async () => {
    await site().show("ops");
    await site().click(site().table("detailed").root.locator("tbody tr").first());
    const names = await site().page.getByRole("complementary").locator("dt").allTextContents();
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(name).not.toMatch(/GPU|Kernel|TC/);
  });

  it("are alone on paper", async () => {
    await site().show("ops");
    await site().page.emulateMedia({ media: "print" });
    try {
      expect(await site().page.getByRole("navigation", { name: "Views" }).isVisible()).toBe(false);
      expect(await site().table("detailed").root.locator("table").isVisible()).toBe(true);
    } finally {
      await site().page.emulateMedia({ media: "screen" });
    }
  });
});

describe("the dashboard", () => {
  it("names the run in the title, hides a part by its legend, and shows it again", async () => {
    await site().show("dashboard");
    expect(await site().page.title()).toBe(`Dashboard · ${idOf("training")} · Opsight`);
    const card = site().page.locator("section.card", { has: site().page.getByRole("heading", { name: "Where the wall clock goes" }) });
    const parts = await card.locator("rect").count();
    const entry = card.getByRole("button", { name: "CPU alone" });
    await site().click(entry);
    expect(await site().parameter("hide")).toBe("cpu");
    expect(await card.locator("rect").count()).toBe(parts - 1);
    await site().click(entry);
    expect(await card.locator("rect").count()).toBe(parts);
  });

  it("has findings with their share, the greatest first of those whose cause no other one tells and that no replay outweighs", async () => {
    await site().show("dashboard", has("gpu") ? "gpu" : "training");
    const items = site().page.getByRole("region", { name: "Where to look first" }).locator("li");
    const without = items.filter({ hasNotText: /Other findings tell the cause|Faster kernels alone gain less/ });
    const titles = await without.locator("h3").allTextContents();
    const shares = titles.flatMap((title) => (/(\d+\.\d)%/.test(title) ? [numberOf(/(\d+\.\d)%/.exec(title)?.[1] ?? "")] : []));
    expect(shares.length).toBeGreaterThan(0);
    expect(shares).toEqual([...shares].sort((a, b) => b - a));
    expect(await items.first().textContent()).not.toContain("Faster kernels alone gain less");
  });
});

gpu("legends", () => {
  const entry = (name: string) => site().page.getByRole("button", { name, exact: true });

  it("of the roofline hide the points of a limiter, and show them again", async () => {
    await site().show("roofline", "gpu");
    const points = () => site().page.locator(".roofline circle.point").count();
    const before = await points();
    const gone = await site().page.locator(".roofline circle.point.c-communication").count();
    expect(gone).toBeGreaterThan(0);
    await site().click(entry("below its bound"));
    expect(await points()).toBe(before - gone);
    expect(await site().parameter("hide")).toBe("below_its_bound");
    await site().click(entry("below its bound"));
    expect(await points()).toBe(before);
  });

  it("of the streams hide a part of their time", async () => {
    await site().show("gpus", "gpu");
    const parts = () => site().table("streams").root.locator(".stacked").first().locator("span").count();
    expect(await parts()).toBe(4);
    await site().click(entry("Host wait"));
    expect(await parts()).toBe(3);
  });

  it("of the timeline fade a kind of events", async () => {
    await site().show("timeline", "gpu");
    const colors = () =>
      site().page.evaluate(() => {
        const bars = document.querySelectorAll<HTMLCanvasElement>(".tl-stage canvas")[1];
        const hex = getComputedStyle(document.documentElement).getPropertyValue("--c-other_kernel").trim().slice(1);
        const wanted = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
        const { data } = bars?.getContext("2d")?.getImageData(0, 0, bars.width, bars.height) ?? { data: new Uint8ClampedArray() };
        let found = 0;
        for (let i = 0; i < data.length; i += 4) if (wanted.every((channel, at) => data[i + at] === channel)) found += 1;
        return found;
      });
    await expect.poll(colors).toBeGreaterThan(0);
    await site().click(entry("other kernel"));
    expect(await site().parameter("hide")).toBe("kernel");
    await expect.poll(colors).toBe(0);
    await site().click(entry("other kernel"));
    await expect.poll(colors).toBeGreaterThan(0);
  });
});
