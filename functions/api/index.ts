/** The edge function `api`: one router per resource, mounted under /api. */
import { edgeFunction } from "../_shared/app.ts";
import { health } from "./health.ts";
import { media } from "./media/index.ts";

export default edgeFunction("api", {
  "/health": health,
  "/media": media,
});
