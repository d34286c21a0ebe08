// The guest page's create-account form: the address is the invited one, its code confirms it, and the page stores nothing.
import assert from "node:assert/strict";
import { byToken } from "../http/api/guest_email.ts";
import { callRpc, person, sql, stackInfo } from "../http/harness.ts";
import { createClient } from "@supabase/supabase-js";
import { accountForm, codes, PASSWORD } from "./guest_account.ts";
import { inBrowser, newGuest, type Page } from "./guest_page.ts";

const client = (key = stackInfo.publishableKey) =>
  createClient(stackInfo.url, key, { auth: { persistSession: false, autoRefreshToken: false } });
const { admin } = client(stackInfo.secretKey).auth;

/** Invites Gus, who accepts. */
async function acceptedGuest(title: string) {
  const guest = await newGuest(title);
  await byToken("/accept", guest.token);
  return guest;
}

const isLinked = async (episodeGuestId: string) =>
  (await sql`
    select g.user_id is not null as "isLinked" from public.episode_guests e
    join public.podcast_guests g on g.id = e.podcast_guest_id where e.id = ${episodeGuestId}`)[0].isLinked;

/** Everything that the page keeps beyond its own memory. */
const stored = (page: Page) =>
  page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");

inBrowser(
  "a guest creates an account with the invited address, and the invitation belongs to it",
  async (page, open) => {
    const { token, email, episodeGuestId, pilot } = await acceptedGuest("New account");
    const urls: string[] = [];
    page.on("request", (request) => urls.push(request.url()));
    await open(token);
    const form = accountForm(page);
    await form.button("Create account").focus();
    await page.keyboard.press("Enter");
    await page.locator("#password:focus").waitFor();
    const accent = "getComputedStyle(document.querySelector('#account-form [type=submit]')).backgroundColor";
    const filled = `[...document.querySelectorAll("button")].filter((each) =>
      each.checkVisibility() && getComputedStyle(each).backgroundColor === ${accent}).map((each) => each.textContent)`;
    assert.deepEqual(await page.evaluate(filled), ["Create account"], "one primary action");
    assert.equal(await form.section.getByText(email, { exact: true }).isVisible(), true);
    assert.equal(await form.section.getByRole("textbox").count(), 2); // name and password; the address is text
    assert.equal(await form.section.getByLabel("Your name").inputValue(), "Gus");
    await page.keyboard.type("short");
    await page.keyboard.press("Enter");
    await form.error("Password should be at least 6 characters.");
    await form.password.fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.locator("#code:focus").waitFor();
    await form.status.getByText(`We emailed a code to ${email}.`).waitFor();
    assert.equal(await isLinked(episodeGuestId), false);

    const [code] = await codes(stackInfo, email);
    await page.keyboard.type(code === "000000" ? "111111" : "000000");
    await page.keyboard.press("Enter");
    await form.error("This code is wrong or has expired. Enter the code from the newest email.");
    await form.code.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await page.keyboard.press("Enter");
    await form.status.getByText(`Your account is ready. All your invitations to ${email} belong to it now`).waitFor();
    await page.locator("#account-status:focus").waitFor();
    assert.equal(await form.section.getByRole("link").getAttribute("href"), stackInfo.url); // app_url
    assert.equal(await stored(page), '[{},{},""]');
    assert.deepEqual(urls.filter((url) => /horse|%40|@/.test(url)), []);
    const sessions =
      await sql`select from auth.sessions s join auth.users u on u.id = s.user_id where u.email = ${email}`;
    assert.equal(sessions.length, 0);

    const { data, error } = await client().auth.signInWithPassword({ email, password: PASSWORD });
    assert.equal(error, null);
    const [{ display_name }] = await sql`select display_name from public.profiles where id = ${data.user!.id}`;
    assert.equal(display_name, "Gus");
    const roster = await callRpc<{ people: { guestId: string }[] }>(await person("admin"), "list_episode_people", {
      episode_id: pilot.id,
    });
    assert.ok(roster.people.some(({ guestId }) => guestId === episodeGuestId));
    const [guest] = await sql`select podcast_guest_id as id from public.episode_guests where id = ${episodeGuestId}`;
    const linked = await callRpc<{ userId: string }>(await person("admin"), "get_podcast_guest", {
      podcast_guest_id: guest.id,
    });
    assert.equal(linked.userId, data.user!.id);

    await page.reload();
    await form.status.getByText(`This invitation belongs to your account, ${email}.`).waitFor();
    assert.equal(await form.section.getByRole("button").count(), 0);
  },
);

