// schema.ts is what docs/openapi.json says: after a change there, `npm run generate`.
import { readFileSync } from "node:fs";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { expect, it } from "vitest";

it("is up to date with docs/openapi.json", async () => {
  const description = new URL("../../../docs/openapi.json", import.meta.url);
  const made = COMMENT_HEADER + astToString(await openapiTS(description));
  expect(readFileSync(new URL("schema.ts", import.meta.url), "utf8")).toBe(made);
}, 20_000);
