// Groups of which ranks are missing: what cannot be told of them, and what to do.
import { useWholeTable } from "../../api/queries";
import { rowsOf } from "../../table/row";
import { formatCount } from "../../widgets/format";

export function Missing() {
  const table = useWholeTable("groups").data;
  if (!table) return null;
  const groups = rowsOf(table);
  const lacking = groups.filter((row) => (row.number("recorded") ?? 0) < (row.number("ranks") ?? 0));
  const unmatched = groups.reduce((sum, row) => sum + (row.number("unmatched") ?? 0), 0);
  if (lacking.length === 0 && unmatched === 0) return null;
  if (lacking.length === 0)
    return (
      <p className="callout" role="note">
        {formatCount(unmatched)} operations of communication do not have all of their ranks here, or cannot be matched; the notes of the tables say why. Import the traces of all ranks together, each from the same iterations:{" "}
        <code>opsight import -o run.opsight traces/</code>
      </p>
    );
  const first = lacking[0];
  const example = first ? `${first.text("group") || "one"} has ${first.text("ranks") ?? "?"} ranks, and ${first.text("recorded") ?? "?"} of them were recorded` : "";
  return (
    <p className="callout" role="note">
      Ranks are missing in {formatCount(lacking.length)} of {formatCount(groups.length)} process groups (group {example}). There waiting cannot be told from the moving of data, and nobody is known to be last. Import the traces of all ranks together:{" "}
      <code>opsight import -o run.opsight traces/</code>
    </p>
  );
}
