// Who the others wait for, in a sentence.
import { useRank } from "../../address/useRoute";
import { useTable } from "../../api/queries";
import { rowsOf, type Row } from "../../table/row";
import { formatCount, formatNs, formatPercent } from "../../widgets/format";

// How the time of a late rank is told: what it did meanwhile.
function causeOf(row: Row): string {
  const cause = row.word("cause");
  if (!cause) return "";
  const op = row.text("cause_op");
  const layer = row.text("cause_layer");
  return ` Most of its time meanwhile: ${cause}${op ? ` (${op}${layer ? ` in ${layer}` : ""})` : ""}.`;
}

// `alone`: the row is that of a chosen rank, which others may have waited for longer than.
export function lateSentence(row: Row | undefined, alone = false): string {
  const caused = row?.number("caused_ns") ?? 0;
  if (!row || caused <= 0) return `${alone ? "This rank is not" : "No rank is"} known to have made others wait in this range.`;
  const host = row.text("host");
  const [share, last, of] = [row.number("caused_pct"), row.number("iterations_last"), row.number("iterations")];
  const who = `The others waited ${alone ? "" : "longest "}for rank ${row.text("rank") ?? "?"}${host ? ` on ${host}` : ""}: ${formatNs(caused)} of their time`;
  const part = share === null ? "" : `, ${formatPercent(share)} of the waiting whose cause is told`;
  const often = last === null || of === null || of < 2 ? "" : `; they waited most for it in ${formatCount(last)} of ${formatCount(of)} iterations`;
  return `${who}${part}${often}.${causeOf(row)}`;
}

export function Late() {
  const alone = useRank() !== null;
  const table = useTable("stragglers", { page_size: 1 }).data;
  if (!table) return <div className="skeleton" />;
  return <p className="lead">{lateSentence(rowsOf(table)[0], alone)}</p>;
}
