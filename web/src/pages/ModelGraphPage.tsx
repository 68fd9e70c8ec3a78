import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useDeviceWork, useRangeAnswer, useTable } from "../api/queries";
import type { ModelAnswer, ModelFacts, ModelItem } from "../api/types";
import { useCorrections, wrongChoice } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import { rowsOf } from "../table/row";
import { formatCount, formatNs, formatPercent } from "../widgets/format";
import { Icon } from "../widgets/Icon";
import { useDeviceWords } from "../widgets/deviceWords";
import { Pane } from "../widgets/Pane";
import { Panes } from "../widgets/Panes";
import { Answered, Empty, Loading } from "../widgets/states";
import { layOut } from "./model/elk";
import { COLOURS, COLOUR_NAMES, LEGENDS, liesIn, mostOf, toDrawing, toggled, toLayout, type Colour } from "./model/graph";
import { Picture } from "./model/Picture";
import { FirstInTimeline } from "../table/timelineLinks";

const words = (text: string | null): string => (text ?? "–").replaceAll("_", " ");

function Facts({ facts, gpu }: { facts: ModelFacts; gpu: boolean }) {
  const share = facts.gpu_share_pct;
  return (
    <p className="model-facts">
      <strong>{facts.name}</strong> ({facts.format}): {formatCount(facts.matched)} of {formatCount(facts.nodes)} nodes matched with ops
      {gpu && share !== null && `, which took ${formatPercent(share)} of the GPU time of all ops`}. Work and bounds are of one forward pass at batch{" "}
      {formatCount(facts.batch)}
      {facts.precision && ` in ${facts.precision}`}
      {facts.device ? ` on ${facts.device}` : "; the peaks of the run's device are not known, so there are no bounds"}.
    </p>
  );
}

