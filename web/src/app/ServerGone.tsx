import { useEffect, useState } from "react";
import { ApiError, getJson } from "../api/client";
import { queries } from "../api/queries";

const EVERY_MS = 2000;

function anyUnreachable(): boolean {
  return queries
    .getQueryCache()
    .getAll()
    .some((query) => query.state.error instanceof ApiError && query.state.error.unreachable);
}

// Says that the server has gone, keeps asking, and brings the page up to date when it is back.
export function ServerGone() {
  const [gone, setGone] = useState(false);
  useEffect(
    () =>
      queries.getQueryCache().subscribe(() => {
        setGone(anyUnreachable());
      }),
    [],
  );
  useEffect(() => {
    if (!gone) return undefined;
    const timer = setInterval(() => {
      getJson("/profiles").then(
        () => {
          setGone(false);
          void queries.refetchQueries({ predicate: (query) => query.state.error !== null });
        },
        () => undefined,
      );
    }, EVERY_MS);
    return () => {
      clearInterval(timer);
    };
  }, [gone]);
  if (!gone) return null;
  return (
    <div className="banner" role="alert">
      <p>
        <strong>The server does not answer.</strong> What you see is from before. Start it again with <code>opsight view</code> in the
        terminal; this page goes on by itself when it is back at the same address.
      </p>
      <button
        className="button small"
        onClick={() => {
          void queries.refetchQueries({ predicate: (query) => query.state.error !== null });
        }}
      >
        Try now
      </button>
    </div>
  );
}
