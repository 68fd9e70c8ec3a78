import { useEffect, type ReactNode } from "react";
import { getJson, type Params } from "../api/client";
import { useProfileId } from "../api/queries";
import type { Table } from "../api/types";
import { currentParams, useScope, useRoute, useSetParams } from "../address/useRoute";
import { Panes } from "../widgets/Panes";
import { DataTable } from "./DataTable";
import type { TableProps } from "./props";
import { filtersOf, identify, type Row } from "./row";
import { RowDetails } from "./RowDetails";
import { filterTexts, readState, stateParams, type TableState } from "./state";
import { TimelineLink } from "./timelineLinks";

type Props = Omit<TableProps, "rowKey" | "selected" | "onSelect"> & {
  keys: readonly string[]; // columns that tell rows apart
  selectAs?: string; // the parameter of the address that holds the selection
  title: (row: Row) => string;
  detailActions?: (row: Row) => ReactNode;
  detailMore?: (row: Row) => ReactNode;
  below?: (selected: string) => ReactNode;
};

// On which page a row stands: as many rows as come before it. null: it is not in the table.
async function pageOfRow(path: string, params: Params, state: TableState, sort: string | undefined, keys: readonly string[], selected: string): Promise<number | null> {
  const asked = stateParams(state);
  const table = await getJson<Table>(path, {
    ...params,
    ...asked,
    sort: asked.sort ?? sort,
    filter: filterTexts(state),
    page: 0,
    page_size: 1,
    place_of: filtersOf(keys, selected),
  });
  return table.place === undefined ? null : Math.floor(table.place / state.size);
}

// An address that says "reveal" wants the page of the selected row.
function useReveal({ name, params, sort, keys }: Pick<Props, "name" | "params" | "sort" | "keys">, selected: string | null): void {
  const route = useRoute();
  const setParams = useSetParams();
  const path = `/profiles/${useProfileId()}/tables/${name}`;
  const range = useScope();
  const wanted = route.params.get("reveal") !== null && selected !== null;
  useEffect(() => {
    if (!wanted) return undefined;
    let over = false;
    const state = readState(currentParams(), "");
    void pageOfRow(path, { ...range, ...params }, state, sort, keys, selected)
      .catch(() => null)
      .then((page) => {
        if (!over) setParams({ reveal: null, page: page === null || page === 0 ? null : page }, { replace: true });
      });
    return () => {
      over = true;
    };
    // Once for each address; keys and parameters of a view stay the same.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted, selected, path, range]);
}

// A table in which one row can be selected; the selection stands in the address, its details in a pane.
export function SelectTable({ keys, selectAs = "sel", title, detailActions, detailMore, below, ...table }: Props) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const selected = params.get(selectAs);
  useReveal({ ...table, keys }, selected);
  const close = () => {
    setParams({ [selectAs]: null });
  };
  const details = (chosen: string) => (
    <RowDetails
      table={table.name}
      params={table.params}
      keys={keys}
      selected={chosen}
      title={title}
      onClose={close}
      more={detailMore}
      actions={(row) => (
        <>
          <TimelineLink row={row} />
          {detailActions?.(row)}
        </>
      )}
    />
  );
  return (
    <div
      onKeyDown={(event) => {
        if (event.key === "Escape" && selected && !(event.target instanceof HTMLInputElement)) close();
      }}
    >
      <Panes details={selected && details(selected)}>
        <DataTable
          {...table}
          rowKey={(row) => identify(row, keys)}
          selected={selected}
          onSelect={(_, key) => {
            setParams({ [selectAs]: key === selected ? null : key });
          }}
        />
        {selected && below?.(selected)}
      </Panes>
    </div>
  );
}
