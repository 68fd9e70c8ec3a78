// Forward, backward and what is neither, side by side on one scale: each layer as wide as its time, what is in it below
// it.
import { exactValue, formatNs } from "../../widgets/format";
import { useWidth } from "../../widgets/useWidth";
import { icicle, timeOf, type Block, type Measure, type Node, type Side } from "./tree";

const ROW = 24;
const GAP = 20;
const NARROWEST = 40; // pixels
const SIDES = ["fwd", "bwd", "other"] as const;
const NAMES: Record<Side, string> = { fwd: "Forward", bwd: "Backward", other: "Neither" };
const ALL = "Total"; // where nothing tells which is forward and which backward

interface Props {
  roots: readonly Node[];
  measure: Measure;
  selected: string | null;
  select: (path: string) => void;
}

function Half({ side, name: title, blocks, left, width, props }: { side: Side; name: string; blocks: readonly Block[]; left: number; width: number; props: Props }) {
  const time = timeOf(props.roots, side, props.measure);
  return (
    <g transform={`translate(${String(left)} 0)`}>
      <text className="axis-text strong" x="0" y="14">
        {title}: {formatNs(time)}
      </text>
      {blocks.map((block) => {
        const { node } = block;
        const wide = block.width * width;
        const ns = node.row[side][props.measure];
        const room = Math.floor((wide - 10) / 7);
        const name = node.row.name || "/";
        return (
          <g
            key={node.path}
            className={`block depth-${String(block.depth % 6)}${node.path === props.selected ? " selected" : ""}`}
            onClick={() => {
              props.select(node.path);
            }}
          >
            <title>{`${node.path || "/"}\n${title}: ${formatNs(ns)} (${exactValue(ns, "ns")})`}</title>
            <rect x={block.x * width + 0.5} y={GAP + block.depth * ROW + 0.5} width={Math.max(0.5, wide - 1)} height={ROW - 1} rx="3" />
            {room >= 3 && (
              <text x={block.x * width + 6} y={GAP + block.depth * ROW + 16}>
                {name.length > room ? `${name.slice(0, room - 1)}…` : name}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

export function Icicle(props: Props) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const { roots, measure } = props;
  const sides = SIDES.map((side) => ({ side, time: timeOf(roots, side, measure) })).filter(({ time }) => time > 0);
  const nameOf = (side: Side) => (sides.length === 1 && side === "other" ? ALL : NAMES[side]);
  const all = sides.reduce((sum, { time }) => sum + time, 0);
  const usable = Math.max(0, width - GAP * (sides.length - 1));
  // One scale for all, so that a wider picture is more time.
  const wides = sides.map(({ time }) => (usable * time) / all);
  const pictures = sides
    .map(({ side, time }, at) => ({ side, time, wide: wides[at] ?? 0, left: wides.slice(0, at).reduce((sum, wide) => sum + wide + GAP, 0) }))
    .filter(({ wide }) => wide > NARROWEST)
    .map((picture) => ({ ...picture, blocks: icicle(roots, picture.side, measure, picture.time, 1.5 / Math.max(1, picture.wide)) }));
  const hidden = sides.filter(({ side }) => pictures.every((picture) => picture.side !== side));
  const depth = Math.max(1, ...pictures.flatMap((picture) => picture.blocks.map((block) => block.depth + 1)));
  return (
    <div className="icicle" ref={holder}>
      <svg width="100%" height={GAP + depth * ROW + 2} role="img" aria-label="Layers by time, forward, backward and neither; the table below has the numbers">
        {pictures.map((picture) => (
          <Half key={picture.side} side={picture.side} name={nameOf(picture.side)} blocks={picture.blocks} left={picture.left} width={picture.wide} props={props} />
        ))}
      </svg>
      {width > 0 && hidden.length > 0 && <p className="quiet">Too narrow to be drawn: {hidden.map(({ side, time }) => `${NAMES[side]} ${formatNs(time)}`).join(", ")}.</p>}
    </div>
  );
}
