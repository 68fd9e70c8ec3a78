// Which views there are for what the server shows, and where the page begins.
import { useEffect } from "react";
import { useProfiles } from "../api/queries";
import { replaceHash, useRoute } from "../address/useRoute";
import { usePages, type Page } from "../pages/page";

// Without a profile only views of what there is instead.
export function useViewsShown(): readonly Page[] {
  const pages = usePages();
  const shown = useProfiles().data;
  if (!shown || shown.profiles.length > 0) return pages;
  return pages.filter((page) => (page.of === "store" && shown.stores.length > 0) || (page.of === "sweep" && shown.sweeps.length > 0) || (page.of === "cloud" && shown.clouds.length > 0));
}

// What was asked for beside profiles is what people came for.
export function useHome(): string {
  const shown = useProfiles().data;
  if (!shown) return "dashboard";
  return shown.stores.length > 0 ? "fleet" : shown.sweeps.length > 0 ? "sweep" : shown.clouds.length > 0 ? "mappings" : "dashboard";
}

// An address that names no view gets one; true until then.
export function useBeginAt(view: string): boolean {
  const known = useProfiles().data !== undefined;
  useRoute();
  const unsaid = view !== "dashboard" && /^#?\/?$/.test(window.location.hash);
  useEffect(() => {
    if (known && unsaid) replaceHash(`#/${view}`);
  }, [known, unsaid, view]);
  return unsaid;
}
