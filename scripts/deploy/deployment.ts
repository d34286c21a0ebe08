import type { ManagementApi } from "./management_api.ts";
import type { Target } from "./target.ts";

/** What every step gets. */
export interface Deployment {
  target: Target;
  api: ManagementApi;
  /** Prints a line below the name of the step. */
  report(text: string): void;
}
