import { useSummary } from "../api/queries";
import { Answered } from "../widgets/states";
import { Card } from "../widgets/Card";
import { Num } from "../widgets/Num";

export function DashboardPage() {
  return (
    <Answered answer={useSummary()} what="the dashboard">
      {({ summary }) => (
        <Card title="Wall clock">
          <Num value={summary.wall_clock_ns} unit="ns" />
        </Card>
      )}
    </Answered>
  );
}
