import { useInfo } from "../../api/queries";
import type { Diagnostic, Summary } from "../../api/types";
import { linkTo } from "../../app/route";
import { useRoute } from "../../app/useRoute";
import { Card } from "../../widgets/Card";
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
  const memory = info?.devices[0]?.memory_bytes;
  const known = Object.entries(summary.system).filter(([, value]) => value !== null);
  const missing = Object.entries(summary.system).filter(([, value]) => value === null);
  const facts: [string, string][] = known.map(([key, value]) => [NAMES[key] ?? key, String(value)]);
  if (typeof memory === "number") facts.push(["Memory of a GPU", formatBytes(memory)]);
  return (
    <Card title="System">
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {missing.length > 0 && (
          <div>
            <dt>Not recorded</dt>
            <dd className="hint">{missing.map(([key]) => NAMES[key] ?? key).join(", ")}</dd>
          </div>
        )}
      </dl>
    </Card>
  );
}

export function DiagnosticsCard({ diagnostics }: { diagnostics: readonly Diagnostic[] }) {
  const { params } = useRoute();
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
                {pageWords(each.help)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const LINKS = [
  ["PyTorch: automatic mixed precision", "https://pytorch.org/docs/stable/amp.html"],
  ["PyTorch: performance tuning guide", "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html"],
  ["NVIDIA: training with mixed precision", "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/index.html"],
] as const;

// For programs of PyTorch: what helps others is not known.
export function GuidanceCard({ gpu, summary }: { gpu: boolean; summary: Summary }) {
  if (!/torch/i.test(String(summary.system.framework ?? ""))) return null;
  return (
    <Card title={gpu ? "Mixed precision" : "Faster training"}>
      <ul className="guidance">
        {gpu && (
          <>
            <li>
              <code>torch.autocast(&quot;cuda&quot;)</code> around the forward pass and the loss, <code>GradScaler</code> for FP16, lets
              eligible ops use Tensor Cores.
            </li>
            <li>Sizes of matrices and channels that are multiples of 8 (FP16, BF16) keep Tensor Cores busy.</li>
            <li>
              <code>torch.backends.cuda.matmul.allow_tf32 = True</code> gives FP32 matrix products Tensor Cores at little cost.
            </li>
          </>
        )}
        {!gpu && (
          <>
            <li>
              On recent CPUs <code>torch.autocast(&quot;cpu&quot;, dtype=torch.bfloat16)</code> speeds up convolutions and matrix products.
            </li>
            <li>
              Threads: <code>torch.set_num_threads</code> at the number of cores is a good start; loading data needs some too.
            </li>
          </>
        )}
      </ul>
      <ul className="plain-list guidance-links">
        {LINKS.map(([name, href]) => (
          <li key={href}>
            <a href={href} target="_blank" rel="noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
