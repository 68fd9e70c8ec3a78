// All rows that match, as a file or on the clipboard.
import { useState } from "react";
import { apiUrl, getText, type Params } from "../api/client";
import { useProfile } from "../api/queries";
import { Icon } from "../widgets/Icon";
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

export function ExportMenu({ source, name }: { source: Source; name: string }) {
  const [said, setSaid] = useState("");
  const run = useProfile()?.name;
  const file = fileName(run, name);
  const asked = (more: Params) => ("path" in source ? { ...source.params, page: null, page_size: null, ...more } : {});
  const copy = async (close: () => void) => {
    try {
      await navigator.clipboard.writeText("path" in source ? await getText(source.path, asked({ format: "csv" })) : source.csv());
      setSaid(`${name} copied to the clipboard`);
    } catch {
      setSaid("The browser did not let the page write to the clipboard");
    }
    close();
  };
  // Excel takes a CSV file for UTF-8 where it begins with this mark.
  const excel = async (close: () => void) => {
    try {
      const rows = "path" in source ? await getText(source.path, asked({ format: "csv" })) : source.csv();
      save(`\uFEFF${rows}`, `${file} for Excel.csv`, "text/csv");
      setSaid(`${name} saved for Excel`);
    } catch (problem) {
      setSaid(problem instanceof Error ? problem.message : "The rows could not be read");
    }
    close();
  };
  const item = (kind: "csv" | "json", close: () => void) => {
    const content = (
      <>
        <Icon name="download" size={14} /> {kind.toUpperCase()}
      </>
    );
    if ("path" in source) {
      return (
        <a href={apiUrl(source.path, asked({ format: kind, download: kind }))} download={`${file}.${kind}`} onClick={close}>
          {content}
        </a>
      );
    }
    return (
      <button
        type="button"
        onClick={() => {
          save(source[kind](), `${file}.${kind}`, kind === "csv" ? "text/csv" : "application/json");
          close();
        }}
      >
        {content}
      </button>
    );
  };
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
        {(close) => (
          <div className="menu">
            {item("csv", close)}
            {item("json", close)}
            <button
              type="button"
              onClick={() => {
                void excel(close);
              }}
            >
              <Icon name="download" size={14} /> CSV for Excel
            </button>
            <button
              type="button"
              onClick={() => {
                close();
                setTimeout(() => {
                  window.print();
                }, 50);
              }}
            >
              <Icon name="download" size={14} /> Print or save as PDF
            </button>
            <button
              type="button"
              onClick={() => {
                void copy(close);
              }}
            >
              <Icon name="copy" size={14} /> Copy as CSV
            </button>
          </div>
        )}
      </Popover>
    </>
  );
}
