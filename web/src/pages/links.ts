// Where names in tables lead: an op to its kernels, a kernel to all of its launches, a layer to its place in the tree.
import { linkTo } from "../address/route";
import type { Column } from "../api/types";
import type { Row } from "../table/row";

export function rowLink(params: URLSearchParams, here: string): (row: Row, column: Column) => string | null {
  return (row, column) => {
    const text = row.text(column.key);
    if (text === null) return null;
    if (column.key === "op_name" && here !== "ops") {
      const op = row.text("op_id");
      return op === null ? null : linkTo("ops", params, { sel: op });
    }
    if (column.key === "layer" && here !== "layers") return linkTo("layers", params, { sel: text });
    if (column.key === "op_type" && here === "types") return linkTo("ops", params, { filter: [`op_type:eq:${text}`] });
    if (column.key === "iteration" && here !== "by-iteration") {
      return linkTo("by-iteration", params, { sel: `${text}~${row.text("rank") ?? ""}` });
    }
    return null;
  };
}
