import { useEffect, useRef, useState, type InputHTMLAttributes } from "react";
import { tracked } from "../api/client";
import { announceAddress } from "../address/useRoute";

const PAUSE_MS = 250;

type Rest = Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange">;

interface Props {
  value: string;
  // Writes what is typed into the address, quietly: it is safe there at once, and shown when typing pauses.
  onTyped: (text: string) => void;
  onPause?: (() => void) | undefined;
  // How a text will read when it comes back from the address: then the text stays as it was typed.
  reads?: (text: string) => string;
}

// Work that waits for a pause in typing.
function usePause(act: () => void): { wait: () => void; now: () => void } {
  const stop = useRef<(() => void) | null>(null);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => () => stop.current?.(), []);
  const now = () => {
    stop.current?.();
    latest.current();
  };
  const wait = () => {
    stop.current?.();
    void tracked(
      () =>
        new Promise<void>((resolve) => {
          const timer = setTimeout(now, PAUSE_MS);
          stop.current = () => {
            stop.current = null;
            clearTimeout(timer);
            resolve();
          };
        }),
    );
  };
  return { wait, now };
}

// An input whose text stands in the address. What the address says replaces it, but not under the fingers.
export function TypedInput({ value, onTyped, onPause, reads = (text) => text, ...rest }: Rest & Props) {
  const [text, setText] = useState(value);
  const { wait, now } = usePause(() => {
    announceAddress();
    onPause?.();
  });
  const shown = useRef({ text, reads });
  shown.current = { text, reads };
  useEffect(() => {
    if (value !== shown.current.reads(shown.current.text)) setText(value);
  }, [value]);
  return (
    <input
      {...rest}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onTyped(event.target.value);
        wait();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") now();
        rest.onKeyDown?.(event);
      }}
    />
  );
}
