import { describe, expect, it } from "vitest";
import vectors from "../../../tests/data/units.json";
import { exactValue, formatMoment, formatShapes, formatTypes, formatValue, ringText, type Unit } from "./format";

// What the program prints is tested with the same file.
describe("units", () => {
  it.each(vectors)("$value of $unit is $brief", ({ unit, value, brief }) => {
    expect(formatValue(value, unit as Unit)).toBe(brief);
  });
  it.each(vectors.filter((each) => "moment" in each))("$value ns is at $moment", ({ value, moment }) => {
    expect(formatMoment(value)).toBe(moment);
  });
});

describe("exact values", () => {
  it("shows what the server said when asked", () => {
    expect(exactValue(664_905_000, "ns")).toBe("664,905,000 ns");
    expect(exactValue(19.232371541799203, "percent")).toBe("19.232372%");
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

describe("ringText", () => {
  it("shows both ends only where they read differently", () => {
    expect(ringText(null, null)).toBe("–");
    expect(ringText(99.7, 100)).toBe("≥99.7%");
    expect(ringText(78.6, 79.4)).toBe("78.6–79.4%");
    expect(ringText(79.2, 79.24)).toBe("79.2%");
    expect(ringText(86, 100)).toBe("86–100%");
    expect(ringText(74.94, 99.52)).toBe("74.9–99.5%");
    expect(ringText(0, 99.51)).toBe("0.0–99.5%");
    expect(ringText(0.3, 60)).toBe("0.3–60.0%");
    expect(ringText(0.01, 60)).toBe("<0.1%–60.0%");
    expect(ringText(99.96, 100)).toBe(">99.9%");
    expect(ringText(0, 0.03)).toBe("0.0%–<0.1%");
    expect(ringText(79.24, 79.26)).toBe("79.2–79.3%");
  });
});
