import { describe, expect, it } from "vitest";
import { colorsOf, inkOn, mix, parseColor, type Palette } from "./colors";
import { windowOf } from "./fake";
import { fittedText } from "./fitted";
import { clear, firstShown, paintLine, thicken, type Surface } from "./raster";
import { roundStep, tickText, ticks } from "./ruler";
import { between, clamped, LEAST_NS, nsPerPixel, panned, revealing, timeAt, xAt, zoomed } from "./viewport";
import { decodeWindow } from "./window";

const BOUNDS = { begin: 0, end: 1_000_000 };
const VIEW = { begin: 200_000, end: 300_000, width: 1000 };

describe("viewport", () => {
  it("keeps the time under the pointer while zooming", () => {
    for (const x of [0, 250, 999]) {
      const time = timeAt(VIEW, x);
      expect(timeAt(zoomed(VIEW, 0.5, x, BOUNDS), x)).toBeCloseTo(time, 6);
      expect(timeAt(zoomed(VIEW, 1.3, x, BOUNDS), x)).toBeCloseTo(time, 6);
    }
  });
  it("goes no narrower than makes sense and no farther than the profile", () => {
    expect(zoomed(VIEW, 1e-9, 500, BOUNDS).end - zoomed(VIEW, 1e-9, 500, BOUNDS).begin).toBeCloseTo(LEAST_NS, 6);
    const all = zoomed(VIEW, 1e9, 500, BOUNDS);
    expect(all.begin).toBeCloseTo(-20_000);
    expect(all.end).toBeCloseTo(1_020_000);
    const far = panned(VIEW, 1e9, BOUNDS);
    expect(far.end).toBeCloseTo(1_020_000);
    expect(far.end - far.begin).toBeCloseTo(100_000);
    expect(clamped({ begin: 5, end: 5, width: 10 }, { begin: 5, end: 5 }).end).toBeGreaterThan(5);
  });
  it("moves as little as needed to show an event", () => {
    expect(revealing(VIEW, 250_000, 5000, BOUNDS)).toBe(VIEW);
    const moved = revealing(VIEW, 600_000, 5000, BOUNDS);
    expect(moved.end - moved.begin).toBeCloseTo(100_000);
    expect(xAt(moved, 602_500)).toBeCloseTo(500);
  });
  it("keeps its scale while an event can be seen, and zooms no more than that takes", () => {
    const scale = nsPerPixel(VIEW);
    for (const pixels of [1, 2, 50, 5000]) expect(nsPerPixel(revealing(VIEW, 600_000, pixels * scale, BOUNDS))).toBeCloseTo(scale);
    const close = revealing(VIEW, 600_000, scale / 4, BOUNDS);
    const wide = scale / 4 / nsPerPixel(close);
    expect(wide).toBeGreaterThan(5);
    expect(wide).toBeLessThan(20);
  });
  it("goes smoothly from one window to another", () => {
    const to = { begin: 210_000, end: 211_000, width: 1000 };
    expect(between(VIEW, to, 0)).toEqual(VIEW);
    expect(between(VIEW, to, 1).begin).toBeCloseTo(to.begin, 3);
    expect(between(VIEW, to, 1).end).toBeCloseTo(to.end, 3);
    const half = between(VIEW, to, 0.5);
    expect(half.begin).toBeGreaterThan(VIEW.begin);
    expect(half.end).toBeLessThan(VIEW.end);
  });
});

describe("ruler", () => {
  it("takes round steps", () => {
    expect([1, 1.1, 2.5, 7, 99].map(roundStep)).toEqual([1, 2, 5, 10, 100]);
    const { step, list } = ticks(0, 1e9, 1100);
    expect(step).toBe(1e8);
    expect(list.filter((tick) => tick.major).map((tick) => tick.time)).toEqual([0, 1e8, 2e8, 3e8, 4e8, 5e8, 6e8, 7e8, 8e8, 9e8, 1e9]);
  });
  it("names times with as many places as the step needs", () => {
    expect(tickText(1.25e9, 5e7)).toBe("1.25 s");
    expect(tickText(803_200_000, 1e5)).toBe("803.2 ms");
    expect(tickText(500, 100)).toBe("500 ns");
    expect(tickText(0, 1e6)).toBe("0 ms");
    expect(tickText(12_000, 1000)).toBe("12 µs");
  });
});

describe("colors", () => {
  const palette: Palette = {
    background: parseColor("#ffffff"),
    kinds: [parseColor("#ff0000")],
    names: [parseColor("#00ff00")],
    tensorCore: 1,
    noTensorCore: 2,
    unknown: 3,
    neutral: parseColor("#808080"),
  };
  const spans = [
    { begin: 0, dur: 10, depth: 0, name: "wanted", span: 1 },
    { begin: 100, dur: 1, depth: 0, name: "other", span: 2 },
    { begin: 109, dur: 1, depth: 0, name: "other", span: 3 },
  ];
  const window = windowOf(new Map([[1, spans]]), 0, 200, 10);
  const entries = window.tracks.get(1);
  if (!entries) throw new Error("no track");
  it("reads colours of style sheets", () => {
    expect(parseColor("#123456")).toBe(0xff563412);
    expect(parseColor("#abc")).toBe(0xffccbbaa);
    expect(parseColor("none")).toBe(0xff808080);
  });
  it("pales what is sparse and dims what does not match", () => {
    const red = parseColor("#ff0000");
    const plain = colorsOf(entries, window.names, { mode: "kind", palette, kinds: ["kernel"], matches: null });
    expect([...plain]).toEqual([red, mix(palette.background, red, 0.3 + 0.7 * 0.2)]);
    const found = colorsOf(entries, window.names, { mode: "kind", palette, kinds: ["kernel"], matches: (name) => name === "wanted" });
    expect(found[0]).toBe(red);
    expect(found[1]).toBe(mix(palette.background, plain[1] ?? 0, 0.22));
    const tc = colorsOf(entries, window.names, { mode: "tc", palette, kinds: ["tensor_core_kernel"], matches: null });
    expect(tc[0]).toBe(1);
  });
  it("writes dark on light and light on dark", () => {
    expect(inkOn(parseColor("#ffffff"))).toBe("#0b1218");
    expect(inkOn(parseColor("#202020"))).toBe("#ffffff");
  });
});

