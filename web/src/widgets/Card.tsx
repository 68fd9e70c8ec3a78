import { useId, type ReactNode } from "react";
import { useDeviceWords } from "./deviceWords";
import { sentence } from "./words";

export function Card({
  title,
  note,
  action,
  span,
  children,
}: {
  title: string;
  note?: ReactNode;
  action?: ReactNode;
  span?: 3 | 4 | 5 | 6 | 7 | 8 | 12;
  children: ReactNode;
}) {
  const heading = useId();
  const say = useDeviceWords();
  return (
    <section className={`card span-${String(span ?? 12)}`} aria-labelledby={heading}>
      <header className="card-head">
        <h2 id={heading}>{say(title)}</h2>
        {note && <span className="card-note">{note}</span>}
        {action && <span className="card-action">{action}</span>}
      </header>
      {children}
    </section>
  );
}

export function Notes({ notes }: { notes: readonly string[] | undefined }) {
  if (!notes?.length) return null;
  return (
    <ul className="notes">
      {notes.map((note) => (
        <li key={note}>{sentence(note)}</li>
      ))}
    </ul>
  );
}
