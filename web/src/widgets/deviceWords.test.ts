import { describe, expect, it } from "vitest";
import { said } from "./deviceWords";

const NVIDIA = { device: "GPU", matrix_unit: "Tensor Core", api: "CUDA", multiprocessor: "multiprocessor", clock: "CPU" };
const AMD = { device: "GPU", matrix_unit: "Matrix Core", api: "HIP", multiprocessor: "compute unit", clock: "CPU" };
const TPU = { device: "TPU", matrix_unit: "matrix unit", api: "runtime", multiprocessor: "core", clock: "CPU" };
const OTHER = { device: "accelerator", matrix_unit: "matrix unit", api: "runtime", multiprocessor: "core", clock: "CPU" };

describe("said", () => {
  it("leaves NVIDIA's words alone", () => {
    expect(said("TC Eligible ops of a GPU, CUDA API", NVIDIA)).toBe("TC Eligible ops of a GPU, CUDA API");
  });
  it("names AMD's matrix units, also where they are abbreviated", () => {
    expect(said("Tensor Core efficiency", AMD)).toBe("Matrix Core efficiency");
    expect(said("Uses TC", AMD)).toBe("Uses Matrix Cores");
    expect(said("TC GPU Time (ns)", AMD)).toBe("Matrix Core GPU Time (ns)");
    expect(said("kernel, TC unknown", AMD)).toBe("kernel, Matrix Core unknown");
    expect(said("unknown_tensor_core_use".replaceAll("_", " "), AMD)).toBe("unknown matrix core use");
    expect(said("Multiprocessors", AMD)).toBe("Compute units");
    expect(said("leave multiprocessors empty", AMD)).toBe("leave compute units empty");
    expect(said("calls of CUDA's API", AMD)).toBe("calls of HIP's API");
  });
  it("calls no time of a GPU the CPU's", () => {
    expect(said("Self CPU Time (ns)", { ...NVIDIA, clock: "Host" })).toBe("Self Host Time (ns)");
    expect(said("CPU time", { ...NVIDIA, clock: "Host" })).toBe("Host time");
    expect(said("what the op's CPU time is", { ...NVIDIA, clock: "Host" })).toBe("what the op's host time is");
    expect(said("Self CPU Time (ns)", NVIDIA)).toBe("Self CPU Time (ns)");
  });
  it("calls no TPU a GPU", () => {
    expect(said("GPU utilization", TPU)).toBe("TPU utilization");
    expect(said("Ops that can use Tensor Cores", TPU)).toBe("Ops that can use matrix units");
    expect(said("Tensor Core efficiency", TPU)).toBe("Matrix unit efficiency");
    expect(said("CUDA API", TPU)).toBe("runtime API");
  });
  it("fits other accelerators into their sentence", () => {
    expect(said("Total GPU Time (ns)", OTHER)).toBe("Total Accelerator Time (ns)");
    expect(said("Memory of a GPU", OTHER)).toBe("Memory of an accelerator");
    expect(said("GPUs used", OTHER)).toBe("Accelerators used");
    expect(said("rank 0, MY_GPU", OTHER)).toBe("rank 0, MY_GPU");
  });
});
