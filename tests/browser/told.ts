// What ./dev test is to repeat at its end, in the form that scripts/tally.py looks for.
import type { TaskContext } from "vitest";

export function tellRetried(task: TaskContext["task"], reasons: readonly string[]): void {
  for (const reason of reasons) console.log(`\nRETRIED  ${task.file.name} > ${task.name}: ${reason}`);
}
