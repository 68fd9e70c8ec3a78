// What people call the devices of a profile, their matrix units and their API: the server says which words, the page
// puts them into its texts, which are written in those of NVIDIA's GPUs (src/query/reports/device_words.h).
import { useContext, useMemo } from "react";
import { AboutProfile, useInfo } from "../api/queries";
import type { Info } from "../api/types";

export type DeviceWords = Info["words"];

const USUAL: DeviceWords = { device: "GPU", matrix_unit: "Tensor Core", api: "CUDA", multiprocessor: "multiprocessor", clock: "CPU" };

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// In heads of columns words have capitals, and a sentence begins with one.
function fitting(word: string, before: string, after: string): string {
  const head = /^s? [A-Z][a-z]/.test(after);
  if (head) return word.split(" ").map(capital).join(" ");
  return before === "" || before.endsWith(". ") ? capital(word) : word;
}

function replaced(text: string, here: RegExp, there: string): string {
  const found = text.replace(here, (match, at: number, all: string) => fitting(there, all.slice(0, at), all.slice(at + match.length)));
  return /^[aeiou]/i.test(there) ? found.replaceAll(new RegExp(`\\b([Aa]) (?=${there})`, "gi"), "$1n ") : found;
}

// "TC" stands for Tensor Cores; what other makers have is called by its name.
export function said(text: string, words: DeviceWords): string {
  let out = text;
  if (words.matrix_unit !== USUAL.matrix_unit) {
    out = replaced(out, /\bTensor Core(?=s?\b)/g, words.matrix_unit).replace(/\btensor core(?=s?\b)/g, words.matrix_unit.toLowerCase());
    out = replaced(replaced(out, /\bTC(?= [A-Za-z])/g, words.matrix_unit), /\bTC\b/g, `${words.matrix_unit}s`);
  }
  if (words.device !== USUAL.device) out = replaced(out, /(?<![\w_])GPU(?=s?\b)/g, words.device);
  if (words.multiprocessor !== USUAL.multiprocessor) {
    out = out.replaceAll("Multiprocessor", capital(words.multiprocessor)).replaceAll("multiprocessor", words.multiprocessor);
  }
  if (words.clock !== USUAL.clock) out = replaced(out.replaceAll("CPU Time", `${words.clock} Time`), /\bCPU(?= time\b)/g, words.clock.toLowerCase());
  if (words.api !== USUAL.api) out = out.replaceAll("CUDA API", `${words.api} API`).replaceAll("CUDA's API", `${words.api}'s API`);
  return out;
}

// Says a text in the words of the devices that worked.
export function useDeviceWords(): (text: string) => string {
  const info = useInfo().data?.words;
  const words = useContext(AboutProfile) ? info : undefined;
  return useMemo(() => (text: string) => (words ? said(text, words) : text), [words]);
}
