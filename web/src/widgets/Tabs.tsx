import type { KeyboardEvent, ReactNode } from "react";

export interface Tab {
  id: string;
  title: string;
}

// Tabs as screen readers know them: arrows move, what is chosen is shown at once.
export function Tabs({ label, tabs, chosen, choose, children }: { label: string; tabs: readonly Tab[]; chosen: string; choose: (id: string) => void; children: ReactNode }) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    choose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls="tab-panel"
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => {
              choose(tab.id);
            }}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </>
  );
}
