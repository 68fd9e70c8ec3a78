// Asks the server. All data of the page goes through here: errors become ApiError, and the page knows when
// nothing is under way (tests wait for that, not for time).
import type { components } from "./schema";

// What goes wrong, as a word to decide by: the server's, and the page's own.
export type Code = components["schemas"]["ErrorInfo"]["code"] | "unknown" | "unreachable" | "replaced" | "page";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: Code,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
  // No answer at all, as opposed to one that says no.
  get unreachable(): boolean {
    return this.status === 0;
  }
  // Answered by a server that was started anew: it has another token.
  get stranger(): boolean {
    return this.status === 401;
  }
  // About another profile than the page shows, which has taken its place.
  get replaced(): boolean {
    return this.code === "replaced";
  }
  // No use in asking before the server is back, has the page its token, or shows the page the new profile.
  get lost(): boolean {
    return this.unreachable || this.stranger || this.replaced;
  }
}

export type Params = Record<string, string | number | boolean | readonly string[] | null | undefined>;

export function apiUrl(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === "" || value === false) continue;
    if (Array.isArray(value)) for (const each of value as readonly string[]) query.append(key, each);
    else query.set(key, value === true ? "1" : String(value));
  }
  const text = query.toString();
  return `./api/v1${path}${text ? `?${text}` : ""}`;
}

let underWay = 0;
const waiting = new Set<() => void>();

function frames(count: number): Promise<void> {
  return new Promise((resolve) => {
    const next = (left: number) => {
      if (left === 0) resolve();
      else
        requestAnimationFrame(() => {
          next(left - 1);
        });
    };
    next(count);
  });
}

// Resolves when no request is under way and what came is drawn.
export async function idle(): Promise<void> {
  for (;;) {
    if (underWay > 0) await new Promise<void>((resolve) => waiting.add(resolve));
    await frames(3);
    if (underWay === 0) return;
  }
}

// Counts work that `idle` has to wait for.
export async function tracked<T>(work: () => Promise<T>): Promise<T> {
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
    if (underWay === 0) {
      for (const resolve of waiting) resolve();
      waiting.clear();
    }
  }
}

interface ErrorBody {
  error?: { code?: Code; message?: string; remedy?: string };
}

async function errorOf(response: Response): Promise<ApiError> {
  let said: ErrorBody["error"];
  try {
    said = ((await response.json()) as ErrorBody).error;
  } catch {
    said = undefined;
  }
  return new ApiError(
    response.status,
    said?.code ?? "unknown",
    said?.message ?? `The server answered with status ${String(response.status)}.`,
    said?.remedy ?? "",
  );
}

function aborted(problem: unknown): boolean {
  return problem instanceof DOMException && problem.name === "AbortError";
}

// Where one question crashes the process that answers, another one goes on at once, and says at which profile.
async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (problem) {
    if (init.method !== "GET" || aborted(problem)) throw problem;
    return fetch(url, init);
  }
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await reach(url, { credentials: "same-origin", ...init });
  } catch (problem) {
    if (aborted(problem)) throw problem;
    throw new ApiError(0, "unreachable", "The server does not answer.", "Start it again: opsight view NAME.opsight");
  }
  refuseAnother(url, response);
  if (!response.ok) throw await errorOf(response);
  return response;
}

// By the number of a profile: the version that the page shows. A page must not mix two.
const versions = new Map<string, string>();

function refuseAnother(url: string, response: Response): void {
  const profile = /\/profiles\/(\d+)\//.exec(url)?.[1];
  const version = response.headers.get("Opsight-Profile-Version");
  if (profile === undefined || version === null) return;
  const shown = versions.get(profile) ?? version;
  versions.set(profile, shown);
  if (shown !== version) throw new ApiError(409, "replaced", "The profile was written anew.", "Load the page again to see the new one.");
}

function request<T>(method: string, url: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return tracked(async () => {
    const init: RequestInit = { method, headers: { Accept: "application/json" } };
    if (signal) init.signal = signal;
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { Accept: "application/json", "Content-Type": "application/json" };
    }
    const text = await (await ask(url, init)).text();
    return (text ? JSON.parse(text) : null) as T;
  });
}

export function getJson<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  return request<T>("GET", apiUrl(path, params), undefined, signal);
}

export function postJson<T>(path: string, body: unknown): Promise<T> {
  return request<T>("POST", apiUrl(path), body);
}

export function deleteAt(path: string): Promise<unknown> {
  return request<unknown>("DELETE", apiUrl(path), undefined);
}

export function getText(path: string, params: Params): Promise<string> {
  return tracked(async () => (await ask(apiUrl(path, params), { method: "GET" })).text());
}

export function getBytes(path: string, params: Params, signal?: AbortSignal): Promise<ArrayBuffer> {
  const init: RequestInit = { method: "GET", headers: { Accept: "application/octet-stream" } };
  if (signal) init.signal = signal;
  return tracked(async () => (await ask(apiUrl(path, params), init)).arrayBuffer());
}
