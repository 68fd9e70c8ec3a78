// Keeps the collective that is drawn across its ranks in step with the selection, or with the address where that names one.
import { useEffect } from "react";
import type { Controller } from "./controller";
import { TogetherApi } from "./together";

export function useTogether(controller: Controller, profile: string, call: string | null): void {
  useEffect(() => {
    // There is nobody else in a profile of one rank.
    if (new Set(controller.info.tracks.map((track) => track.rank)).size < 2) return undefined;
    const api = new TogetherApi(profile, controller.api, controller.info);
    let asked: AbortController | null = null;
    let known = controller.event;
    const put = (found: Promise<Controller["together"]>, mine: AbortController) => {
      found
        .catch(() => null)
        .then((together) => {
          if (!mine.signal.aborted) controller.configure({ together });
        })
        .catch(() => undefined);
    };
    const look = () => {
      if (controller.event === known) return;
      known = controller.event;
      asked?.abort();
      asked = new AbortController();
      if (known) put(api.of(known.event, asked.signal), asked);
      else if (!controller.selected) controller.configure({ together: null });
    };
    if (call !== null && !controller.selected) {
      asked = new AbortController();
      put(api.ofCall(call, asked.signal), asked);
    } else if (known) {
      asked = new AbortController();
      put(api.of(known.event, asked.signal), asked);
    }
    const unsubscribe = controller.subscribe(look);
    return () => {
      unsubscribe();
      asked?.abort();
    };
  }, [controller, profile, call]);
}
