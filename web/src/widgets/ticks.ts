// The same for bytes: round in KiB, MiB, GiB.
export function byteTicks(most: number, count: number): number[] {
  const unit = most >= 1024 ? 1024 ** Math.floor(Math.log2(most) / 10) : 1;
  return ticks(most / unit, count).map((value) => value * unit);
}

// Round values for an axis from 0 to `most`: about `count` of them, in steps of 1, 2 or 5.
export function ticks(most: number, count: number): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const rough = most / count;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * ten).find((each) => each >= rough) ?? rough;
  const values: number[] = [];
  for (let at = 0; at <= most * 1.0001; at += step) values.push(Math.round(at / step) * step);
  return values;
}
