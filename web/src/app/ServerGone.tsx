import { useEffect, useState } from "react";
import { ApiError, getJson } from "../api/client";
import { queries } from "../api/queries";
import { withToken } from "./token";

const EVERY_MS = 2000;

type Trouble = "gone" | "anew" | "replaced" | null;

function troubleNow(): Trouble {
  const errors = queries
    .getQueryCache()
    .getAll()
    .map((query) => query.state.error)
    .filter((error) => error instanceof ApiError);
  if (errors.some((error) => error.stranger)) return "anew";
  if (errors.some((error) => error.unreachable)) return "gone";
  return errors.some((error) => error.replaced) ? "replaced" : null;
}

function askAgain(): void {
  void queries.refetchQueries({ predicate: (query) => query.state.error !== null });
}

// A server that was started anew has another token: with it the page goes on where it is.
function StartedAnew() {
  const [given, setGiven] = useState("");
  const [wrong, setWrong] = useState(false);
  return (
    <div className="banner" role="alert">
      <p>
        <strong>The server was started anew.</strong> What you see is from before. Give the URL that <code>opsight view</code> printed this
        time: it goes on at this view.
      </p>
      <form
        className="token-form"
        onSubmit={(event) => {
          event.preventDefault();
          const address = withToken(given, window.location);
          setWrong(address === null);
          if (address !== null) window.location.assign(address);
        }}
      >
        <input
          aria-label="URL that opsight view printed"
          aria-invalid={wrong}
          placeholder="http://…/?token=…"
          value={given}
          onChange={(event) => {
            setGiven(event.target.value);
            setWrong(false);
          }}
        />
        <button className="button small">Go on</button>
        {wrong && <span className="wrong">That has no token.</span>}
      </form>
    </div>
  );
}

// The file was recorded or imported again while the page showed it.
function Replaced() {
  return (
    <div className="banner" role="alert">
      <p>
        <strong>The profile was written anew.</strong> What you see is the one from before.
      </p>
      <button
        className="button small"
        onClick={() => {
          window.location.reload();
        }}
      >
        Show the new one
      </button>
    </div>
  );
}

// Says that the server has gone, keeps asking, and brings the page up to date when it is back.
export function ServerGone() {
  const [trouble, setTrouble] = useState<Trouble>(null);
  useEffect(
    () =>
      queries.getQueryCache().subscribe(() => {
        setTrouble(troubleNow());
      }),
    [],
  );
  useEffect(() => {
    if (trouble !== "gone") return undefined;
    const timer = setInterval(() => {
      getJson("/profiles").then(askAgain, (error: unknown) => {
        if (error instanceof ApiError && error.stranger) askAgain();
      });
    }, EVERY_MS);
    return () => {
      clearInterval(timer);
    };
  }, [trouble]);
  if (trouble === null) return null;
  if (trouble === "anew") return <StartedAnew />;
  if (trouble === "replaced") return <Replaced />;
  return (
    <div className="banner" role="alert">
      <p>
        <strong>The server does not answer.</strong> What you see is from before. Start it again with <code>opsight view</code> in the
        terminal; this page notices when it is back at the same address.
      </p>
      <button className="button small" onClick={askAgain}>
        Try now
      </button>
    </div>
  );
}
