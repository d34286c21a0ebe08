// Changing the address of an account with other settings than the project's.
import { deepStrictEqual as same } from "node:assert";
import { clientOf, emails, lastEmail, newAddress, signedIn } from "../../parity/auth/setup.ts";
import { startTestStack } from "../../stack.ts";

Deno.test("without double_confirm_changes, only the new address confirms and the old one receives no email", async () => {
  await using single = await startTestStack({ auth: { doubleConfirmChanges: false } });
  const { email, client } = await signedIn(single);
  const next = newAddress();
  await client.auth.updateUser({ email: next });
  same(await emails(single, email), []);
  const { code } = await lastEmail(single, next);
  const { data } = await clientOf(single).auth.verifyOtp({ email: next, token: code, type: "email_change" });
  same(data.user?.email, next.toLowerCase());
});
