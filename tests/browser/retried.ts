// A case that passed at its second attempt only: ./dev test names it with what the first one said, for somebody to
// look into. A browser on a loaded machine has moments that no user meets, and one of 300 cases costs an hour.
import { afterEach } from "vitest";
import { tellRetried } from "./told";

afterEach(({ task }) => {
  const first = task.result?.retryCount ? task.result.errors?.[0]?.message : undefined;
  if (first !== undefined) tellRetried(task, [first.split("\n")[0] ?? ""]);
});
