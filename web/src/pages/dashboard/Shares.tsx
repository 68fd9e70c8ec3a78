import type { Summary } from "../../api/types";
import { Card } from "../../widgets/Card";
import { ShareBar } from "../../widgets/charts";
import { kernelParts, resourceParts } from "./parts";

export function Resources({ summary, gpu, framework }: { summary: Summary; gpu: boolean; framework: boolean }) {
  return (
    <Card title="Where the wall clock goes" note="parts exclude each other" span={gpu ? 7 : 12}>
      <ShareBar parts={resourceParts(summary)} unit="percent" label="Shares of the wall clock" />
      {!framework && <p className="hint below-legend">“CPU alone” is calls of CUDA; what the program itself does beside the GPU counts as host time within its ranges, and is not recorded outside of them.</p>}
    </Card>
  );
}

export function KernelClasses({ summary }: { summary: Summary }) {
  return (
    <Card title="GPU time by kind" note="sum of durations" span={5}>
      <ShareBar parts={kernelParts(summary)} unit="ns" label="GPU time by kind of kernel" />
    </Card>
  );
}
