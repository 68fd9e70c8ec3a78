import { useState } from "react";
import { NO_RANGE } from "../../address/route";
import { useCut } from "../../address/useCut";
import { useSetParams } from "../../address/useRoute";
import { DataTable } from "../../table/DataTable";
import { Dialog } from "../../widgets/Dialog";
import { Icon } from "../../widgets/Icon";

function KeyOpDialog({ close, choose }: { close: () => void; choose: (name: string) => void }) {
  return (
    <Dialog title="What ends each iteration" onClose={close}>
      <p className="hint dialog-hint">
        An op or a range that is there once for each iteration: the optimizer&apos;s step, for one. Every number is then about
        iterations that end where it ends.
      </p>
      <DataTable
        name="key_ops"
        label="Ops and ranges that can end iterations"
        prefix="key."
        height="half"
        only={["calls_per_rank:ge:2"]}
        sort="total_cpu_time_ns:desc"
        rowKey={(row) => row.text("name") ?? ""}
        onSelect={(row) => {
          const name = row.text("name");
          if (name !== null) choose(name);
        }}
        empty="No op or range of this profile is there more than once."
      />
    </Dialog>
  );
}

// What an iteration is: as the recording says, or cut at the ends of an op, or at ranges whose names match.
export function CutControls() {
  const setParams = useSetParams();
  const [picking, setPicking] = useState(false);
  const cut = useCut();
  const keyOp = cut.key_op ?? null;
  const pattern = cut.iteration_range ?? null;
  const [typed, setTyped] = useState(pattern ?? "");
  const close = () => {
    setPicking(false);
    setParams({ "key.search": null, "key.page": null, "key.sort": null, "key.filter": null }, { replace: true });
  };
  return (
    <div className="cut">
      <span className="cut-label">An iteration is</span>
      <button
        type="button"
        className="button"
        aria-pressed={keyOp === null && pattern === null}
        onClick={() => {
          setTyped("");
          setParams(NO_RANGE);
        }}
      >
        what the recording says
      </button>
      <button
        type="button"
        className="button"
        aria-pressed={keyOp !== null}
        onClick={() => {
          setPicking(true);
        }}
      >
        <Icon name="ops" size={14} /> {keyOp === null ? "up to the end of an op or range…" : `up to the end of ${keyOp}`}
      </button>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setParams({ ...NO_RANGE, iteration_range: typed });
        }}
      >
        <label>
          <span className="sr-only">Pattern of range names</span>
          <input
            placeholder="a range named like… (step .*)"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
            }}
          />
        </label>
        <button className="button" disabled={typed === "" || typed === pattern}>
          Use
        </button>
      </form>
      {picking && (
        <KeyOpDialog
          close={close}
          choose={(name) => {
            close();
            setParams({ ...NO_RANGE, key_op: name });
          }}
        />
      )}
    </div>
  );
}
