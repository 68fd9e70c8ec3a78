// Measures the timeline in a browser: timeline_page.mjs CHROMIUM URL WIDTH HEIGHT. Prints JSON: the first complete
// picture after the page was asked for, times from frame to frame while it is zoomed and moved with keys, wheel and
// pointer, and how long the page itself took to draw each of them, all in ms.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
const [program, url, width, height] = process.argv.slice(2);

const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });
  await page.goto(`${url}#/timeline`);
  await page.waitForFunction(() => performance.getEntriesByName("timeline-drawn").length > 0);
  const first = await page.evaluate(() => performance.getEntriesByName("timeline-drawn")[0].startTime);
  await page.evaluate(() => window.opsightIdle());
  await page.evaluate(() => {
    window.between = [];
    window.opsightTimeline.frames.length = 0;
    let last = 0;
    const next = (now) => {
      if (last > 0) window.between.push(now - last);
      last = now;
      if (!window.measured) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await move(page);
  const times = await page.evaluate(() => {
    window.measured = true;
    return { between_ms: window.between, drawing_ms: window.opsightTimeline.frames };
  });
  process.stdout.write(JSON.stringify({ first_ms: first, ...times }));
} finally {
  await browser.close();
}

async function hold(page, key, ms) {
  await page.keyboard.down(key);
  await page.waitForTimeout(ms);
  await page.keyboard.up(key);
}

async function move(page) {
  const stage = page.locator(".tl-stage");
  const box = await stage.boundingBox();
  await stage.focus();
  await hold(page, "w", 2500);
  await hold(page, "d", 1000);
  await hold(page, "s", 1500);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 0; i < 60; i += 1) await page.mouse.move(box.x + box.width / 2 - 6 * i, box.y + box.height / 2 + (i % 7));
  await page.mouse.up();
  await hold(page, "s", 1000);
}
