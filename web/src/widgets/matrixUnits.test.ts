import { describe, expect, it } from "vitest";
import { hasMatrixCores } from "./matrixUnits";

const device = (compute_capability: string | null, name: string | null, device_spans = 5) => ({ compute_capability, name, device_spans });

describe("hasMatrixCores", () => {
  it("takes AMD's devices by their architecture or name", () => {
    expect(hasMatrixCores([device("gfx94x", null)])).toBe(true);
    expect(hasMatrixCores([device(null, "AMD Instinct MI300X")])).toBe(true);
  });
  it("leaves out devices that did nothing", () => {
    expect(hasMatrixCores([device("gfx94x", null), device("8.0", "NVIDIA A100", 0)])).toBe(true);
    expect(hasMatrixCores([device("gfx94x", null, 0)])).toBe(false);
  });
  it("asks the source's list where work names its device by another number", () => {
    expect(hasMatrixCores([device(null, null), device("gfx94x", "AMD Instinct MI300X", 0)])).toBe(true);
    expect(hasMatrixCores([device(null, null), device("9.0", "NVIDIA H100", 0)])).toBe(false);
  });
  it("holds for all devices or for none", () => {
    expect(hasMatrixCores([device("gfx94x", null), device("8.0", "NVIDIA A100")])).toBe(false);
    expect(hasMatrixCores([device(null, null)])).toBe(false);
  });
});
