// The views: what the navigation lists, and what an address opens.
import type { ComponentType } from "react";
import type { IconName } from "../widgets/Icon";
import { DashboardPage } from "./DashboardPage";

export interface Page {
  id: string;
  title: string;
  group: string;
  icon: IconName;
  key: string; // after "g" on the keyboard
  component: ComponentType;
}

export const PAGES: readonly Page[] = [
  { id: "dashboard", title: "Dashboard", group: "Overview", icon: "dashboard", key: "d", component: DashboardPage },
];

export const pageOf = (view: string): Page | undefined => PAGES.find((each) => each.id === view);
