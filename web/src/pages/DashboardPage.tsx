import { useProfile, useSummary } from "../api/queries";
import { Notes } from "../widgets/Card";
import { Answered } from "../widgets/states";
import { KernelClasses, Resources } from "./dashboard/Shares";
import { IterationCard } from "./dashboard/IterationCard";
import { DiagnosticsCard, FindingsCard, GuidanceCard, SystemCard } from "./dashboard/Facts";
import { Tiles } from "./dashboard/Tiles";
import { TopLayers, TopOps } from "./dashboard/Top";

export function DashboardPage() {
  const profile = useProfile();
  const gpu = (profile?.kernels ?? 0) > 0;
  return (
    <Answered answer={useSummary()} what="the dashboard" rows={12}>
      {({ summary }) => (
        <div className="cards">
          <Tiles summary={summary} gpu={gpu} />
          <Resources summary={summary} wide={!gpu} />
          {gpu && <KernelClasses summary={summary} />}
          <IterationCard />
          <div className="stack span-7">
            <TopOps gpu={gpu} />
            <SystemCard summary={summary} />
          </div>
          <div className="stack span-5">
            <TopLayers gpu={gpu} />
            <FindingsCard />
            <GuidanceCard gpu={gpu} />
            <DiagnosticsCard diagnostics={summary.diagnostics} />
          </div>
          <div className="span-12">
            <Notes notes={summary.notes} />
          </div>
        </div>
      )}
    </Answered>
  );
}
