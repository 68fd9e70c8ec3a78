// The theme stands in <html data-theme>; public/theme.js sets it before the first paint.
import { useCallback, useSyncExternalStore } from "react";

export type Theme = "light" | "dark";
const KEY = "opsight.theme";

const current = (): Theme => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

const listeners = new Set<() => void>();

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  for (const changed of listeners) changed();
}

function chosen(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
  if (chosen() === null) show(event.matches ? "dark" : "light");
});

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
}

// The theme that is shown, and how to show the other one.
export function useTheme(): [Theme, () => void] {
  const theme = useSyncExternalStore(subscribe, current);
  const toggle = useCallback(() => {
    const next = current() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    show(next);
  }, []);
  return [theme, toggle];
}
