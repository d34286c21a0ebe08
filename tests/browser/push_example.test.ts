// docs/examples/push.html and its service worker in Chromium. Headless, it has neither a push service nor notifications:
// the page gets its subscription from the push service of the test, DevTools deliver the decrypted message to the
// service worker, and the test keeps what the worker would show.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { newPerson, type Person, sql, stackInfo } from "../http/harness.ts";
import { startHttpServer } from "../http_server.ts";
import { type Browser, listPushService, startPushService } from "../push/push_service.ts";
import { waitFor } from "../wait_for.ts";
import { assertNamesLocalStack, configured, read, serveLibrary } from "./example_page.ts";
import { inBrowser, type Page } from "./guest_page.ts";

const source = await read("docs/examples/push.html"), script = await read("docs/examples/push_worker.js");
const style = await read("docs/examples/example.css");
const { VAPID_PRIVATE_KEY, VAPID_SUBJECT } = JSON.parse(await read("supabase/local/functions.json"));

const { sendPush } = await withEnvironment(
  { ...UNREACHABLE_ENV, SUPABASE_DB_URL: stackInfo.dbUrl, VAPID_PRIVATE_KEY, VAPID_SUBJECT },
  () => import("../../functions/push/send_push.ts"),
);
const service = startPushService();
await listPushService(sql, service);

Deno.test("the example of push messages names the local stack and this project's version of supabase-js", async () => {
  await assertNamesLocalStack(source);
});

/** Replaces what headless Chromium lacks: the push service by that of the test, and the permission. */
const pushManager = (subscription: Browser["subscription"]) => `
  Object.defineProperty(Notification, "permission", { get: () => localStorage.getItem("permission") ?? "granted" });
  Notification.requestPermission = async () => Notification.permission;
  const subscription = ${JSON.stringify(subscription)};
  const toBytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0)).buffer;
  let current = JSON.parse(localStorage.getItem("subscribed"));
  const made = () => current && {
    ...subscription,
    options: { applicationServerKey: toBytes(current) },
    toJSON: () => subscription,
    async unsubscribe() {
      current = null;
      localStorage.removeItem("subscribed");
    },
  };
  PushManager.prototype.getSubscription = async () => made();
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    if (!userVisibleOnly) throw new Error("a silent subscription");
    localStorage.setItem("subscribed", JSON.stringify(current = applicationServerKey));
    return made();
  };
`;

interface Opened extends AsyncDisposable {
  url: string;
  browser: Browser;
}

/** Opens the page as a web server would deliver it, signed in as the user. */
async function open(page: Page, user: Person, browser = service.subscribe()): Promise<Opened> {
  const { url, publishableKey } = stackInfo;
  const files = new Map([
    ["/push.html", [configured(source, { url, publishableKey }), "text/html"]],
    ["/push_worker.js", [script, "text/javascript"]],
    ["/example.css", [style, "text/css"]],
  ]);
  const server = startHttpServer((request) => {
    const [text, type] = files.get(new URL(request.url).pathname) ?? ["<title>Another page</title>", "text/html"];
    return new Response(text, { headers: { "content-type": type } });
  });
  await serveLibrary(page, source);
  await page.addInitScript(pushManager(browser.subscription));
  await page.goto(`${server.url}/other`);
  await signIn(page, user);
  await page.goto(`${server.url}/push.html`);
  return { url: server.url, browser, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** From the next page load on. */
async function signIn(page: Page, user: Person) {
  const { data: { session } } = await user.client.auth.getSession();
  const key = `sb-${new URL(stackInfo.url).hostname.split(".")[0]}-auth-token`;
  await page.evaluate(`localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(JSON.stringify(session))})`);
}

const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const sees = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

/** The caller's subscriptions: endpoint and whether it is active. */
async function subscriptionsOf(user: Person) {
  const rows = await sql`select endpoint, is_active from public.push_subscriptions where user_id = ${user.id}
    order by created_at`;
  return rows.map(({ endpoint, is_active }) => [endpoint, is_active]);
}

/** A push delivery about a new notification with this link. */
async function sendTo(user: Person, link: string) {
  const [{ id }] = await sql`
    with notification as (
      insert into public.notifications (user_id, type, category, priority, title, body, link)
      values (${user.id}, 'import.failed', 'system', 'immediate', 'Ada in Night Trains', 'Are you there?', ${link})
      returning id)
    insert into public.notification_deliveries (notification_id, user_id, type, channel, priority, status)
    select n.id, ${user.id}, 'import.failed', 'push', 'immediate', 'queued' from notification n returning id`;
  await sendPush(id);
  return id as string;
}

/** Delivers a message to the page's service worker, as a push service would. */
async function deliver(page: Page, origin: string, payload: unknown) {
  const devTools = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) =>
    devTools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
      if (found) resolve(found.registrationId);
    })
  );
  await devTools.send("ServiceWorker.enable");
  const message = { origin, registrationId: await registration, data: JSON.stringify(payload) };
  await devTools.send("ServiceWorker.deliverPushMessage", message);
  await devTools.detach();
}

/** Keeps the notifications of the service worker by their tags, counts them, and keeps the pages that it opens. */
const NOTIFICATIONS = `
  self.shown = {};
  self.count = 0;
  self.opened = [];
  registration.getNotifications = async ({ tag }) => Object.values(shown).filter((one) => one.tag === tag);
  registration.showNotification = async (title, options) => {
    shown[options.tag] = { title, ...options, close: () => delete shown[options.tag] };
    count++;
  };
  clients.openWindow = async (url) => void opened.push(url);
`;

