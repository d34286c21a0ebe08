/**
 * The service worker of push.html: shows push messages, and reports clicks. Serve it from the folder of the pages that it
 * opens. The page registers it with the address of the API: push_worker.js?api=https://…/functions/v1/api
 */
const api = new URL(location.href).searchParams.get("api");

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("push", (event) => event.waitUntil(show(event.data.json())));

/** Replaces what is shown of the same conversation or booking; silently, if the same message arrives twice. */
async function show({ title, body, tag, deliveryId, notificationId, url }) {
  const [shown] = await registration.getNotifications({ tag });
  const renotify = Boolean(shown) && shown.data.deliveryId !== deliveryId;
  const data = { deliveryId, notificationId, url };
  await registration.showNotification(title, { body: body ?? "", tag, renotify, data });
}

addEventListener("notificationclick", (event) => {
  const { deliveryId, notificationId, url } = event.notification.data;
  event.notification.close();
  event.waitUntil(Promise.all([openPage(url), reportClick({ deliveryId, notificationId })]));
});

/** Shows the page in the tab that has it, else in a new one. */
async function openPage(url) {
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find((tab) => tab.url === url);
  await (tab ? tab.focus() : clients.openWindow(url));
}

/** Needs no token. A click that cannot be reported is lost. */
async function reportClick(ids) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(ids);
  await fetch(`${api}/notifications/push/click`, { method: "POST", headers, body, keepalive: true }).catch(() => {});
}
