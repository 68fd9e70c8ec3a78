// tests/browser: the page in a real browser, on real profiles, against the numbers of `opsight report`.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const installed = (name: string) => fileURLToPath(new URL(`node_modules/${name}`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL("../tests/browser", import.meta.url)),
  cacheDir: installed(".vite-browser"),
  // By address: a bare container may know no name "localhost".
  server: { host: "127.0.0.1", fs: { strict: false } },
  // The tests lie outside of the folder with the packages.
  resolve: {
    alias: {
      "playwright-core": installed("playwright-core/index.mjs"),
      "axe-core": installed("axe-core/axe.js"),
      vitest: installed("vitest/dist/index.js"),
    },
  },
  test: {
    include: ["*.test.ts"],
    globalSetup: ["./profiles.ts"],
    setupFiles: ["./retried.ts"],
    retry: 1,
    fileParallelism: false,
    testTimeout: 40_000,
    hookTimeout: 120_000,
  },
});
