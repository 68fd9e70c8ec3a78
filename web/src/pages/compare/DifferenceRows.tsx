// The tree of the difference as rows that open. What is open stands in the address.
import { useMemo } from "react";
import type { Table } from "../../api/types";
import { useRoute, useSetParams } from "../../address/useRoute";
import { DataTable } from "../../table/DataTable";
import { type Row, rowsOf } from "../../table/row";
import { Card } from "../../widgets/Card";
import { differenceTree } from "./differenceTree";
import type { Measure } from "./layers";

const idOf = (row: Row): string => row.text("id") ?? "";

export function DifferenceRows({ layers, ops, kernels, measure }: { layers: Table; ops: Table; kernels: Table; measure: Measure }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const { table, parents } = useMemo(() => differenceTree(layers, ops, kernels, measure), [layers, ops, kernels, measure]);
  const given = params.getAll("opened").join("\n");
  const tree = useMemo(() => {
    const open = new Set(given.split("\n").filter(Boolean));
    const toggle = (key: string, isOpen: boolean) => {
      const next = new Set(open);
      if (isOpen) next.add(key);
      else next.delete(key);
      setParams({ opened: [...next] });
    };
    return { parents, open, toggle };
  }, [given, parents, setParams]);
  const picked = params.get("pick");
  const chosen = picked === null ? undefined : rowsOf(table).find((row) => row.text("pick") === picked);
  const cut = [layers, ops, kernels].some((each) => each.rows_in_all > each.rows.length);
  return (
    <Card
      title="Where the difference lies"
      note={`layers, the own ops of each${measure === "gpu" ? ", the kernels of each op" : ""}; what is below a row adds up to it${cut ? "; of so many rows not all are listed" : ""}`}
    >
      <DataTable
        name="compare_tree"
        label="Where the difference lies"
        prefix="tree."
        size={100}
        height="half"
        local={table}
        tree={tree}
        rowKey={idOf}
        selected={chosen ? idOf(chosen) : null}
        onSelect={(row) => {
          const pick = row.text("pick");
          setParams({ pick: pick === picked ? null : pick });
        }}
        empty="Neither run has any."
      />
    </Card>
  );
}
