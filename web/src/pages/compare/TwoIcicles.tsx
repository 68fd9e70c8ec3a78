// The layers of both runs, one above the other on one scale, coloured by what they take longer or less long.
import type { KeyboardEvent } from "react";
import { exactValue, formatNs, formatValue } from "../../widgets/format";
import { useWidth } from "../../widgets/useWidth";
import { blocksOf, findLayer, mostOf, nameOf, shadeOf, type Block, type Layer, type Pair, type Side } from "./layers";
import { pickText, type Pick } from "./pick";

const ROW = 24;
const HEAD = 20;
const NAMES: Record<Side, string> = { base: "Before", new: "After" };
const SHADES = ["faster-3", "faster-2", "faster-1", "same", "slower-1", "slower-2", "slower-3"];

const signed = (ns: number): string => `${ns > 0 ? "+" : ""}${formatValue(ns, "ns")}`;
const changeText = ({ change }: Block, side: Side): string => (change === null ? (side === "base" ? "gone" : "new") : signed(change));

// What stands for a layer in the address: it and what belongs to it.
function pickOfLayer(layer: Layer, side: Side): string {
  const [base, next] = side === "base" ? [layer.path, layer.other] : [layer.other, layer.path];
  return pickText({ what: "layer", base, new: next });
}

interface Props {
  pair: Pair;
  what: string; // "GPU time"
  picked: Pick | null;
  pick: (text: string) => void;
}

function Half({ side, blocks, width, most, props }: { side: Side; blocks: readonly Block[]; width: number; most: number; props: Props }) {
  const selected = props.picked?.what === "layer" ? props.picked[side] : null;
  return (
    <>
      <text className="axis-text strong" x="0" y="14">
        {NAMES[side]}: {formatNs(props.pair[side].ns)}
      </text>
      {blocks.map((block) => {
        const { layer } = block;
        const wide = block.width * width;
        const words = `${nameOf(layer)} ${changeText(block, side)}`;
        const room = Math.floor((wide - 10) / 7);
        return (
          <g
            key={layer.path}
            className={`block ${SHADES[3 + shadeOf(block, side, most)] ?? "same"}${layer.path === selected ? " selected" : ""}`}
            data-path={layer.path}
            onClick={() => {
              props.pick(pickOfLayer(layer, side));
            }}
          >
            <title>{`${layer.path}${layer.more > 0 ? ` and ${String(layer.more)} beside it` : ""}\n${NAMES[side]}: ${formatNs(layer.ns)} (${exactValue(layer.ns, "ns")})\nDifference: ${changeText(block, side)}`}</title>
            <rect x={block.x * width + 0.5} y={HEAD + block.depth * ROW + 0.5} width={Math.max(0.5, wide - 1)} height={ROW - 1} rx="3" />
            {room >= 3 && (
              <text x={block.x * width + 6} y={HEAD + block.depth * ROW + 16}>
                {words.length > room ? `${words.slice(0, room - 1)}…` : words}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

// Up to the parent, down to the widest child, left and right among siblings.
function stepped(root: Layer, at: Layer, key: string): Layer | null {
  const above = findLayer(root, `/${at.path.split("/").filter(Boolean).slice(0, -1).join("/")}`);
  if (key === "ArrowUp") return at.path === "/" ? null : above;
  if (key === "ArrowDown") return [...at.children].sort((a, b) => b.ns - a.ns)[0] ?? null;
  const beside = above?.children ?? [];
  const place = beside.indexOf(at);
  return beside[place + (key === "ArrowRight" ? 1 : -1)] ?? null;
}

export function TwoIcicles(props: Props) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const { pair, picked } = props;
  const whole = Math.max(pair.base.ns, pair.new.ns);
  const most = mostOf(pair);
  const sides = (["base", "new"] as const).map((side) => {
    const blocks = blocksOf(pair, side, whole, 1.5 / Math.max(1, width));
    return { side, blocks, height: HEAD + Math.max(1, ...blocks.map((block) => block.depth + 1)) * ROW + 6 };
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.key.startsWith("Arrow")) return;
    const side: Side = picked?.what === "layer" && picked.base === null ? "new" : "base";
    const path = picked?.what === "layer" ? picked[side] : null;
    const at = path === null ? null : findLayer(pair[side], path);
    const to = at ? stepped(pair[side], at, event.key) : pair[side];
    if (to) props.pick(pickOfLayer(to, side));
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className="two-icicles"
      ref={holder}
      role="group"
      tabIndex={0}
      aria-label={`Layers by ${props.what}, before and after. Arrow keys go from layer to layer; the table of layers has the numbers.`}
      onKeyDown={onKeyDown}
    >
      {sides.map(({ side, blocks, height }) => (
        <svg key={side} width="100%" height={height} role="img" aria-label={`${NAMES[side]}, layers by ${props.what}`}>
          <Half side={side} blocks={blocks} width={width} most={most} props={props} />
        </svg>
      ))}
      <ul className="shades">
        <li>
          <span className="shade faster-3" /> less time after
        </li>
        <li>
          <span className="shade same" /> as long
        </li>
        <li>
          <span className="shade slower-3" /> more time after
        </li>
      </ul>
    </div>
  );
}
