// A browser and what the tests do in it. Every test fails where the page wrote an error to the console or asked
// another machine for something.
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from "vitest";
import type { Made } from "./profiles";
import { tellRetried } from "./told";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const made = (): Made => inject("made");
// A profile in addresses: the name of its file.
export const idOf = (name: string): string => name;
export const fileOf = (name: string): string => made().files[name] ?? "";
export const has = (name: string): boolean => name in made().files;
// Why a case is skipped.
export const NEEDS_CORPUS = "needs a trace of the corpus";

export class Site {
  readonly complaints: string[] = [];
  readonly lost: string[] = []; // requests without an answer, and why
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly url: string,
  ) {
    const { host } = new URL(url);
    page.on("console", (message) => {
      // A refused request is an answer that some tests ask for.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText ?? "no reason given";
      if (why !== "net::ERR_ABORTED") this.lost.push(`${request.url()}: ${why}`);
    });
    page.on("request", (request) => {
      const asked = new URL(request.url());
      if (asked.protocol.startsWith("http") && asked.host !== host) this.complaints.push(`asked ${asked.host}`);
    });
  }

  static async open(browser: Browser, url: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Site> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, reducedMotion: "reduce", acceptDownloads: true, ...options });
    const site = new Site(context, await context.newPage(), url);
    await site.page.goto(url);
    await site.idle();
    return site;
  }

  async idle(): Promise<void> {
    await this.page.evaluate(() => (globalThis as unknown as { opsightIdle: () => Promise<void> }).opsightIdle());
  }

  // Shows a view: "ops?sel=3" of the profile with this name.
  async show(view: string, profile = "training"): Promise<void> {
    const [name, query] = view.split("?");
    const parameters = new URLSearchParams(query);
    parameters.set("profile", idOf(profile));
    await this.go(`#/${name ?? ""}?${parameters.toString()}`);
  }

  async go(hash: string): Promise<void> {
    await this.page.evaluate((to) => {
      location.hash = to;
    }, hash);
    await this.idle();
  }

  get hash(): Promise<string> {
    return this.page.evaluate(() => location.hash);
  }

  async parameter(key: string): Promise<string | null> {
    const hash = await this.hash;
    return new URLSearchParams(hash.split("?")[1] ?? "").get(key);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
    await this.idle();
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    await this.idle();
  }

  // The table of the server with this name, as it is shown.
  table(name: string): TableView {
    return new TableView(this, this.page.locator(`[data-table="${name}"]`));
  }
}

export class TableView {
  constructor(
    private readonly site: Site,
    readonly root: Locator,
  ) {}

  // Shown rows: for each column its exact value, as its tooltip or text gives it.
  async rows(): Promise<Record<string, string>[]> {
    return this.root.locator("tbody tr").evaluateAll((rows) =>
      rows.map((row) =>
        Object.fromEntries(
          [...row.querySelectorAll("td[data-key]")].map((cell) => [
            cell.getAttribute("data-key") ?? "",
            cell.getAttribute("title") ?? cell.textContent ?? "",
          ]),
        ),
      ),
    );
  }

  async column(key: string): Promise<string[]> {
    return (await this.rows()).map((row) => row[key] ?? "");
  }

  async sortBy(key: string): Promise<void> {
    await this.site.click(this.root.locator(`th[data-key="${key}"] button`));
  }

  async search(text: string): Promise<void> {
    await this.root.locator("input[type=search]").fill(text);
    await this.site.idle();
  }

  // The filter under a column's head: where to type, or to pick from.
  async filterBox(key: string): Promise<Locator> {
    const row = this.root.locator(".filter-row");
    if ((await row.count()) === 0) await this.site.click(this.root.getByRole("button", { name: "Filter by column" }));
    return row.locator(`td[data-key="${key}"] :is(input, select)`);
  }

  async filter(key: string, text: string): Promise<void> {
    await (await this.filterBox(key)).fill(text);
    await this.site.idle();
  }

  async pick(key: string, word: string): Promise<void> {
    await (await this.filterBox(key)).selectOption({ label: word });
    await this.site.idle();
  }

  // What the cells of a column show.
  async shown(key: string): Promise<string[]> {
    return this.root.locator(`tbody td[data-key="${key}"]`).allTextContents();
  }

  async count(): Promise<string> {
    return (await this.root.locator(".pager [role=status]").textContent()) ?? "";
  }
}

// "664,905,000 ns" as the number that it is.
export const numberOf = (text: string): number => Number(/-?[\d,]+(?:\.\d+)?/.exec(text)?.[0].replaceAll(",", "") ?? "NaN");

export function expectSame(shown: string | undefined, value: unknown, where: string): void {
  if (typeof value === "number") expect(numberOf(shown ?? ""), where).toBeCloseTo(value, 5);
  else if (typeof value === "boolean") expect(shown, where).toBe(value ? "yes" : "no");
  else if (value === null || value === "") expect(shown, where).toBe("–");
  else expect(shown, where).toBe(value);
}

// One page for a file of tests; each test begins at a view that holds nothing.
export function useSite(options: Parameters<Browser["newContext"]>[0] = {}): () => Site {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
    site = await Site.open(browser, made().url, options);
  });
  afterAll(async () => {
    await browser.close();
  });
  beforeEach(async () => {
    await site.go("#/nothing");
  });
  afterEach(({ task }) => {
    const lost = site.lost.splice(0);
    if (task.result?.errors?.length) tellRetried(task, lost);
    expect(site.complaints.splice(0)).toEqual([]);
  });
  return () => site;
}
