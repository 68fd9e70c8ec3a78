import type { Summary } from "../../api/types";
import { Card } from "../../widgets/Card";
import { ShareBar, type Part } from "../../widgets/charts";
import { useDeviceWords } from "../../widgets/deviceWords";
import { kernelParts, resourceParts } from "./parts";

// Named in the words of the GPUs' maker.
function useNamed(parts: Part[]): Part[] {
  const say = useDeviceWords();
  return parts.map((part) => ({ ...part, name: say(part.name) }));
}

export function Resources({ summary, gpu, framework }: { summary: Summary; gpu: boolean; framework: boolean }) {
  const parts = useNamed(resourceParts(summary));
  return (
    <Card title="Where the wall clock goes" note="parts exclude each other" span={gpu ? 7 : 12}>
      <ShareBar parts={parts} unit="percent" label="Shares of the wall clock" />
      {!framework && parts.some((part) => part.key === "cpu" && part.value > 0) && <p className="hint below-legend">“CPU alone” is calls of the device’s driver and runtime; what the program itself does beside the device counts as host time within its ranges, and is not recorded outside of them.</p>}
    </Card>
  );
}

export function KernelClasses({ summary }: { summary: Summary }) {
  const parts = useNamed(kernelParts(summary));
  return (
    <Card title="GPU time by kind" note="sum of durations" span={5}>
      <ShareBar parts={parts} unit="ns" label="GPU time by kind of kernel" />
    </Card>
  );
}
