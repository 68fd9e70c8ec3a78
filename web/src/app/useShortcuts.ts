import { useEffect } from "react";
import { linkTo, parseHash } from "../address/route";
import { usePages } from "../pages/page";
import { isTyping } from "../widgets/typing";

interface Actions {
  help: () => void;
  theme: () => void;
}

// The keys that work everywhere. Views add their own.
export function useShortcuts({ help, theme }: Actions): void {
  const pages = usePages();
  useEffect(() => {
    let afterG = false;
    const go = (key: string): boolean => {
      const page = pages.find((each) => each.key === key);
      if (page) window.location.hash = linkTo(page.id, parseHash(window.location.hash).params);
      return page !== undefined;
    };
    const act = (key: string): boolean => {
      if (afterG) {
        afterG = false;
        return go(key);
      }
      if (key === "g") afterG = true;
      else if (key === "?") help();
      else if (key === "t") theme();
      else if (key === "/") document.querySelector<HTMLInputElement>("main input[type=search]")?.focus();
      else return false;
      return true;
    };
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      if (act(event.key)) event.preventDefault();
    };
    // Before any view, whose keys may be the second of two: "g d".
    window.addEventListener("keydown", pressed, true);
    return () => {
      window.removeEventListener("keydown", pressed, true);
    };
  }, [help, theme, pages]);
}
