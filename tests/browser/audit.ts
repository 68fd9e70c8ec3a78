// What axe, which looks for what keeps people out, finds on a page.
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary: string }[];
}

// All violations, and those that are serious: a line each.
export async function violations(page: Page, only: (each: Violation) => boolean = () => true): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: tool } = globalThis as unknown as { axe: { run: (root: Document) => Promise<{ violations: Violation[] }> } };
    return (await tool.run(document)).violations;
  });
  return found.filter(only).flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.html} ${node.failureSummary}`));
}

export const seriousViolations = (page: Page): Promise<string[]> => violations(page, (each) => each.impact === "serious" || each.impact === "critical");
