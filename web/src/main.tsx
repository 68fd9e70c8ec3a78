import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { idle } from "./api/client";
import { queries } from "./api/queries";
import { App } from "./app/App";
import { PAGES } from "./pages/registry";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/rank-choice.css";
import "./styles/table.css";
import "./styles/charts.css";
import "./styles/roofline.css";
import "./styles/microscope.css";
import "./styles/pages.css";
import "./styles/findings.css";
import "./styles/model.css";
import "./styles/print.css";

declare global {
  interface Window {
    // For scripts that drive the page: resolves when all that was asked for is here and drawn.
    opsightIdle: () => Promise<void>;
  }
}
window.opsightIdle = idle;

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App pages={PAGES} />
    </QueryClientProvider>
  </StrictMode>,
);
