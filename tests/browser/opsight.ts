// The program, as the tests use it: its reports as JSON, and its viewer.
import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const BIN = process.env.OPSIGHT_BIN_DIR ?? fileURLToPath(new URL("../../build/bin", import.meta.url));
export const OPSIGHT = path.join(BIN, "opsight");

export type Value = string | number | boolean | null;
export type JsonRow = Record<string, Value>;

const answers = new Map<string, string>();

// What a command prints; asked once, for profiles do not change.
export function run(...options: string[]): string {
  const key = options.join("\n");
  const known = answers.get(key) ?? execFileSync(OPSIGHT, options, { encoding: "utf8", maxBuffer: 1 << 28 });
  answers.set(key, known);
  return known;
}

// The rows of a report, or the object that `summary` is.
export function report<T = JsonRow[]>(file: string, name: string, ...options: string[]): T {
  const answer = JSON.parse(run("report", file, "--report", name, "--format", "json", ...options)) as Record<string, unknown>;
  return answer[name] as T;
}

export interface Summary extends Record<string, unknown> {
  system: JsonRow;
  iterations: JsonRow;
  devices: JsonRow[];
  streams: JsonRow[];
  all_kernels: JsonRow[];
}

export interface Viewer {
  url: string;
  stop: () => Promise<void>;
}

export async function startViewer(files: string[], ...options: string[]): Promise<Viewer> {
  const child = spawn(OPSIGHT, ["view", "--no-open", ...(options.includes("-p") ? [] : ["-p", "0"]), ...options, ...files], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (data: Buffer) => {
    errors += data.toString();
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
  });
  const first = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", (code) => {
      reject(new Error(`opsight view ended with ${String(code)}: ${errors}`));
    });
  });
  return {
    url: first.trim(),
    // Says so where it crashed: another process went on, so nothing else need show it.
    stop: async () => {
      child.kill("SIGINT");
      await ended;
      if (errors.includes("has crashed")) throw new Error(errors);
    },
  };
}