function Fields({ item, gpu }: { item: ModelItem; gpu: boolean }) {
  const say = useDeviceWords();
  const { sums } = item;
  const forward = gpu ? sums.gpu_ns - sums.backward_gpu_ns : sums.cpu_ns - sums.backward_cpu_ns;
  const kind = gpu ? "GPU" : "CPU";
  const fields: [string, string | null][] = [
    ["Name", item.name || null],
    ["Op type", item.op_type],
    ["Output", item.shape],
    ["Layer of the profile", item.layer],
    ["Matched", item.group ? `${String(sums.matched)} of ${String(sums.nodes)} nodes` : item.matched ? `by ${item.matched}` : "no"],
    ["Op", item.op_name],
    ["Calls", formatCount(sums.calls)],
    [`${kind} time`, formatNs(gpu ? sums.gpu_ns : sums.cpu_ns)],
    ["Forward", formatNs(forward)],
    ["Backward", formatNs(gpu ? sums.backward_gpu_ns : sums.backward_cpu_ns)],
    ["Share of GPU time", item.share_pct === null ? null : formatPercent(item.share_pct)],
    [say("Tensor Cores"), item.tensor_cores === null ? null : words(item.tensor_cores)],
    ["MACs", formatCount(sums.macs)],
    ["FLOPs", formatCount(sums.flops)],
    ["Parameters", formatCount(sums.parameters)],
    ["Bound", sums.bound_ns === null ? null : formatNs(sums.bound_ns)],
    ["Limiter", item.limiter],
  ];
  return (
    <dl className="facts">
      {fields.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function ItemPane({ item, gpu, toggle, close }: { item: ModelItem; gpu: boolean; toggle: (item: ModelItem) => void; close: () => void }) {
  const { params } = useRoute();
  return (
    <Pane title={item.label} onClose={close}>
      <div className="details-actions">
        {item.group && (
          <button type="button" className="button small" onClick={() => { toggle(item); }}>
            {item.open ? "Close the group" : "Open the group"}
          </button>
        )}
        {item.op_id !== null && (
          <a className="button small" href={linkTo("ops", params, { sel: item.op_id })}>
            <Icon name="ops" size={14} /> The op
          </a>
        )}
        <FirstInTimeline of={{ op: item.op_id }} />
        {item.layer !== null && (
          <a className="button small" href={linkTo("layers", params, { sel: `/${item.layer}` })}>
            <Icon name="layers" size={14} /> Its layer
          </a>
        )}
      </div>
      <Fields item={item} gpu={gpu} />
    </Pane>
  );
}

function Search({ find }: { find: (node: string, group: string | null) => void }) {
  const [text, setText] = useState("");
  const found = useTable("model_nodes", { search: text, page_size: 12 }, text !== "").data;
  return (
    <div className="model-search">
      <input type="search" aria-label="Find a node" placeholder="Find a node" value={text} onChange={(event) => { setText(event.target.value); }} />
      {text !== "" && found && (
        <ul aria-label="Nodes found">
          {rowsOf(found).map((row) => (
            <li key={row.text("node")}>
              <button
                type="button"
                className="link"
                onClick={() => {
                  find(`n${row.text("node") ?? ""}`, row.text("group"));
                  setText("");
                }}
              >
                {row.text("name")}
              </button>
            </li>
          ))}
          {found.rows.length === 0 && <li>Nothing has “{text}” in it</li>}
        </ul>
      )}
    </div>
  );
}

function Tools({ colour }: { colour: Colour }) {
  const say = useDeviceWords();
  const setParams = useSetParams();
  return (
    <div className="choice" role="group" aria-label="Colour by">
      {COLOURS.map((each) => (
        <button key={each} type="button" className="button" aria-pressed={colour === each} onClick={() => { setParams({ colour: each === "time" ? null : each }); }}>
          {say(COLOUR_NAMES[each])}
        </button>
      ))}
    </div>
  );
}

function Legend({ colour }: { colour: Colour }) {
  const say = useDeviceWords();
  return (
    <ul className="model-legend" aria-label="Colours">
      {LEGENDS[colour].map(([name, text]) => (
        <li key={name}>
          <span className={`model-swatch ${name}`} /> {say(text)}
        </li>
      ))}
    </ul>
  );
}

// `settled`: the data are those of the address, not what was shown before.
function Graph({ data, facts, settled }: { data: ModelAnswer; facts: ModelFacts; settled: boolean }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const gpu = useDeviceWork();
  useCorrections(wrongChoice(params, "colour", COLOURS, "colour", "time"));
  const colour = COLOURS.find((each) => each === params.get("colour")) ?? "time";
  // Where the boxes lie depends on which there are alone, so another range or colour leaves them in place.
  const shape = JSON.stringify([facts.name, data.items.map((item) => [item.id, item.open, item.label]), data.edges.length]);
  const laid = useQuery({ queryKey: ["layout", shape, gpu], queryFn: () => layOut(toLayout(data, gpu)) });
  const selected = params.get("sel");
  const item = data.items.find((each) => each.id === selected);
  useCorrections(selected === null || item || !settled ? [] : [{ key: "sel", to: null, text: `The model as it is opened here has no node or group “${selected}”: nothing is selected.` }]);
  const toggle = (each: ModelItem) => {
    // What is selected in a group that is closed goes with it: the group stays.
    setParams({ open: toggled(data, each) || null, ...(each.open && liesIn(data, selected, each.id) && { sel: each.id }) });
  };
  const select = (each: ModelItem) => {
    setParams({ sel: each.id === selected ? null : each.id });
  };
  const find = (node: string, group: string | null) => {
    const open = data.items.filter((each) => each.open).map((each) => each.id.slice(1));
    setParams({ sel: node, open: [...open, ...(group === null ? [] : [group])].join(",") || null });
  };
  return (
    <Panes details={item && <ItemPane item={item} gpu={gpu} toggle={toggle} close={() => { setParams({ sel: null }); }} />}>
      <div className="card model-card">
        <Facts facts={facts} gpu={gpu} />
        <div className="model-tools">
          <Tools colour={colour} />
          <Search find={find} />
          <Legend colour={colour} />
        </div>
        {data.cut && <p className="notice">Not all groups could be opened at once: close some first.</p>}
        {laid.error && <p role="alert">The graph could not be laid out: {laid.error.message}</p>}
        {laid.data ? (
          <Picture key={facts.name} drawing={toDrawing(data, laid.data)} shown={{ colour, most: mostOf(data, gpu), gpu, selected, select, toggle }} />
        ) : (
          !laid.error && <Loading what="the layout" />
        )}
      </div>
    </Panes>
  );
}

export function ModelGraphPage() {
  const { params } = useRoute();
  const open = params.get("open");
  const answer = useRangeAnswer<ModelAnswer>("model", open === null ? {} : { open });
  return (
    <Answered answer={answer} what="the model" rows={12}>
      {(data) =>
        data.model ? (
          <Graph data={data} facts={data.model} settled={!answer.isPlaceholderData} />
        ) : (
          <Empty icon="model" title="The profile has no model">
            <p>
              Add the network that was run, as an ONNX file or TensorFlow&apos;s GraphDef or SavedModel:{" "}
              <code>opsight import PROFILE.opsight --model MODEL.onnx</code>, then open the profile again.
            </p>
          </Empty>
        )
      }
    </Answered>
  );
}
