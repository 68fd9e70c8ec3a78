// Of tables of ops, layers and kernels: what of each row is on the critical path, as a column.
import { useRoute, useSetParams } from "../address/useRoute";

export const usePathParams = (): { critical_path?: true } => (useRoute().params.get("path") === "1" ? { critical_path: true } : {});

export function PathButton() {
  const setParams = useSetParams();
  const on = useRoute().params.get("path") === "1";
  return (
    <button
      type="button"
      className="button"
      aria-pressed={on}
      title="How much of each row is on the critical path: what the end of each chosen iteration waited for"
      onClick={() => {
        setParams({ path: on ? null : 1, sort: on ? null : "critical_path_ns:desc", page: null });
      }}
    >
      Critical path
    </button>
  );
}
