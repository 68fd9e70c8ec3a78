// What this browser keeps of a reader's choices, such as widths. It may be forbidden to keep anything.

const PREFIX = "opsight.";

export function readKept(key: string): unknown {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

export function writeKept(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Then the choice lasts as long as the page.
  }
}
