// Opens docs/examples/sign-in.html for a test, also as the page of a link in Auth's emails.
import assert from "node:assert/strict";
import { startHttpServer } from "../http_server.ts";
import { stackInfo } from "../http/harness.ts";
import { backdateUser, clientOf, newAddress, SITE } from "../parity/auth/setup.ts";
import type { StackInfo } from "../stack.ts";
import { configured, read, serveLibrary } from "./example_page.ts";
import type { Page } from "./guest_page.ts";

export const source = await read("docs/examples/sign-in.html");
const script = await read("docs/examples/captcha.js");
const style = await read("docs/examples/example.css"), linked = await read("docs/examples/auth/confirm/index.html");

export interface Captcha {
  provider: "turnstile" | "hcaptcha";
  siteKey: string;
  scriptUrl: string;
}

export const without: Captcha = { provider: "turnstile", siteKey: "", scriptUrl: "" };

/** The page with this configuration, for a browser that has a local copy of the CDN's module. */
async function prepare(page: Page, { url, publishableKey }: StackInfo, captcha: Captcha) {
  const html = configured(source, { url, publishableKey, captcha });
  await serveLibrary(page, source);
  const files = new Map([
    ["/captcha.js", [script, "text/javascript"]],
    ["/example.css", [style, "text/css"]],
    ["/auth/confirm/", [linked, "text/html"]],
  ]);
  return (path: string) => files.get(path) ?? [html, "text/html"];
}

/** Opens the page as a web server would deliver it. */
export async function open(page: Page, at: StackInfo, captcha: Captcha) {
  const fileAt = await prepare(page, at, captcha);
  const server = startHttpServer((request) => {
    const [text, type] = fileAt(new URL(request.url).pathname);
    return new Response(text, { headers: { "content-type": type } });
  });
  await page.goto(server.url);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  return server;
}

/** Serves the page at the shared stack's site_url. */
export async function serveAtSite(page: Page) {
  const fileAt = await prepare(page, stackInfo, without);
  await page.route(`${SITE}/**`, (route) => {
    const [body, contentType] = fileAt(new URL(route.request().url()).pathname);
    return route.fulfill({ body, contentType });
  });
}

/** Opens the page that an email of Auth links to, at this server. */
export async function openLink(page: Page, { url }: { url: string }, { page: link }: { page: string }) {
  await page.goto("about:blank"); // a new tab
  await page.goto(link.replace(`${SITE}/auth/confirm#`, `${url}/auth/confirm/#`));
}

/** An address with which another person has signed up, before its owner. */
export async function signedUpByAnother() {
  const email = newAddress().toLowerCase();
  const data = { display_name: "The other person", full_name: "The other person" };
  await clientOf(stackInfo).auth.signUp({ email, password: THEIRS, options: { data } });
  await backdateUser(stackInfo, email, 2);
  return email;
}

export const THEIRS = "of another person 1", NEW = "my own password 1";

/** Fills in what the owner of an address chooses. */
export async function choose(page: Page, password = NEW) {
  await field(page, "Your name").fill("Ola");
  await field(page, "New password").fill(password);
}

/** Only the owner's password works, and nothing has the other person's name. */
export async function assertOwned(email: string) {
  const signIn = (password: string) => clientOf(stackInfo).auth.signInWithPassword({ email, password });
  assert.equal((await signIn(THEIRS)).error?.code, "invalid_credentials");
  const client = clientOf(stackInfo), { data } = await client.auth.signInWithPassword({ email, password: NEW });
  assert.doesNotMatch(JSON.stringify(data.user!.user_metadata), /other person/);
  const profile = await client.from("profiles").select("display_name").eq("id", data.user!.id).single();
  assert.equal(profile.data!.display_name, "Ola");
}

/** The request to set the password fails. */
export const failToSetPassword = (page: Page) =>
  page.route(
    "**/auth/v1/user",
    (route) => route.request().method() === "PUT" ? route.fulfill({ status: 503 }) : route.continue(),
  );

export const field = (page: Page, label: string) => page.locator("form:visible").getByLabel(label);
export const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

export async function fill(page: Page, email: string, password?: string) {
  await field(page, "Email address").fill(email);
  if (password) await field(page, "Password").fill(password);
}
