// Colours of entries, as numbers for a canvas (0xAABBGGRR).
import type { Entries } from "./window";

export type ColorMode = "kind" | "name" | "tc";

export interface Palette {
  background: number;
  kinds: readonly number[]; // by kind number
  names: readonly number[]; // to pick from by name
  tensorCore: number;
  noTensorCore: number;
  unknown: number;
  neutral: number;
}

export function parseColor(text: string): number {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
  if (!hex) return 0xff808080;
  const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
  const value = parseInt(full, 16);
  return ((0xff << 24) | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export const cssColor = (color: number): string =>
  `rgb(${String(color & 255)} ${String((color >> 8) & 255)} ${String((color >> 16) & 255)})`;

export function mix(a: number, b: number, share: number): number {
  const channel = (shift: number) => Math.round(((a >> shift) & 255) * (1 - share) + ((b >> shift) & 255) * share) << shift;
  return ((0xff << 24) | channel(16) | channel(8) | channel(0)) >>> 0;
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export function luminance(color: number): number {
  return 0.2126 * linear(color & 255) + 0.7152 * linear((color >> 8) & 255) + 0.0722 * linear((color >> 16) & 255);
}

// Black or white, whichever is easier to read on a colour.
export const inkOn = (color: number): string => (luminance(color) > 0.179 ? "#0b1218" : "#ffffff");

export function hashOf(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const TC_KINDS: Record<string, "tensorCore" | "noTensorCore" | "unknown"> = {
  tensor_core_kernel: "tensorCore",
  kernel: "noTensorCore",
  kernel_unknown_tc: "unknown",
};

export interface Coloring {
  mode: ColorMode;
  palette: Palette;
  kinds: readonly string[];
  matches: ((name: string) => boolean) | null; // what does not match is dimmed
}

// One colour for each entry. Sparse entries of several spans are paler: their colour is that of their busy share.
export function colorsOf(entries: Entries, names: readonly string[], how: Coloring): Uint32Array {
  const { palette } = how;
  const byKind = how.kinds.map((kind, i) => {
    if (how.mode !== "tc") return palette.kinds[i] ?? palette.neutral;
    const use = TC_KINDS[kind];
    return use ? palette[use] : palette.neutral;
  });
  const byName = how.mode === "name" ? names.map((name) => palette.names[hashOf(name) % palette.names.length] ?? 0) : null;
  const { matches } = how;
  const dimmed = matches ? names.map((name) => !matches(name)) : null;
  const out = new Uint32Array(entries.begin.length);
  for (let i = 0; i < out.length; i += 1) {
    const name = entries.name[i] ?? 0;
    let color = (byName ? byName[name] : byKind[entries.kind[i] ?? 0]) ?? palette.neutral;
    if ((entries.count[i] ?? 1) > 1) {
      const share = (entries.busy[i] ?? 0) / Math.max(entries.dur[i] ?? 1, 1);
      if (share < 0.95) color = mix(palette.background, color, 0.3 + 0.7 * share);
    }
    out[i] = dimmed?.[name] ? mix(palette.background, color, 0.22) : color;
  }
  return out;
}
