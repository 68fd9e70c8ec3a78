// Finds events by part of their name, one after the other.
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../api/client";
import { useRoute, useSetParams } from "../address/useRoute";
import { Icon } from "../widgets/Icon";
import { formatCount } from "../widgets/format";
import type { SearchAnswer } from "./api";
import type { Controller } from "./controller";

export function SearchBox({ controller }: { controller: Controller }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const asked = params.get("search") ?? "";
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  const [answer, setAnswer] = useState<SearchAnswer | null>(null);
  const [problem, setProblem] = useState("");
  const number = useRef(0);
  useEffect(() => {
    controller.setMatches(text.trim().length > 1 ? text.trim() : "");
  }, [controller, text]);

  const find = async (backwards: boolean) => {
    const wanted = text.trim();
    if (!wanted) return;
    const mine = (number.current += 1);
    // On from the event that is selected where it is in sight, else from the edge of what is shown.
    const { selected } = controller;
    const { begin, end } = controller.view;
    const inSight = selected?.track !== null && selected !== null && selected.begin_ns < end && selected.begin_ns + selected.dur_ns > begin;
    const from = inSight ? selected.begin_ns : backwards ? end : begin;
    const at = inSight && selected.track !== null ? { track: selected.track, span: selected.span } : null;
    try {
      let found = await controller.api.search(wanted, from, backwards, at);
      // At an end: on from the other one.
      if (!found.match && found.matches > 0) {
        found = await controller.api.search(wanted, backwards ? controller.bounds.end : controller.bounds.begin, backwards, null);
      }
      if (mine !== number.current) return;
      setProblem("");
      setAnswer(found);
      if (found.match) controller.select(found.match, true);
    } catch (error) {
      if (mine === number.current) setProblem(error instanceof ApiError ? error.message : "The search failed.");
    }
  };
  const said = problem || (answer ? (answer.matches === 0 ? "no match" : `${formatCount(answer.number)} of ${formatCount(answer.matches)}`) : "");
  return (
    <form
      className="tl-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void find(false);
      }}
    >
      <input
        type="search"
        aria-label="Search events by name"
        placeholder="Search events ( / )"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setParams({ search: event.target.value }, { quiet: true });
          setAnswer(null);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.shiftKey) {
            event.preventDefault();
            void find(true);
          }
        }}
      />
      <button type="button" className="icon-button" aria-label="Previous match" disabled={!text.trim()} onClick={() => void find(true)}>
        <Icon name="left" />
      </button>
      <button type="submit" className="icon-button" aria-label="Next match" disabled={!text.trim()}>
        <Icon name="right" />
      </button>
      <span className="tl-found" aria-live="polite">
        {said}
      </span>
    </form>
  );
}