inBrowser("the push example shows a message that was sent to the browser, and reports the click", async (page) => {
  const user = await newPerson("push-example");
  await using opened = await open(page, user);
  const { browser, url } = opened;
  await click(page, "Turn on notifications");
  await sees(page, "This device now gets notifications.");
  await sees(page, "This device");
  await page.locator("main:not([aria-busy=true]) h1:focus").waitFor(); // the focused button is hidden now
  assert.deepEqual(await subscriptionsOf(user), [[browser.subscription.endpoint, true]]);

  const id = await sendTo(user, "/chat"), [{ payload }] = browser.messages;
  const message = { ...payload, url: `${url}/chat` };
  const [worker] = page.context().serviceWorkers(), tag = String(payload.notificationId);
  await worker.evaluate(NOTIFICATIONS);
  for (const _ of [1, 2]) await deliver(page, url, message); // once more, after a lost response
  await waitFor("both notifications", () => worker.evaluate("count === 2"));
  assert.deepEqual(await worker.evaluate("JSON.parse(JSON.stringify(shown))"), {
    [tag]: {
      title: "Ada in Night Trains",
      body: "Are you there?",
      tag,
      renotify: false,
      data: { deliveryId: id, notificationId: tag, url: `${url}/chat` },
    },
  });
  await worker.evaluate(`
    const [notification] = Object.values(shown);
    dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil() {} }));`);
  const status = async () =>
    (await sql`select status from public.notification_deliveries where id = ${id}`)[0].status as string;
  await waitFor("the click", async () => await status() === "clicked");
  assert.deepEqual(await worker.evaluate("[shown, opened]"), [{}, [`${url}/chat`]]);
});

inBrowser("the push example turns notifications off, removes devices, and ends them with the session", async (page) => {
  const user = await newPerson("push-example-off");
  await using opened = await open(page, user);
  const { endpoint } = opened.browser.subscription;
  await click(page, "Turn on notifications");
  await click(page, "Turn off notifications");
  await sees(page, "This device no longer gets notifications.");
  assert.deepEqual(await subscriptionsOf(user), [[endpoint, false]]);

  await user.client.rpc("add_push_subscription", {
    subscription: service.subscribe().subscription,
    device_label: "Old phone",
  }).throwOnError();
  await page.reload();
  await sees(page, "Not notified yet");
  await click(page, "Remove Old phone");
  await page.getByText("Old phone").waitFor({ state: "detached" });

  await click(page, "Turn on notifications");
  await sees(page, "This device");
  await click(page, "Sign out");
  await sees(page, "You are signed out.");
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  assert.deepEqual((await subscriptionsOf(user)).map(([, isActive]) => isActive), [false, false]);
});

inBrowser("the push example registers a browser again that the service lost, without a click", async (page) => {
  const user = await newPerson("push-example-back");
  await using opened = await open(page, user);
  const { endpoint } = opened.browser.subscription;
  await click(page, "Turn on notifications");
  await sees(page, "This device");
  await sql`delete from public.push_subscriptions where user_id = ${user.id}`;
  await page.reload();
  await sees(page, "This device");
  assert.deepEqual(await subscriptionsOf(user), [[endpoint, true]]);
});

inBrowser(
  "the push example ends another user's notifications, and registers the next user on a click",
  async (page) => {
    const [user, other] = [await newPerson("push-example-first"), await newPerson("push-example-next")];
    await using opened = await open(page, user);
    const { endpoint } = opened.browser.subscription;
    await click(page, "Turn on notifications");
    await sees(page, "This device");
    await signIn(page, other);
    await page.reload();
    await page.getByRole("button", { name: "Turn on notifications", exact: true }).waitFor();
    assert.deepEqual(await subscriptionsOf(other), [], "the permission of the first user is none of the next one");
    assert.equal(await page.evaluate(`localStorage.getItem("subscribed")`), null, "the first user's messages end here");
    await click(page, "Turn on notifications");
    await sees(page, "This device");
    assert.deepEqual([await subscriptionsOf(user), await subscriptionsOf(other)], [[], [[endpoint, true]]]);
    await signIn(page, user);
    await page.reload();
    await page.getByRole("button", { name: "Turn on notifications", exact: true }).waitFor();
    assert.deepEqual(await subscriptionsOf(other), [[endpoint, true]], "a page load moves no subscription");
  },
);

inBrowser("the push example stays off on a device that its user removed on another one", async (page) => {
  const user = await newPerson("push-example-elsewhere");
  await using opened = await open(page, user);
  const { endpoint } = opened.browser.subscription;
  await click(page, "Turn on notifications");
  await sees(page, "This device");
  await user.client.rpc("remove_push_subscription", { endpoint }).throwOnError();
  await page.reload();
  await page.getByRole("button", { name: "Turn on notifications", exact: true }).waitFor();
  assert.deepEqual(await subscriptionsOf(user), [[endpoint, false]]);
  assert.equal(await page.evaluate(`localStorage.getItem("subscribed")`), null);
});

inBrowser("the push example makes another subscription after the installation's key has changed", async (page) => {
  const user = await newPerson("push-example-key");
  await using _opened = await open(page, user);
  await page.evaluate(`localStorage.setItem("subscribed", JSON.stringify("BAAA"))`);
  await page.reload();
  await click(page, "Turn on notifications");
  await sees(page, "This device now gets notifications.");
});

inBrowser("the push example explains blocked notifications, and asks users to sign in", async (page) => {
  const user = await newPerson("push-example-blocked");
  await using opened = await open(page, user);
  await page.evaluate(`localStorage.setItem("permission", "denied")`);
  await page.reload();
  await sees(page, "Notifications are blocked. Please allow them for this site in your browser's settings.");
  assert.equal(await page.getByRole("button", { name: "Turn on" }).count(), 0);
  await page.evaluate("localStorage.clear()");
  await page.goto(`${opened.url}/push.html`);
  await page.getByRole("link", { name: "Sign in" }).waitFor();
});
