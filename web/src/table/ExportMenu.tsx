// All rows that match, as a file or on the clipboard.
import { useState, type ReactNode } from "react";
import { apiUrl, getText, type Params } from "../api/client";
import { useProfile } from "../api/queries";
import { Icon, type IconName } from "../widgets/Icon";
import { Popover } from "../widgets/Popover";

// Rows that the server writes, or that the page has.
export type Source = { path: string; params: Params } | { csv: () => string; json: () => string };

// "resnet50 Kernel launches": the run, and what of it.
const fileName = (run: string | undefined, name: string): string => [run, name].filter(Boolean).join(" ").replace(/[/\\:]+/g, "-");

function save(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}

type Kind = "csv" | "json";
const MIME: Record<Kind, string> = { csv: "text/csv", json: "application/json" };

function Item({ icon = "download", children, act }: { icon?: IconName; children: ReactNode; act: () => void }) {
  return (
    <button type="button" onClick={act}>
      <Icon name={icon} size={14} /> {children}
    </button>
  );
}

export function ExportMenu({ source, name }: { source: Source; name: string }) {
  const [said, setSaid] = useState("");
  const run = useProfile()?.name;
  const file = fileName(run, name);
  const asked = (more: Params) => ("path" in source ? { ...source.params, page: null, page_size: null, ...more } : {});
  const text = async (kind: Kind) => ("path" in source ? getText(source.path, asked({ format: kind })) : source[kind]());
  // Does something with the rows, and says what came of it.
  const take = (close: () => void, act: (csv: string) => Promise<void> | void, done: string, refused?: string) => {
    close();
    void text("csv")
      .then(act)
      .then(
        () => {
          setSaid(done);
        },
        (problem: unknown) => {
          setSaid(refused ?? (problem instanceof Error ? problem.message : "The rows could not be read"));
        },
      );
  };
  const items = (close: () => void) => (
    <div className="menu">
      {(["csv", "json"] as const).map((kind) =>
        "path" in source ? (
          <a key={kind} href={apiUrl(source.path, asked({ format: kind, download: kind }))} download={`${file}.${kind}`} onClick={close}>
            <Icon name="download" size={14} /> {kind.toUpperCase()}
          </a>
        ) : (
          <Item
            key={kind}
            act={() => {
              save(source[kind](), `${file}.${kind}`, MIME[kind]);
              close();
            }}
          >
            {kind.toUpperCase()}
          </Item>
        ),
      )}
      <Item
        act={() => {
          // Excel takes a CSV file for UTF-8 where it begins with this mark.
          take(close, (csv) => { save(`\uFEFF${csv}`, `${file} for Excel.csv`, MIME.csv); }, `${name} saved for Excel`);
        }}
      >
        CSV for Excel
      </Item>
      <Item
        act={() => {
          close();
          setTimeout(() => {
            window.print();
          }, 50);
        }}
      >
        Print or save as PDF
      </Item>
      <Item
        icon="copy"
        act={() => {
          take(close, (csv) => navigator.clipboard.writeText(csv), `${name} copied to the clipboard`, "The browser did not let the page write to the clipboard");
        }}
      >
        Copy as CSV
      </Item>
    </div>
  );
  return (
    <>
      <span className="sr-only" role="status">
        {said}
      </span>
      <Popover
        title="Export all matching rows"
        align="end"
        label={
          <>
            <Icon name="download" size={14} /> <span className="wide-only">Export</span>
          </>
        }
      >
        {items}
      </Popover>
    </>
  );
}
