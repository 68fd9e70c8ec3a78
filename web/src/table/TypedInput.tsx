import { useEffect, useRef, useState, type InputHTMLAttributes } from "react";
import { tracked } from "../api/client";

const PAUSE_MS = 250;

type Rest = Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange">;

// An input whose value counts when typing pauses. What the address says replaces it, but not under the fingers.
export function TypedInput({ value, onTyped, ...rest }: Rest & { value: string; onTyped: (text: string) => void }) {
  const [text, setText] = useState(value);
  const last = useRef(value);
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (value !== last.current) setText(value);
    last.current = value;
  }, [value]);
  useEffect(() => () => stop.current?.(), []);
  const send = (typed: string) => {
    stop.current?.();
    last.current = typed;
    onTyped(typed);
  };
  const wait = (typed: string) => {
    stop.current?.();
    void tracked(
      () =>
        new Promise<void>((resolve) => {
          const timer = setTimeout(() => {
            stop.current = null;
            send(typed);
            resolve();
          }, PAUSE_MS);
          stop.current = () => {
            stop.current = null;
            clearTimeout(timer);
            resolve();
          };
        }),
    );
  };
  return (
    <input
      {...rest}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        wait(event.target.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") send(text);
        rest.onKeyDown?.(event);
      }}
    />
  );
}
