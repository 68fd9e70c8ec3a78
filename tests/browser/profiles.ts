// Makes the profiles that the tests look at, and starts one viewer for all of them.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { BIN, OPSIGHT, startViewer, type Viewer } from "./opsight";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CORPUS = process.env.OPSIGHT_CORPUS ?? path.join(ROOT, "../shared/corpus");
const PYTHON = process.env.OPSIGHT_PYTHON ?? "/usr/bin/python3";

export interface Made {
  files: Record<string, string>; // by name: training, ranges, ranges_gpu, and from the corpus gpu, ranks
  url: string;
  folder: string;
}

declare module "vitest" {
  interface ProvidedContext {
    made: Made;
  }
}

// A GPU run with iterations, and one of eight ranks; they are there where the corpus is.
const FROM_CORPUS = {
  gpu: "kineto/kineto-tb/resnet50_nw4_a__worker0.1623212756351.pt.trace.json.gz",
  ranks: "kineto/param/dlrm_kineto.tar.gz",
};

// The network that is trained, as a file.
const EXPORT = `
import sys
sys.path.insert(0, sys.argv[1])
import torch, train_cnn
torch.onnx.export(train_cnn.ResNet().eval(), torch.zeros(1, 3, 32, 32), sys.argv[2])
`;

function make(folder: string): Record<string, string> {
  const files: Record<string, string> = { training: path.join(folder, "training.opsight") };
  const quiet = { stdio: ["ignore", "ignore", "pipe"] as ["ignore", "ignore", "pipe"] };
  const script = path.join(ROOT, "examples/train_cnn.py");
  execFileSync(OPSIGHT, ["profile", "-o", files.training ?? "", "--", PYTHON, script, "--epochs", "1", "--steps", "8", "--batch", "8"], quiet);
  const model = path.join(folder, "cnn.onnx");
  execFileSync(PYTHON, ["-B", "-c", EXPORT, path.dirname(script), model], quiet);
  execFileSync(OPSIGHT, ["import", "-q", files.training ?? "", "--model", model], quiet);
  // A program with NVTX ranges, without a GPU and with a made-up one.
  for (const [name, kind] of [["ranges", "cpu"], ["ranges_gpu", "gpu"]] as const) {
    files[name] = path.join(folder, `${name}.opsight`);
    const env = { ...process.env, OPSIGHT_CUPTI: path.join(BIN, "../lib/libfake_cupti.so") };
    execFileSync(OPSIGHT, ["profile", "-o", files[name] ?? "", "--", path.join(BIN, "nvtx_simulate"), kind], { ...quiet, env });
  }
  for (const [name, trace] of Object.entries(FROM_CORPUS)) {
    if (!existsSync(path.join(CORPUS, trace))) continue;
    files[name] = path.join(folder, `${name}.opsight`);
    execFileSync(OPSIGHT, ["import", "-q", "-o", files[name], path.join(CORPUS, trace)], quiet);
  }
  files.damaged = path.join(folder, "damaged.opsight");
  writeFileSync(files.damaged, readFileSync(files.training ?? "").subarray(0, 5000));
  files.foreign = path.join(folder, "foreign.opsight");
  writeFileSync(files.foreign, "no profile at all\n".repeat(1000));
  return files;
}

export default async function setup(project: TestProject) {
  const folder = mkdtempSync(path.join(tmpdir(), "opsight-browser-"));
  let viewer: Viewer | null = null;
  try {
    const files = make(folder);
    viewer = await startViewer(Object.values(files));
    project.provide("made", { files, url: viewer.url, folder });
  } catch (problem) {
    rmSync(folder, { recursive: true, force: true });
    throw problem;
  }
  const running = viewer;
  return async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
