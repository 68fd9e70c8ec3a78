import { useProfile, useSummary } from "../api/queries";
import type { Profile, Summary } from "../api/types";
import { Card, Notes } from "../widgets/Card";
import { Answered } from "../widgets/states";
import { KernelClasses, Resources } from "./dashboard/Shares";
import { IterationCard } from "./dashboard/IterationCard";
import { DiagnosticsCard, SystemCard } from "./dashboard/Facts";
import { resourceParts } from "./dashboard/parts";
import { Tiles } from "./dashboard/Tiles";
import { TopKernels, TopLayers, TopOps, TopRanges } from "./dashboard/Top";
import { NO_RANGES } from "./RangesPage";

// What takes the time, in the words that the recording has: ops and layers of a framework, else named ranges and
// kernels.
function Tops({ profile, gpu }: { profile: Profile; gpu: boolean }) {
  if ((profile.ops ?? 0) > 0) return <TopOps gpu={gpu} />;
  if ((profile.ranges ?? 0) > 0) return <TopRanges by="self" />;
  if (gpu) return <TopKernels />;
  return <Card title="Top ranges">{NO_RANGES}</Card>;
}

function MoreTops({ profile, gpu }: { profile: Profile; gpu: boolean }) {
  if ((profile.ops ?? 0) > 0) return <TopLayers gpu={gpu} />;
  return (
    <>
      {(profile.ranges ?? 0) > 0 && <TopRanges by="total" />}
      {gpu && (profile.ranges ?? 0) > 0 && <TopKernels />}
    </>
  );
}

function Cards({ profile, summary }: { profile: Profile; summary: Summary }) {
  const gpu = profile.device_work ?? false;
  const kernels = (profile.kernels ?? 0) > 0;
  const shared = resourceParts(summary).some((part) => part.key !== "idle" && part.value > 0);
  return (
    <div className="cards">
      <Tiles profile={profile} summary={summary} gpu={gpu} />
      <div className="span-12">
        <Notes notes={summary.notes} />
      </div>
      {shared && <Resources summary={summary} gpu={gpu} framework={(profile.ops ?? 0) > 0} />}
      {kernels && <KernelClasses summary={summary} />}
      <IterationCard />
      <div className="stack span-7">
        <Tops profile={profile} gpu={gpu} />
        <SystemCard summary={summary} />
      </div>
      <div className="stack span-5">
        <MoreTops profile={profile} gpu={gpu} />
        <DiagnosticsCard diagnostics={summary.diagnostics} />
      </div>
    </div>
  );
}

export function DashboardPage() {
  const profile = useProfile();
  return (
    <Answered answer={useSummary()} what="the dashboard" rows={12}>
      {({ summary }) => profile && <Cards profile={profile} summary={summary} />}
    </Answered>
  );
}
