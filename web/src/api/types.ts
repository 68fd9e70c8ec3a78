// The answers of the server by their names. schema.ts is made from docs/openapi.json: `npm run generate`.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type ErrorInfo = Schemas["ErrorInfo"];
export type Profile = Schemas["Profile"];
export type Profiles = Schemas["Profiles"];
export type Range = Schemas["Range"];
export type Column = Schemas["Column"];
export type Choice = Schemas["Choice"];
export type Table = Schemas["Table"];
export type StreamUse = Schemas["StreamUse"];
export type Diagnostic = Schemas["Diagnostic"];
export type Summary = Schemas["Summary"];
export type SummaryAnswer = Schemas["SummaryAnswer"];
export type IterationShares = Schemas["IterationShares"];
export type RankPace = Schemas["RankPace"];
export type IterationsAnswer = Schemas["Iterations"];
export type LayerTimes = Schemas["LayerTimes"];
export type LayerRow = Schemas["Layer"];
export type First = Schemas["First"];
export type Finding = Schemas["Finding"];
export type ComparisonAnswer = Schemas["Comparison"];
export type TrendAnswer = Schemas["Trend"];
export type Collection = Schemas["Collection"];
export type StoreAnswer = Schemas["StoreAnswer"];
export type RunLabels = Schemas["RunLabels"];
export type ProfilesOfRuns = Schemas["ProfilesOfRuns"];
export type SweepAnswer = Schemas["Sweep"];
export type SweepChanges = Schemas["SweepChanges"];
export type SweepPoint = Schemas["SweepPoint"];
export type CloudAnswer = Schemas["Cloud"];
export type ToldMapping = Schemas["ToldMapping"];
export type FindingsAnswer = Schemas["Findings"];
export type LayersAnswer = Schemas["Layers"];
export type GpuDevice = Schemas["Gpu"];
export type GpusAnswer = Schemas["Gpus"];
export type MemoryDevice = Schemas["MemoryDevice"];
export type MemoryAnswer = Schemas["Memory"];
export type Info = Schemas["Info"];
export type Aggregation = Schemas["Aggregation"];
export type AggregationsAnswer = Schemas["Aggregations"];

// In the order in which bars are stacked.
export const SHARES = ["tensor_core", "unknown_kernel", "other_kernel", "communication", "memory", "dataloader", "io", "cpu", "host", "idle"] as const satisfies readonly (keyof Schemas["Shares"])[];
export type Share = (typeof SHARES)[number];
export type ModelAnswer = Schemas["Model"];
export type ModelItem = Schemas["ModelItem"];
export type ModelFacts = Schemas["ModelFacts"];
