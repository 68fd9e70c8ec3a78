import { Component, useCallback, useEffect, useState, type ReactNode } from "react";
import { ApiError } from "../api/client";
import { AboutProfile, profileNamed, queries, useProfile, useProfileId, useProfiles } from "../api/queries";
import { Pages, usePageOf, type Page } from "../pages/page";
import { Empty, ErrorState, Loading } from "../widgets/states";
import { useDeviceWords } from "../widgets/deviceWords";
import { Icon } from "../widgets/Icon";
import { HelpDialog } from "./HelpDialog";
import { useBeginAt, useHome } from "./home";
import { Nav } from "./Nav";
import { Notices } from "./Notices";
import { linkTo } from "../address/route";
import { ServerGone } from "./ServerGone";
import { useTheme } from "../widgets/theme";
import { TopBar } from "./TopBar";
import { useRoute, useSetParams } from "../address/useRoute";
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
  const page = usePageOf(view);
  const home = useHome();
  const unsaid = useBeginAt(home);
  if (profiles.error && !profiles.data) {
    return <ErrorState error={profiles.error} retry={() => void queries.refetchQueries()} />;
  }
  if (!profiles.data || unsaid) return <Loading what="the list of profiles" />;
  if (page?.of) return <AboutProfile.Provider value={false}>{children}</AboutProfile.Provider>;
  const list = profiles.data.profiles;
  if (list.length === 0) {
    return (
      <Empty title="No profile is open">
        <p>
          The viewer was started without one. Start it with some beside the rest: <code>opsight view STORE runs/</code>
        </p>
        <a href={linkTo(home, params)}>To what it shows</a>
      </Empty>
    );
  }
  const asked = params.get("profile");
  const profile = profileNamed(list, asked);
  const others = list.filter((each) => each.state === "ok" && each.id !== profile?.id);
  const links = others.length > 0 && (
    <ul className="plain-list">
      {others.map((each) => (
        <li key={each.id}>
          <a href={linkTo(view, new URLSearchParams({ profile: each.name }))}>Open {each.name}</a>
        </li>
      ))}
    </ul>
  );
  if (!profile) {
    const error = new ApiError(404, "not_found", `The run “${asked ?? ""}” is not here.`, "The viewer shows the files that it was started with. Start it with this one as well, or open another.");
    return <ErrorState error={error}>{links}</ErrorState>;
  }
  if (profile.state === "error") {
    const said = profile.error;
    const error = new ApiError(422, said?.code ?? "unknown", said?.message ?? `${profile.name} cannot be read.`, said?.remedy ?? "");
    return <ErrorState error={error}>{links}</ErrorState>;
  }
  return <Named name={profile.name}>{children}</Named>;
}

// The address says which run it is about, so that it means the same where the viewer is started with other files.
function Named({ name, children }: { name: string; children: ReactNode }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const given = params.get("profile");
  useEffect(() => {
    if (given === null) setParams({ profile: name }, { replace: true });
  }, [given, name, setParams]);
  return children;
}

function View() {
  const { view, params } = useRoute();
  const page = usePageOf(view);
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

function Shell() {
  const [help, setHelp] = useState(false);
  const [navOpen, setNavOpen] = useState(false);
  const [, toggleTheme] = useTheme();
  const showHelp = useCallback(() => {
    setHelp(true);
  }, []);
  useShortcuts({ help: showHelp, theme: toggleTheme });
  const { view } = useRoute();
  const profileId = useProfileId();
  const page = usePageOf(view);
  const profile = useProfile();
  const run = page?.of ? undefined : profile?.name;
  const say = useDeviceWords();
  const title = say(page?.title ?? "Not found");
  useEffect(() => {
    document.title = [title, run, "Opsight"].filter(Boolean).join(" · ");
  }, [title, run]);
  useEffect(() => {
    setNavOpen(false);
  }, [view]);
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
        <Notices />
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

export function App({ pages }: { pages: readonly Page[] }) {
  return (
    <Pages.Provider value={pages}>
      <Shell />
    </Pages.Provider>
  );
}
