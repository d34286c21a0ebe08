// Settings of config.toml that restrict passwords, sign-ups by email, identities and tokens.
import { deepStrictEqual as same } from "node:assert";
import { decodeJwt } from "jose";
import { authSettings } from "../../../local/auth/settings.ts";
import { startTestStack } from "../../stack.ts";
import { waitFor } from "../../wait_for.ts";
import {
  adminOf,
  type AuthStack,
  clientOf,
  emails,
  errorOf,
  lastEmail,
  newAddress,
  PASSWORD,
  request,
  signedIn,
  withSql,
} from "../../parity/auth/setup.ts";
import { projectFolder } from "../host/project_folder.ts";
import { startAuth } from "./auth_service.ts";

// Settings that do not affect each other share a service
const shared = await startAuth({
  allowManualLinking: true,
  doubleConfirmChanges: false,
  jwtIssuer: "https://auth.example/auth/v1",
  sessionSeconds: 7200,
  sessionInactivitySeconds: 3600,
});
const unconfirmed = await startAuth({ confirmEmails: false, endsReusedSessions: false, reuseIntervalSeconds: 0 });
const { requiredCharacters } = authSettings({ password_requirements: "lower_upper_letters_digits_symbols" });
const strict = await startAuth({ requiredCharacters, minPasswordLength: 10 });
const withoutEmail = await startAuth({ allowEmail: false });
const withoutPhoneCodes = await startAuth({ confirmPhones: false });

Deno.test("password_requirements and minimum_password_length give the reasons of a weak password", async () => {
  const weakness = async (password: string) => {
    const { json } = await request(strict, "POST /signup", { body: { email: newAddress(), password } });
    return [json.error_code, json.weak_password?.reasons];
  };
  same(await weakness("short"), ["weak_password", ["length", "characters"]]);
  same(await weakness("only lower case"), ["weak_password", ["characters"]]);
  same(await weakness("Aa1:"), ["weak_password", ["length"]]);
  same(await weakness("Lower 1 and UPPER!"), [undefined, undefined]);
});

Deno.test("[auth.email] enable_signup = false rejects sign-up and sign-in by email", async () => {
  const email = newAddress(), auth = clientOf(withoutEmail).auth;
  await adminOf(withoutEmail).createUser({ email, password: PASSWORD, email_confirm: true });
  const off = (status: number) => ({ status, code: "email_provider_disabled" });
  same(errorOf((await auth.signUp({ email, password: PASSWORD })).error), off(400));
  same(errorOf((await auth.signInWithPassword({ email, password: PASSWORD })).error), off(422));
  same(errorOf((await auth.signInWithOtp({ email })).error), off(422));
  same(errorOf((await auth.resetPasswordForEmail(email)).error), off(400));
  same(errorOf((await auth.resend({ email, type: "signup" })).error), off(400));
  same((await request(withoutEmail, "GET /settings")).json.external.email, false);
});

Deno.test("[auth.sms] enable_confirmations = false lets a sign-up tell that the account exists", async () => {
  const { email } = await signedIn(withoutPhoneCodes);
  const { error } = await clientOf(withoutPhoneCodes).auth.signUp({ email, password: PASSWORD });
  same(errorOf(error), { status: 422, code: "user_already_exists" });
  same((await request(withoutPhoneCodes, "GET /settings")).json.phone_autoconfirm, true);
});

Deno.test("with manual linking, the last identity cannot be unlinked and providers remain off", async () => {
  const { client } = await signedIn(shared);
  const { data } = await client.auth.getUserIdentities();
  same(errorOf((await client.auth.unlinkIdentity(data!.identities[0])).error), {
    status: 422,
    code: "single_identity_not_deletable",
  });
  const link = await client.auth.linkIdentity({ provider: "google", options: { skipBrowserRedirect: true } });
  same(link.error?.message, "Unsupported provider: provider is not enabled");
});

/** Changes the address of an account with the code that its new address received. */
async function changeAddress(stack: AuthStack) {
  const { client, email } = await signedIn(stack), next = newAddress();
  await client.auth.updateUser({ email: next });
  const { code } = await lastEmail(stack, next);
  const { data } = await clientOf(stack).auth.verifyOtp({ email: next, token: code, type: "email_change" });
  same(data.user?.email, next.toLowerCase());
  return await emails(stack, email);
}

Deno.test("without email confirmations, one of the two addresses confirms a change", async () => {
  same((await changeAddress(unconfirmed)).length, 1);
});

Deno.test("without double_confirm_changes, only the new address confirms and the old one receives no email", async () => {
  same(await changeAddress(shared), []);
});

Deno.test("jwt_issuer is the issuer of access tokens", async () => {
  same(decodeJwt((await signedIn(shared)).session.access_token).iss, "https://auth.example/auth/v1");
});

Deno.test("[auth.sessions] ends a session after its time or without a refresh", async () => {
  const backdated = async (column: "created_at" | "refreshed_at", minutes: number) => {
    const { client, id } = await signedIn(shared);
    same((await client.auth.refreshSession()).error, null);
    await withSql(
      shared,
      (sql) =>
        sql`update auth.sessions set ${sql(column)} = ${sql(column)} - make_interval(mins => ${minutes})
          where user_id = ${id}`,
    );
    return (await client.auth.refreshSession()).error;
  };
  same(await backdated("created_at", 90), null);
  const late = await backdated("created_at", 121);
  same([errorOf(late), late?.message], [
    { status: 400, code: "session_expired" },
    "Invalid Refresh Token: Session Expired",
  ]);
  same(await backdated("refreshed_at", 50), null);
  same((await backdated("refreshed_at", 61))?.message, "Invalid Refresh Token: Session Expired (Inactivity)");
});

Deno.test("without rotation, a refresh token that was used before does not end the session", async () => {
  const { client, session } = await signedIn(unconfirmed);
  const second = (await client.auth.refreshSession()).data.session!;
  const third = await client.auth.refreshSession(second);
  const reused = await clientOf(unconfirmed).auth.refreshSession(session);
  same(errorOf(reused.error), { status: 400, code: "refresh_token_already_used" });
  same((await client.auth.refreshSession(third.data.session!)).error, null);
});

Deno.test("the start prints the warnings of the auth settings", async () => {
  const log = await Deno.makeTempFile();
  try {
    const { warnings } = authSettings({ mfa: { totp: { enroll_enabled: true } } });
    const project = await projectFolder({ "supabase/config.toml": "" });
    await using _ = await startTestStack({ project, auth: { warnings } }, log);
    const warning = /lacks: \[auth\.mfa\.totp\]\. Requests for these get the error/;
    await waitFor("the warning", async () => warning.test(await Deno.readTextFile(log)));
  } finally {
    await Deno.remove(log);
  }
});
