import { expect, it } from "vitest";
import { byteTicks, ticks } from "./ticks";

it("an axis has round values beside 0, whatever its length", () => {
  for (let most = 1; most < 2e10; most *= 1.03) {
    for (const count of [1, 2, 3, 4, 8]) {
      const values = ticks(most, count);
      expect(values[0]).toBe(0);
      expect(values.length, `${String(most)} ${String(count)}`).toBeGreaterThan(1);
      expect(values.length).toBeLessThanOrEqual(2.5 * count + 2);
      expect(values[values.length - 1]).toBeLessThanOrEqual(most * 1.001);
    }
  }
  expect(ticks(4.02, 2)).toEqual([0, 2, 4]);
  expect(ticks(119e6, 2)).toEqual([0, 50e6, 100e6]);
  expect(byteTicks(3 * 2 ** 30, 3)).toEqual([0, 2 ** 30, 2 * 2 ** 30, 3 * 2 ** 30]);
});
