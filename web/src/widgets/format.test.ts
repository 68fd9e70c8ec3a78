import { describe, expect, it } from "vitest";
import { exactValue, formatBytes, formatCount, formatNs, formatFlops, formatPercent, formatShapes, formatTypes, formatValue } from "./format";

describe("formatNs", () => {
  it.each([
    [0, "0 ns"],
    [1, "1 ns"],
    [999, "999 ns"],
    [12.5, "12.50 ns"],
    [1000, "1.00 µs"],
    [9994, "9.99 µs"],
    [9996, "10.0 µs"],
    [99_960, "100 µs"],
    [999_400, "999 µs"],
    [999_600, "1.00 ms"],
    [131_317_400, "131 ms"],
    [11_557_742_038, "11.6 s"],
    [3_600_000_000_000, "3,600 s"],
    [-2500, "-2.50 µs"],
  ])("%d is %s", (ns, text) => {
    expect(formatNs(ns)).toBe(text);
  });
});

describe("formatFlops", () => {
  it.each([
    [0, "0"],
    [12, "12"],
    [999, "999"],
    [999.6e9, "1.00 T"],
    [8.19e9, "8.19 G"],
    [989.4e12, "989 T"],
  ])("%d is %s", (flops, text) => {
    expect(formatFlops(flops)).toBe(text);
  });
});

describe("formatPercent", () => {
  it.each([
    [0, "0.0%"],
    [0.004, "<0.1%"],
    [19.232, "19.2%"],
    [99.99, ">99.9%"],
    [100, "100.0%"],
    [120.04, "120.0%"],
  ])("%d is %s", (percent, text) => {
    expect(formatPercent(percent)).toBe(text);
  });
});

describe("other units", () => {
  it("gives bytes in binary steps", () => {
    expect(formatBytes(512)).toBe("512 B");
    expect(formatBytes(34_084_028_416)).toBe("31.7 GiB");
    expect(formatBytes(1024)).toBe("1.00 KiB");
  });
  it("groups counts", () => {
    expect(formatCount(17080)).toBe("17,080");
    expect(formatCount(0.5834)).toBe("0.58");
  });
  it("shows what the server said when asked", () => {
    expect(exactValue(664_905_000, "ns")).toBe("664,905,000 ns");
    expect(exactValue(19.232371541799203, "percent")).toBe("19.232372 %");
    expect(formatValue(3, "count")).toBe("3");
  });
});

describe("lists in text", () => {
  it("drops empty shapes and joins sizes", () => {
    expect(formatShapes("[[32, 3, 224, 224], [64, 3, 7, 7], [], []]")).toBe("32×3×224×224, 64×3×7×7");
    expect(formatShapes("[[[2, 3], [4]]]")).toBe("(2×3)×(4)");
  });
  it("leaves other text alone", () => {
    expect(formatShapes("[not json")).toBe("[not json");
    expect(formatShapes("1,2")).toBe("1,2");
  });
  it("names each type once", () => {
    expect(formatTypes('["float", "float", "", "Bool"]')).toBe("float, Bool");
  });
});
