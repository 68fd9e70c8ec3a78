// The model of a profile as a graph: opened, coloured, searched, and a way to what ran.
import { describe, expect, it } from "vitest";
import { violations } from "./audit";
import { report } from "./opsight";
import { fileOf, has, NEEDS_CORPUS, useSite } from "./page";

const site = useSite();
const graph = () => site().page.getByRole("group", { name: /^Graph of the model/ });
const box = (name: string | RegExp) => graph().getByRole("button", { name });
const details = () => site().page.getByRole("complementary");

describe("the graph of a model", () => {
  it("opens a group, and says in the address what is open", async () => {
    await site().show("model");
    expect(await site().page.locator(".model-facts").textContent()).toMatch(/cnn\.onnx.*37 of 37 nodes matched/);
    expect(await box(/^layer1, 10 ops/).getAttribute("aria-expanded")).toBe("false");
    const closed = await graph().getByRole("button").count();
    await box(/^layer1, /).focus();
    await site().press("Space");
    expect(await box(/^layer1, /).getAttribute("aria-expanded")).toBe("true");
    expect(await graph().getByRole("button").count()).toBe(closed + 2);
    expect(await site().parameter("open")).toMatch(/^\d+$/);
    await box(/^layer1, /).focus();
    await site().press("Space");
    expect(await site().parameter("open")).toBeNull();
  });

  it("is coloured as the address says", async () => {
    await site().show("model");
    expect(await graph().locator(".heat-5").count()).toBeGreaterThan(0);
    await site().click(site().page.getByRole("button", { name: "Limiter" }));
    expect(await site().parameter("colour")).toBe("limiter");
    expect(await graph().locator(".heat-5").count()).toBe(0);
    await site().show("model?colour=taste");
    expect(await site().parameter("colour")).toBeNull();
  });

  it("finds a node, and leads to its op", async () => {
    await site().show("model");
    await site().page.getByRole("searchbox", { name: "Find a node" }).fill("layer2.1/conv2");
    await site().click(site().page.getByRole("list", { name: "Nodes found" }).getByRole("button").first());
    expect(await details().textContent()).toContain("/layer2/layer2.1/conv2/Conv");
    expect(await details().textContent()).toContain("aten::conv2d");
    await site().click(details().getByRole("link", { name: "The op" }));
    expect(await site().page.getByRole("heading", { level: 1 }).textContent()).toBe("Ops and kernels");
    const op = Number(await site().parameter("sel"));
    const row = report(fileOf("training"), "detailed").find((each) => each.op_id === op);
    expect(row?.op_name).toBe("aten::conv2d");
    expect(row?.layer).toBe("ResNet/layer2/1/conv2");
  });

  it("passes an audit, dark and light", async () => {
    for (const dark of [false, true]) {
      await site().show("model?open=0");
      await site().page.evaluate((on) => {
        document.documentElement.dataset.theme = on ? "dark" : "light";
      }, dark);
      expect(await violations(site().page)).toEqual([]);
    }
  });

  it("says what to do where there is none", async ({ skip }) => {
    skip(!has("gpu"), NEEDS_CORPUS);
    await site().show("model", "gpu");
    expect(await site().page.locator(".empty").textContent()).toContain("opsight import PROFILE.opsight --model");
  });
});
