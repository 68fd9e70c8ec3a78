import { Component, useCallback, useEffect, useState, type ReactNode } from "react";
import { ApiError } from "../api/client";
import { queries, useProfiles } from "../api/queries";
import { pageOf } from "../pages/registry";
import { Empty, ErrorState, Loading } from "../widgets/states";
import { Icon } from "../widgets/Icon";
import { HelpDialog } from "./HelpDialog";
import { Nav } from "./Nav";
import { linkTo } from "./route";
import { ServerGone } from "./ServerGone";
import { useTheme } from "./theme";
import { TopBar } from "./TopBar";
import { useProfileId, useRoute } from "./useRoute";
import { useShortcuts } from "./useShortcuts";

// A fault of the page itself: said plainly, and the rest of the page goes on.
class Boundary extends Component<{ children: ReactNode }, { problem: Error | null }> {
  override state: { problem: Error | null } = { problem: null };
  static getDerivedStateFromError(problem: Error) {
    return { problem };
  }
  override render() {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    const error = new ApiError(-1, "page", problem.message, "This is a fault of the page, not of the profile.");
    return (
      <ErrorState
        error={error}
        retry={() => {
          this.setState({ problem: null });
        }}
      />
    );
  }
}

function ProfileProblem({ children }: { children: ReactNode }) {
  const profiles = useProfiles();
  const { view, params } = useRoute();
  const id = useProfileId();
  if (profiles.error && !profiles.data) {
    return <ErrorState error={profiles.error} retry={() => void queries.refetchQueries()} />;
  }
  if (!profiles.data) return <Loading what="the list of profiles" />;
  const profile = profiles.data.profiles.find((each) => each.id === id);
  const others = profiles.data.profiles.filter((each) => each.state === "ok" && each.id !== id);
  const links = others.length > 0 && (
    <ul className="plain-list">
      {others.map((each) => (
        <li key={each.id}>
          <a href={linkTo(view, new URLSearchParams({ profile: each.id }))}>Open {each.name}</a>
        </li>
      ))}
    </ul>
  );
  if (!profile) {
    const error = new ApiError(404, "not_found", `There is no profile with the number ${params.get("profile") ?? id} here.`, "");
    return <ErrorState error={error}>{links}</ErrorState>;
  }
  if (profile.state === "error") {
    const said = profile.error;
    const error = new ApiError(422, said?.code ?? "unknown", said?.message ?? `${profile.name} cannot be read.`, said?.remedy ?? "");
    return <ErrorState error={error}>{links}</ErrorState>;
  }
  return children;
}

function View() {
  const { view, params } = useRoute();
  const page = pageOf(view);
  if (!page) {
    return (
      <Empty title={`There is no view “${view}”`}>
        <a href={linkTo("dashboard", params)}>To the dashboard</a>
      </Empty>
    );
  }
  const Shown = page.component;
  return <Shown />;
}

export function App() {
  const [help, setHelp] = useState(false);
  const [navOpen, setNavOpen] = useState(false);
  const [, toggleTheme] = useTheme();
  const showHelp = useCallback(() => {
    setHelp(true);
  }, []);
  useShortcuts({ help: showHelp, theme: toggleTheme });
  const { view } = useRoute();
  const profileId = useProfileId();
  const title = pageOf(view)?.title ?? "Not found";
  useEffect(() => {
    document.title = `${title} · Opsight`;
    setNavOpen(false);
  }, [title]);
  return (
    <div className="shell">
      <button
        className="skip"
        onClick={() => {
          document.querySelector<HTMLElement>("main")?.focus();
        }}
      >
        To the content
      </button>
      <Nav open={navOpen} onHelp={showHelp} />
      <div className="stage">
        <header className="topbar">
          <button
            className="icon-button nav-toggle"
            aria-label="Views"
            aria-expanded={navOpen}
            onClick={() => {
              setNavOpen(!navOpen);
            }}
          >
            <Icon name="menu" />
          </button>
          <h1>{title}</h1>
          <TopBar />
        </header>
        <ServerGone />
        <main className="content" tabIndex={0}>
          <ProfileProblem>
            <Boundary key={`${profileId} ${view}`}>
              <View />
            </Boundary>
          </ProfileProblem>
        </main>
      </div>
      {help && (
        <HelpDialog
          onClose={() => {
            setHelp(false);
          }}
        />
      )}
    </div>
  );
}

