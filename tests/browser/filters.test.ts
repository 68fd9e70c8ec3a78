// Filters under the heads of columns: in the words and units of the cells, and never lost.
import { describe, expect, it } from "vitest";
import { has, useSite } from "./page";

const site = useSite();
const ops = () => site().table("detailed");

describe("filters take what cells show", () => {
  it("a column of few words has them to pick from", async () => {
    await site().show("ops");
    await ops().pick("direction", "backward");
    expect(new Set(await ops().shown("direction"))).toEqual(new Set(["backward"]));
    expect(await site().parameter("filter")).toBe("direction:eq:bprop");
    await ops().pick("direction", "any");
    expect(await site().parameter("filter")).toBeNull();
  });

  it.skipIf(!has("gpu"))("yes and no", async () => {
    await site().show("ops", "gpu");
    await ops().pick("tc_eligible", "yes");
    expect(new Set(await ops().shown("tc_eligible"))).toEqual(new Set(["yes"]));
  });

  it("a shape as it is shown, a value as it is rounded, a span of values", async () => {
    await site().show("ops");
    const shape = (await ops().shown("shapes")).find((text) => text.includes("×") && text.includes(", ")) ?? "";
    await ops().filter("shapes", shape);
    expect(await ops().shown("shapes")).toContain(shape);
    await ops().filter("shapes", "");
    const time = (await ops().shown("total_cpu_time_ns"))[3] ?? "";
    await ops().filter("total_cpu_time_ns", time);
    expect(new Set(await ops().shown("total_cpu_time_ns"))).toEqual(new Set([time]));
    await ops().filter("total_cpu_time_ns", "10us..1ms");
    const shown = await ops().column("total_cpu_time_ns");
    expect(shown.length).toBeGreaterThan(0);
    for (const text of shown) expect(Number(text.replace(/\D/g, ""))).toSatisfy((ns: number) => ns >= 10_000 && ns <= 1_000_000);
  });

  it("tells what it takes, and what it cannot read", async () => {
    await site().show("ops");
    const box = await ops().filterBox("total_cpu_time_ns");
    expect(await box.getAttribute("placeholder")).toBe("> 1ms");
    expect(await box.getAttribute("title")).toContain("10us..2ms");
    await box.fill("soon");
    await site().idle();
    expect(await ops().root.getByRole("alert").textContent()).toContain("“soon” is not a number");
    await box.fill(">");
    await site().idle();
    expect(await ops().root.getByRole("alert").count()).toBe(0);
  });
});

describe("what is typed is never lost", () => {
  it("when another filter is typed at once", async () => {
    await site().show("ops");
    const name = await ops().filterBox("op_name");
    const calls = await ops().filterBox("calls");
    const time = await ops().filterBox("total_cpu_time_ns");
    await name.fill("conv");
    await calls.fill(">= 1");
    await time.fill("> 1us");
    await site().idle();
    const said = new URLSearchParams((await site().hash).split("?")[1]).getAll("filter");
    expect(said).toEqual(["op_name:contains:conv", "calls:ge:1", "total_cpu_time_ns:gt:1000"]);
    expect([await name.inputValue(), await calls.inputValue(), await time.inputValue()]).toEqual(["conv", ">= 1", "> 1us"]);
  });

  it("when another view is opened before typing has paused", async () => {
    await site().show("ops");
    await (await ops().filterBox("op_name")).fill("conv");
    await ops().root.locator("input[type=search]").fill("aten");
    await site().page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Op types" }).click();
    await site().idle();
    await site().page.goBack();
    await site().idle();
    expect(await (await ops().filterBox("op_name")).inputValue()).toBe("conv");
    expect(await ops().root.locator("input[type=search]").inputValue()).toBe("aten");
    expect((await ops().column("op_name")).every((each) => each.includes("conv"))).toBe(true);
  });
});
