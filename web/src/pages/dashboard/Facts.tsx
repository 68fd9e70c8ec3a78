import { useInfo } from "../../api/queries";
import type { Diagnostic, Summary } from "../../api/types";
import { linkTo } from "../../address/route";
import { useRoute } from "../../address/useRoute";
import { Card } from "../../widgets/Card";
import { useDeviceWords } from "../../widgets/deviceWords";
import { formatBytes } from "../../widgets/format";
import { Num } from "../../widgets/Num";
import { pageWords } from "../../widgets/words";

const NAMES: Record<string, string> = {
  gpu_count: "GPUs used",
  gpu_unused_count: "GPUs not used",
  gpu_names: "GPU",
  cpu_model: "CPU",
  gpu_driver_version: "GPU driver",
  framework: "Framework",
  cuda_version: "CUDA",
  cuda_driver_version: "CUDA of the driver",
  cudnn_version: "cuDNN",
  producer: "Recorded by",
  opsight_version: "Imported by",
  ranks: "Ranks",
  processes: "Processes",
  threads: "Threads",
  sources: "From",
};

export function SystemCard({ summary }: { summary: Summary }) {
  const info = useInfo().data;
  const say = useDeviceWords();
  const memory = info?.devices[0]?.memory_bytes;
  const known = Object.entries(summary.system).filter(([, value]) => value !== null);
  const other = info !== undefined && info.words.api !== "CUDA";
  const missing = Object.entries(summary.system).filter(([key, value]) => value === null && !(other && /^cu(da|dnn)_/.test(key)));
  const facts: [string, string][] = known.map(([key, value]) => [NAMES[key] ?? key, String(value)]);
  if (typeof memory === "number") facts.push(["Memory of a GPU", formatBytes(memory)]);
  return (
    <Card title="System">
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{say(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {missing.length > 0 && (
          <div>
            <dt>Not recorded</dt>
            <dd className="hint">{say(missing.map(([key]) => NAMES[key] ?? key).join(", "))}</dd>
          </div>
        )}
      </dl>
    </Card>
  );
}

export function DiagnosticsCard({ diagnostics }: { diagnostics: readonly Diagnostic[] }) {
  const { params } = useRoute();
  const say = useDeviceWords();
  return (
    <Card title="Oddities of the recording" action={<a href={linkTo("diagnostics", params)}>Details</a>}>
      {diagnostics.length === 0 ? (
        <p className="hint">None: all of the recording could be used.</p>
      ) : (
        <ul className="oddities">
          {diagnostics.slice(0, 6).map((each) => (
            <li key={each.key}>
              <span className={`badge ${each.severity}`}>{each.severity}</span>
              <p>
                <b>
                  <Num value={each.count} unit="count" /> ×
                </b>{" "}
                {say(pageWords(each.help))}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
