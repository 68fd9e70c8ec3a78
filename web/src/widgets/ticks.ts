// The same for bytes: round in KiB, MiB, GiB.
export function byteTicks(most: number, count: number): number[] {
  const unit = most >= 1024 ? 1024 ** Math.floor(Math.log2(most) / 10) : 1;
  return ticks(most / unit, count).map((value) => value * unit);
}

// Round values for an axis from 0 to `most`: as near to `count` of them as steps of 1, 2 or 5 allow, and always one
// beside 0.
export function ticks(most: number, count: number): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const ten = 10 ** Math.floor(Math.log10(most / count));
  const far = (step: number) => Math.abs(Math.floor(most / step + 1e-9) - count);
  const steps = [10, 5, 2, 1].map((factor) => factor * ten).filter((each) => each <= most * 1.0001);
  const step = steps.reduce((best, each) => (far(each) <= far(best) ? each : best), steps[0] ?? most);
  const values: number[] = [];
  for (let at = 0; at <= most * 1.0001; at += step) values.push(Math.round(at / step) * step);
  return values;
}
