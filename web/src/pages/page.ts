// The views as data: whoever starts the page hands over the list, and what shows or names them asks for it here.
import { createContext, useContext, type ComponentType } from "react";
import type { IconName } from "../widgets/Icon";

export interface Page {
  id: string;
  title: string;
  group: string;
  icon: IconName;
  key: string; // after "g" on the keyboard
  component: ComponentType;
  of?: "store" | "sweep" | "cloud"; // what it is about, where that is no profile
  parameters?: readonly string[]; // of its address, beside those that every view and every table has
}

export const Pages = createContext<readonly Page[]>([]);

export const usePages = (): readonly Page[] => useContext(Pages);

export const usePageOf = (view: string): Page | undefined => usePages().find((each) => each.id === view);