describe("names where there is little room", () => {
  const letters = (text: string): number => 10 * text.length;
  it("keep their begin and their end", () => {
    const add = fittedText("vectorized_elementwise_kernel<Add<float>>", 208, letters);
    expect(add).toBe("vectorized_el…loat>>");
    expect(fittedText("vectorized_elementwise_kernel<Add<int>>", 208, letters)).not.toBe(add);
    expect(letters(add)).toBeLessThanOrEqual(208);
  });
  it("are whole where they fit, and none where hardly a letter does", () => {
    expect(fittedText("mm", 20, letters)).toBe("mm");
    expect(fittedText("conv2d", 15, letters)).toBe("");
  });
});

describe("raster", () => {
  const spans = [
    { begin: 0, dur: 40, depth: 0, name: "a", span: 1 },
    { begin: 50, dur: 1, depth: 0, name: "b", span: 2 },
    { begin: 60, dur: 100, depth: 0, name: "c", span: 3 },
  ];
  const entries = windowOf(new Map([[1, spans]]), 0, 512, 512).tracks.get(1);
  if (!entries) throw new Error("no track");
  const colors = Uint32Array.of(1, 2, 3);
  const surface = (): Surface => ({ pixels: new Uint32Array(30), width: 10, height: 3 });
  it("draws each entry where it lies, at least a pixel wide, and nothing outside", () => {
    const s = surface();
    paintLine(s, 1, entries, colors, 0, 0, { begin: 0, perNs: 0.1 }, 0, 10);
    expect([...s.pixels]).toEqual([...Array<number>(10).fill(0), 1, 1, 1, 0, 0, 2, 3, 3, 3, 3, ...Array<number>(10).fill(0)]);
    const cut = surface();
    paintLine(cut, 0, entries, colors, 0, 0, { begin: 20, perNs: 0.1 }, 1, 5);
    expect([...cut.pixels.subarray(0, 10)]).toEqual([0, 1, 0, 2, 3, 0, 0, 0, 0, 0]);
  });
  it("copies a line to its height, no farther than the surface", () => {
    const s = surface();
    s.pixels.set([7, 8], 10);
    thicken(s, 1, 9, 0, 1);
    expect([...s.pixels]).toEqual([...Array<number>(10).fill(0), 7, 8, ...Array<number>(8).fill(0), 7, ...Array<number>(9).fill(0)]);
    clear(s, Uint32Array.from({ length: 10 }, (_, i) => i));
    expect([...s.pixels.subarray(20)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
  it("finds the first entry that is shown", () => {
    expect([0, 39, 40, 55, 60, 159, 160].map((time) => firstShown(entries, 0, time))).toEqual([0, 0, 1, 2, 2, 2, 3]);
  });
});

describe("decodeWindow", () => {
  it("reads columns of several tracks", () => {
    const head = JSON.stringify({
      begin_ns: 1000,
      end_ns: 2000,
      pixel_ns: 10,
      complete: true,
      names: ["a", "b"],
      tracks: [
        { id: 5, entries: 2 },
        { id: 6, entries: 1 },
      ],
    });
    const text = new TextEncoder().encode(head.padEnd(Math.ceil(head.length / 8) * 8));
    const buffer = new ArrayBuffer(8 + text.length + 3 * 24 + 3 * 16 + 8 + 8);
    const view = new DataView(buffer);
    new Uint8Array(buffer).set(new TextEncoder().encode("OTL1"));
    view.setUint32(4, text.length, true);
    new Uint8Array(buffer, 8).set(text);
    const at = 8 + text.length;
    [-5, 10, 20].forEach((value, i) => {
      view.setFloat64(at + 8 * i, value, true);
    });
    [0, 1, 1].forEach((value, i) => {
      view.setUint32(at + 72 + 4 * i, value, true);
    });
    [0, 3, 0].forEach((value, i) => {
      view.setUint16(at + 72 + 48 + 2 * i, value, true);
    });
    const window = decodeWindow(buffer);
    expect(window.begin).toBe(1000);
    expect([...(window.tracks.get(5)?.begin ?? [])]).toEqual([-5, 10]);
    expect([...(window.tracks.get(6)?.begin ?? [])]).toEqual([20]);
    expect([...(window.tracks.get(5)?.name ?? [])]).toEqual([0, 1]);
    expect([...(window.tracks.get(5)?.rows ?? [])]).toEqual([0, 1, 1, 1, 2]);
    expect(() => decodeWindow(new ArrayBuffer(4))).toThrow("not a window");
  });
});
