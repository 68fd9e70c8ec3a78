// How many items an iteration has on each side, such as its batch size: then all times are of one of them.
import { useRoute, useSetParams } from "../../address/useRoute";

export const ITEMS = ["base_items", "new_items"] as const;
const MOST = 1_000_000_000;

export const itemsOf = (text: string | null): number | null => {
  const number = /^\d{1,10}$/.test(text ?? "") ? Number(text) : 0;
  return number >= 1 && number <= MOST ? number : null;
};

// As they are asked of the server: 1 where only the other side has a number.
export function useItems(): Partial<Record<(typeof ITEMS)[number], number>> {
  const { params } = useRoute();
  const [base, next] = ITEMS.map((key) => itemsOf(params.get(key)));
  return base || next ? { base_items: base ?? 1, new_items: next ?? 1 } : {};
}

export function ItemFields() {
  const { params } = useRoute();
  const setParams = useSetParams();
  return (
    <div className="toolbar" role="group" aria-label="Items of an iteration">
      {ITEMS.map((key) => {
        const value = params.get(key) ?? "";
        const write = (text: string) => {
          const items = itemsOf(text);
          if (String(items ?? "") !== value) setParams({ [key]: items });
        };
        return (
          <label className="inline-label" key={key}>
            {key === "base_items" ? "Items of an iteration before" : "after"}
            <input
              key={value}
              type="number"
              min={1}
              max={MOST}
              placeholder="1"
              defaultValue={value}
              onBlur={(event) => {
                write(event.target.value);
              }}
              onKeyDown={(event) => {
                if (event.key === "Enter") write(event.currentTarget.value);
              }}
            />
          </label>
        );
      })}
    </div>
  );
}
