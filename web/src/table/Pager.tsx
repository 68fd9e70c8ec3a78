import { useState } from "react";
import { formatCount } from "../widgets/format";
import { Icon } from "../widgets/Icon";
import { PAGE_SIZES, type TableState } from "./state";

// The page as a number that can be changed: Enter, or leaving the field, goes there.
function PageJump({ page, pages, change }: { page: number; pages: number; change: (part: Partial<TableState>) => void }) {
  const [typed, setTyped] = useState(String(page + 1));
  const go = () => {
    const wanted = /^\d+$/.test(typed) ? Math.max(1, Math.min(pages, Number(typed))) : page + 1;
    setTyped(String(wanted));
    if (wanted !== page + 1) change({ page: wanted - 1 });
  };
  if (pages === 1) return <span className="num">1 / 1</span>;
  return (
    <span className="num page-jump">
      <input
        aria-label="Page"
        inputMode="numeric"
        size={String(pages).length}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
        }}
        onBlur={go}
        onKeyDown={(event) => {
          if (event.key === "Enter") go();
        }}
      />{" "}
      / {formatCount(pages)}
    </span>
  );
}

export function Pager({
  state,
  matching,
  all,
  change,
}: {
  state: TableState;
  matching: number;
  all: number;
  change: (part: Partial<TableState>) => void;
}) {
  const pages = Math.max(1, Math.ceil(matching / state.size));
  const first = matching === 0 ? 0 : state.page * state.size + 1;
  const last = Math.min(matching, (state.page + 1) * state.size);
  const step = (icon: "left" | "right", label: string, page: number, possible: boolean) => (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      disabled={!possible}
      onClick={() => {
        change({ page });
      }}
    >
      <Icon name={icon} size={14} />
    </button>
  );
  const sizes = [...new Set([...PAGE_SIZES, state.size])].sort((a, b) => a - b);
  return (
    <div className="pager">
      <span role="status">
        {formatCount(first)}–{formatCount(last)} of {formatCount(matching)}
        {matching !== all && ` (${formatCount(all)} in all)`}
      </span>
      <label>
        <span className="wide-only">Rows</span>
        <select
          aria-label="Rows of a page"
          value={state.size}
          onChange={(event) => {
            change({ size: Number(event.target.value), page: 0 });
          }}
        >
          {sizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
      {step("left", "Page back", state.page - 1, state.page > 0)}
      <PageJump key={state.page} page={state.page} pages={pages} change={change} />
      {step("right", "Page on", state.page + 1, state.page + 1 < pages)}
    </div>
  );
}
