// Routes about the service itself.
import { handle, type Route } from "./route.ts";

/** The version whose source this module follows. */
const VERSION = "1.70.6";

export const statusRoutes: Route[] = [
  handle(
    "GET",
    "/status",
    "",
    "public",
    () => Promise.resolve(new Response(null, { headers: { "content-length": "0" } })),
  ),
  handle("GET", "/version", "", "public", () => Promise.resolve(new Response(VERSION))),
  handle("GET", "/health/?", "", "token", async ({ database }) => ({
    healthy: await database.sql`select`.then(() => true, () => false),
  })),
];
