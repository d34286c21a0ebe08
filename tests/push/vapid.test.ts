// Push messages without keys: the error names the variable.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { requireVapid, vapidPublicKey } = await withEnvironment(
  { ...UNREACHABLE_ENV, VAPID_SUBJECT: "mailto:push@casts.test" },
  () => import("../../functions/push/vapid.ts"),
);

Deno.test("requireVapid without VAPID_PRIVATE_KEY throws an error that names the variable", () => {
  assert.throws(requireVapid, /^Error: VAPID_PRIVATE_KEY is not set; push messages cannot be sent$/);
  assert.equal(vapidPublicKey, undefined);
});
