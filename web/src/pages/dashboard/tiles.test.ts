import { describe, expect, it } from "vitest";
import { definitionOfTile } from "../../widgets/definitions";
import source from "./Tiles.tsx?raw";

const names = [...source.matchAll(/<(?:Tile title|Line name)="([^"]+)"/g)].map((match) => match[1] ?? "");

describe("tiles", () => {
  it("are found", () => {
    expect(names.length).toBeGreaterThan(15);
  });
  it.each(names)("“%s” has its definition in docs/metrics.md", (name) => {
    expect(definitionOfTile(name)).toBeTruthy();
  });
});
