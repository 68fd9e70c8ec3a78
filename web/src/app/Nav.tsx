import { useInfo, useProfile, useProfiles } from "../api/queries";
import { usePageOf, type Page } from "../pages/page";
import { useDeviceWords } from "../widgets/deviceWords";
import { Icon } from "../widgets/Icon";
import { linkTo, formatHash } from "../address/route";
import { useRoute } from "../address/useRoute";
import { useTheme } from "../widgets/theme";
import { useHome, useViewsShown } from "./home";

function ProfilePicker() {
  const list = useProfiles().data?.profiles;
  const { view } = useRoute();
  const elsewhere = usePageOf(view)?.of !== undefined;
  const profile = useProfile();
  const shown = elsewhere ? undefined : profile;
  if (!list?.length) return null;
  if (list.length === 1 && shown) {
    return (
      <p className="nav-profile" title={shown.name}>
        {shown.name}
      </p>
    );
  }
  return (
    <label className="nav-picker">
      <span className="sr-only">Profile</span>
      <select
        value={shown?.name ?? ""}
        onChange={(event) => {
          // Another run has its own iterations: the range does not go with it.
          window.location.hash = formatHash(elsewhere ? "dashboard" : view, new URLSearchParams({ profile: event.target.value }));
        }}
      >
        {!shown && <option value="">Choose a profile</option>}
        {list.map((profile) => (
          <option key={profile.id} value={profile.name}>
            {profile.name}
            {profile.state === "error" ? " (not readable)" : ""}
          </option>
        ))}
      </select>
    </label>
  );
}

const NEEDS_STORE = "This needs a store of runs, which opsight fleet push makes: opsight view STORE";
const NEEDS_SWEEP = "This needs the folder of a sweep, which opsight sweep makes: opsight view FOLDER";
const NEEDS_CLOUD = "This needs a cloud of mappings, which opsight map --cloud makes: opsight view CLOUD.json";
const NOT_RECORDED = "Nothing of this kind was recorded";

// Why a view that is about no profile has nothing to show.
function useNothingElse(): (page: Page) => string | undefined {
  const shown = useProfiles().data;
  return (page) => {
    if (page.of === "store") return shown?.stores.length === 0 ? NEEDS_STORE : undefined;
    if (page.of === "sweep") return shown?.sweeps.length === 0 ? NEEDS_SWEEP : undefined;
    return page.of === "cloud" && shown?.clouds.length === 0 ? NEEDS_CLOUD : undefined;
  };
}

// Why a view has nothing to show of this run.
function useNothing(): (page: string) => string | undefined {
  const profile = useProfile();
  const profiles = useProfiles().data?.profiles.length ?? 0;
  const counts = useInfo().data?.counts;
  if (profile?.state !== "ok" || !counts) return () => undefined;
  const kernels = profile.kernels ?? 0;
  // Ops that only devices tell have no calls on the host. One identity is that of work which no op launched.
  const identities = counts.distinct_ops ?? 0;
  const ops = profile.ops || (identities > 1 ? identities : 0);
  const there: Record<string, number | undefined> = {
    ranges: profile.ranges,
    types: ops,
    ops,
    layers: counts.layers,
    roofline: ops,
    "by-iteration": Math.min(kernels, profile.iterations ?? 0),
    "by-op": Math.min(ops, profile.iterations ?? 0),
    kernels,
    gpus: profile.devices,
    memory: counts.memory_events,
    // Of a run on CPUs the collectives of several ranks.
    communication: (profile.ranks ?? 1) > 1 ? undefined : (counts.communication_kernels ?? 0) + (counts.messages ?? 0),
    ranks: Math.max(0, (profile.ranks ?? 1) - 1),
    model: counts.model_nodes,
    compare: profiles - 1,
  };
  return (page) => (there[page] !== 0 ? undefined : page === "compare" ? "This needs a second profile: opsight view ONE.opsight OTHER.opsight" : NOT_RECORDED);
}

export function Nav({ open, onHelp }: { open: boolean; onHelp: () => void }) {
  const { view, params } = useRoute();
  const [theme, toggleTheme] = useTheme();
  const version = useProfiles().data?.version;
  const ofProfile = useNothing();
  const ofOthers = useNothingElse();
  const nothing = (page: Page) => (page.of ? ofOthers(page) : ofProfile(page.id));
  const pages = useViewsShown();
  const home = useHome();
  const say = useDeviceWords();
  const groups = [...new Set(pages.map((page) => page.group))];
  return (
    <nav className={open ? "nav open" : "nav"} aria-label="Views">
      <a className="brand" href={linkTo(home, params)}>
        <img src="./icon.svg" width="24" height="24" alt="" />
        Opsight
      </a>
      <ProfilePicker />
      <div className="nav-groups">
        {groups.map((group) => (
          <div key={group} role="group" aria-label={group}>
            <h2>{group}</h2>
            <ul>
              {pages.filter((page) => page.group === group).map((page) => (
                <li key={page.id}>
                  <a
                    href={linkTo(page.id, params)}
                    aria-current={page.id === view ? "page" : undefined}
                    className={nothing(page) && "nothing"}
                    title={nothing(page)}
                  >
                    <Icon name={page.icon} />
                    {say(page.title)}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div className="nav-foot">
        <button className="icon-button" onClick={toggleTheme} aria-label={theme === "dark" ? "Light theme" : "Dark theme"}>
          <Icon name={theme === "dark" ? "sun" : "moon"} />
        </button>
        <button className="icon-button" onClick={onHelp} aria-label="Keyboard help">
          <Icon name="help" />
        </button>
        {version && <span className="version">{version}</span>}
      </div>
    </nav>
  );
}
