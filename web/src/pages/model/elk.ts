// The layout library, fetched when the view is first opened, at work in a thread of its own.
import type { ELK, ElkNode } from "elkjs/lib/elk-api";
import type { LaidOut } from "./graph";

let library: Promise<ELK> | null = null;

async function load(): Promise<ELK> {
  const [{ default: Elk }, { default: workerUrl }] = await Promise.all([import("elkjs/lib/elk-api.js"), import("elkjs/lib/elk-worker.min.js?url")]);
  return new Elk({ workerUrl });
}

export async function layOut(graph: LaidOut): Promise<LaidOut> {
  library ??= load();
  return (await (await library).layout(graph as ElkNode)) as LaidOut;
}
