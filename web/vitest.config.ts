import { defineConfig } from "vitest/config";

// By address: a bare container may know no name "localhost".
export default defineConfig({ server: { host: "127.0.0.1", fs: { allow: [".."] } }, test: { include: ["src/**/*.test.ts"] } });
