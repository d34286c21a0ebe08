// An edge function with the smallest signed-in route, which measures the frame without the work of a function.
import { authenticatedRouter, edgeFunction } from "../functions/app/app.ts";
import { reply } from "../functions/app/reply.ts";

export default edgeFunction("baseline", [
  ["", authenticatedRouter().get("/", async (c) => reply(await c.var.db.call("check_health", {})))],
]);