inBrowser(
  "a guest chooses the password, and has the invited name, even if another person signed up with the address first",
  async (page, open) => {
    const { token, email } = await acceptedGuest("Taken first");
    const data = { display_name: "The other person", avatar_url: "https://pictures.example/other.png" };
    await client().auth.signUp({ email, password: "the other person's", options: { data } });
    await sql`update auth.users set confirmation_sent_at = now() - interval '1 hour' where email = ${email}`;
    await open(token);
    const form = accountForm(page);
    await form.requestCode();
    await form.confirm((await codes(stackInfo, email))[1]);
    await form.status.getByText("Your account is ready.").waitFor();
    const signIn = async (password: string) =>
      (await client().auth.signInWithPassword({ email, password })).error?.code;
    assert.deepEqual([await signIn("the other person's"), await signIn(PASSWORD)], ["invalid_credentials", undefined]);
    const [profile] = await sql`
      select f.display_name, f.avatar_url from public.profiles f join auth.users u on u.id = f.id where u.email = ${email}`;
    assert.deepEqual({ ...profile }, { display_name: "Gus", avatar_url: null });
  },
);

inBrowser(
  "a guest enters the emailed code after a reload, and continues after an outage",
  async (page, open) => {
    const { token, email } = await acceptedGuest("Reloaded");
    await open(token);
    const form = accountForm(page);
    await form.requestCode();
    await page.reload();
    await form.button("Create account").click();
    await form.button("Enter code").click();
    assert.equal(await form.code.isVisible(), false); // the password is required
    await form.password.fill("short");
    await form.button("Enter code").click();
    await page.route("**/auth/v1/verify", (route) => route.abort());
    await form.confirm((await codes(stackInfo, email))[0]);
    await form.error("Can't reach the server. Please try again.");
    await page.unroute("**/auth/v1/verify");
    const tooMany = { code: "over_request_rate_limit", message: "Request rate limit reached" };
    await page.route("**/auth/v1/verify", (route) => route.fulfill({ status: 429, json: tooMany }));
    await form.button("Confirm address").click();
    await form.error("Too many tries. Please wait five minutes, then try again.");
    await page.unroute("**/auth/v1/verify");
    await form.button("Confirm address").click();
    await form.error("Password should be at least 6 characters."); // the address is confirmed, the password is not stored
    await form.status.getByText("Your address is confirmed. Choose another password.").waitFor();
    await page.route("**/api/guests/episode", (route) => route.abort());
    await form.password.fill("another horse");
    await form.button("Create account").click();
    await form.error("Can't reach the server. Please try again.");
    await page.unroute("**/api/guests/episode");
    await form.button("Create account").click();
    await form.status.getByText("Your account is ready.").waitFor();
    assert.equal((await client().auth.signInWithPassword({ email, password: "another horse" })).error, null);
    assert.equal((await codes(stackInfo, email)).length, 1);
  },
);

inBrowser(
  "the guest page shows no form before an answer or after declining, nor when the address has an account",
  async (page, open) => {
    const { token, email } = await newGuest("Answers");
    await open(token);
    await page.getByText("Hi Gus").waitFor();
    const form = accountForm(page);
    assert.equal(await form.section.isVisible(), false);
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await form.button("Create account").waitFor();
    await form.button("Create account").click();
    await admin.createUser({ email, password: "created elsewhere", email_confirm: true });
    await form.password.fill(PASSWORD);
    await form.button("Create account").click();
    await form.status.getByText("If this address already has an account, no code is sent.").waitFor();
    assert.deepEqual(await codes(stackInfo, email), []);
    await client().auth.signInWithOtp({ email }); // its code is of another kind
    await form.confirm((await codes(stackInfo, email))[0]);
    await form.error("This code is wrong or has expired.");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await form.status.getByText(`This invitation belongs to your account, ${email}.`).waitFor();
    await page.getByRole("button", { name: "Decline invitation" }).click();
    await page.getByText("You declined this invitation").waitFor();
    assert.equal(await form.section.isVisible(), false);
  },
);
