// What the makers of the GPUs call their matrix units: AMD's are Matrix Cores.
import { useInfo } from "../api/queries";
import type { Info } from "../api/types";

type Device = Info["devices"][number];
const isOfAmd = (device: Device): boolean =>
  String(device.compute_capability ?? "").startsWith("gfx") || /\bAMD\b|\bRadeon\b|\bInstinct\b/i.test(String(device.name ?? ""));

const isTold = (device: Device): boolean => device.name !== null || device.compute_capability !== null;

// Whether all devices that worked are AMD's. Work may name its device by a number that the source's list does not have:
// where that holds of all of it, the devices of the list tell.
export function hasMatrixCores(devices: readonly Device[]): boolean {
  const worked = devices.filter((device) => Number(device.device_spans) > 0);
  const judged = worked.length === 0 || worked.some(isTold) ? worked : devices.filter(isTold);
  return judged.length > 0 && judged.every(isOfAmd);
}

// Says a text that speaks of Tensor Cores in the words of the GPUs' maker.
export function useMatrixWords(): (text: string) => string {
  const info = useInfo().data;
  return info && hasMatrixCores(info.devices) ? (text) => text.replaceAll("Tensor Core", "Matrix Core") : (text) => text;
}
