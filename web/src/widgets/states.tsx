// What a view shows while there is nothing to show yet, or nothing at all.
import type { ReactNode } from "react";
import type { ApiError, Code } from "../api/client";
import { formatHash } from "../address/route";
import { useRoute } from "../address/useRoute";
import { Icon, type IconName } from "./Icon";
import { OfAllRanks } from "./OfAllRanks";
import { sentence } from "./words";

export function Loading({ what, rows = 6 }: { what: string; rows?: number }) {
  return (
    <div className="loading" role="status">
      <span className="sr-only">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton" />
      ))}
    </div>
  );
}

export function Empty({ icon = "info", title, children }: { icon?: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children && <div className="empty-text">{children}</div>}
    </div>
  );
}

const TITLES: Partial<Record<Code, string>> = {
  not_found: "Not here",
  bad_request: "The address asks for something that does not exist",
  unauthorized: "This page needs its token",
  unreachable: "The server does not answer",
  wrong_sort: "The address asks for something that does not exist",
  wrong_filter: "The address asks for something that does not exist",
  unreadable: "This profile cannot be opened",
  older_schema: "This profile is from an older Opsight",
  replaced: "The profile was written anew",
  newer_schema: "This profile is from a newer Opsight",
  not_a_profile: "This file is not a profile",
};

export function ErrorState({ error, retry, children }: { error: ApiError; retry?: () => void; children?: ReactNode }) {
  if (error.code === "of_all_ranks") return <OfAllRanks />;
  const title = TITLES[error.code] ?? "That did not work";
  const said = sentence(error.message);
  return (
    <div className="empty error" role="alert">
      <Icon name="diagnostics" size={28} />
      <h2>{title}</h2>
      <div className="empty-text">
        {said !== `${title}.` && <p>{said}</p>}
        {error.remedy && <p className="remedy">{sentence(error.remedy)}</p>}
        {children}
      </div>
      {retry && (
        <button className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

// The same view without what the address asks for and cannot get.
function PlainView() {
  const { view, params } = useRoute();
  const profile = params.get("profile");
  const plain = new URLSearchParams(profile === null ? {} : { profile });
  if ([...params].length === [...plain].length) return null;
  return <a href={formatHash(view, plain)}>Back to the default range</a>;
}

interface Asked<T> {
  data: T | undefined;
  error: ApiError | null;
  isPlaceholderData: boolean;
  isFetching: boolean;
  refetch: () => unknown;
}

// The answer when it is here, else why it is not. An earlier answer stays in sight, dimmed, while a new one comes.
export function Answered<T>({
  answer,
  what,
  rows,
  children,
}: {
  answer: Asked<T>;
  what: string;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  if (answer.error && !(answer.error.lost && answer.data !== undefined)) {
    const wrong = answer.error.status >= 400 && answer.error.status < 500 && !answer.error.lost;
    return (
      <ErrorState error={answer.error} {...(wrong ? {} : { retry: () => void answer.refetch() })}>
        {wrong && <PlainView />}
      </ErrorState>
    );
  }
  if (answer.data === undefined) return rows === undefined ? <Loading what={what} /> : <Loading what={what} rows={rows} />;
  return (
    <div className={answer.isPlaceholderData ? "stale" : "fresh"} aria-busy={answer.isFetching}>
      {children(answer.data)}
    </div>
  );
}
