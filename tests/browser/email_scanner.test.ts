// Mail scanners open each link of each email before its reader, with HEAD, GET and a browser that clicks nothing. Nothing
// happens, except tracking and unsubscribing, which the reader can undo; then the reader's own act succeeds.
import assert from "node:assert/strict";
import {
  addMember,
  episode,
  newPerson,
  person,
  podcast,
  sendRequest,
  sql,
  stackInfo,
  waitFor,
} from "../http/harness.ts";
import { emailTo, newRule, newTemplate, publishNew, send } from "../http/api/automations.ts";
import { emailNumber, fieldsOf, openLink as openBookingLink, post, request } from "../http/api/bookings.ts";
import { byToken, emails, invite } from "../http/api/guest_email.ts";
import { emailsTo } from "../http/inbox.ts";
import { adminOf, clientOf, confirm, lastEmail, newAddress, PASSWORD, signedIn } from "../parity/auth/setup.ts";
import { inBrowser, type Page } from "./guest_page.ts";
import { serveAtSite } from "./sign_in_page.ts";

/** An email that a reader got, the rows that its links must not change, and the reader's own act. */
interface Opened {
  html: string;
  text: string;
  state: () => Promise<unknown>;
  act: () => Promise<unknown>;
}

const rowsOf = (table: string, column: string, value: string) => async () =>
  // what tracking reports shows in email_status
  (await sql`select to_jsonb(t) - '{last_accessed_at,email_status,updated_at}'::text[] as row from ${
    sql(table)
  } t where ${sql(column)} = ${value}`)
    .map(({ row }) => row);

/** Auth's user, and the sessions, of an address. */
const userOf = (email: string) => async () => [
  ...await sql`select to_jsonb(u) as row, (select count(*)::int from auth.sessions s where s.user_id = u.id) as sessions
    from auth.users u where ${email} in (u.email, u.email_change)`,
];

async function authEmail(email: string, state = userOf(email)): Promise<Opened> {
  const message = await lastEmail(stackInfo, email), [{ HTML, Text }] = (await emailsTo(email)).slice(-1);
  const act = async () => {
    const { error } = await confirm(clientOf(stackInfo), message, "link");
    assert.equal(error, null);
  };
  return { html: HTML, text: Text, state, act };
}

const tokenIn = (text: string) => /#token=([\w-]+)/.exec(text)![1];
const ok = async (response: Promise<{ status: number; text?: string }>) => {
  const { status, text } = await response;
  assert.equal(status, 200, text);
};

const show = await podcast("Scanned");
const kinds: Record<string, () => Promise<Opened>> = {
  "a sign-up": async () => {
    const email = newAddress().toLowerCase();
    await clientOf(stackInfo).auth.signUp({ email, password: PASSWORD });
    return await authEmail(email);
  },
  "a password reset": async () => {
    const { email } = await signedIn(stackInfo);
    await clientOf(stackInfo).auth.resetPasswordForEmail(email);
    return await authEmail(email);
  },
  "a sign-in": async () => {
    const { email } = await signedIn(stackInfo);
    await clientOf(stackInfo).auth.signInWithOtp({ email });
    return await authEmail(email);
  },
  "an invitation by an operator": async () => {
    const email = newAddress().toLowerCase();
    await adminOf(stackInfo).inviteUserByEmail(email);
    return await authEmail(email);
  },
  "a change of address, to the old one": async () => {
    const { email, client } = await signedIn(stackInfo);
    await client.auth.updateUser({ email: newAddress() });
    return await authEmail(email);
  },
  "a change of address, to the new one": async () => {
    const { client } = await signedIn(stackInfo), next = newAddress().toLowerCase();
    await client.auth.updateUser({ email: next });
    return await authEmail(next);
  },
  "a guest invitation": async () => {
    const guest = await invite(await episode(show));
    return {
      html: guest.sentEmail.html,
      text: guest.sentEmail.text,
      state: rowsOf("public.episode_guests", "id", guest.episodeGuestId),
      act: () => ok(byToken("/accept", guest.token)),
    };
  },
  "a chat message to a guest": async () => {
    const pilot = await episode(show), guest = await invite(pilot), member = await newPerson("writing");
    await addMember(show, member);
    await byToken("/accept", guest.token);
    const post = async (body: string) => {
      const { data } = await member.client.from("episode_messages").insert({ episode_id: pilot.id, body })
        .select("id").single();
      const json = { episodeId: pilot.id, messageId: data!.id };
      await sendRequest({ method: "POST", path: "/api/notifications/events/chat", json, as: member });
    };
    await post("Which platform?");
    await sql`update public.notification_deliveries set due_at = now()
      where status = 'pending' and episode_guest_id = ${guest.episodeGuestId}`;
    await sql`select private.enqueue_due_deliveries()`;
    const [, email] = await waitFor("the email arrives", async () => {
      const received = await emails(guest.email);
      return received.length > 1 ? received : undefined;
    });
    await waitFor("the email is recorded as sent", async () =>
      (await sql`select from public.notification_deliveries
        where status = 'queued' and episode_guest_id = ${guest.episodeGuestId}`).length === 0);
    await post("And when?"); // its email is not sent yet, and must not be canceled
    return {
      ...email,
      state: async () => [
        ...await sql`select id, read_at, archived_at from public.notifications
          where episode_guest_id = ${guest.episodeGuestId} order by id`,
        ...await sql`select id, status from public.notification_deliveries
          where episode_guest_id = ${guest.episodeGuestId} and status not in ('opened', 'sent', 'clicked') order by id`,
      ],
      act: () => ok(byToken("/messages/list", tokenIn(email.text))),
    };
  },
  "a team invitation": async () => {
    const name = `inviting-${crypto.randomUUID()}`, { id } = await podcast("Joined", name);
    const owner = await person(name), invited = await newPerson("invited");
    const { data } = await owner.client.rpc("invite_podcast_member", { podcast_id: id, email: invited.email });
    const [{ HTML, Text }] = await waitFor("the email arrives", async () => {
      const received = await emailsTo(invited.email, 'subject:"Join the team"');
      return received.length > 0 ? received : undefined;
    });
    return {
      html: HTML,
      text: Text,
      state: rowsOf("public.podcast_invitations", "id", data.id),
      act: () => ok(Promise.resolve(invited.client.rpc("accept_podcast_invitation", { invitation_id: data.id }))),
    };
  },
  "a booking": async () => {
    const fields = fieldsOf(await openBookingLink(show), 30), { body } = await request(fields);
    const { HTML, Text } = await emailNumber(1, fields.guestEmail);
    return {
      html: HTML,
      text: Text,
      state: rowsOf("public.bookings", "id", body.data.booking.id),
      act: () => ok(post("/guest/cancel", { accessToken: tokenIn(Text) })),
    };
  },
  "the confirmation of an address for automations": async () => {
    const email = `vera-${crypto.randomUUID()}@outside.test`;
    await newTemplate(show);
    const { body } = await send("POST", "/addresses", { podcast_id: show.id, email }, "admin");
    const { HTML, Text } = await emailNumber(1, email), json = { accessToken: tokenIn(Text) };
    return {
      html: HTML,
      text: Text,
      state: rowsOf("public.automation_addresses", "id", body.address.id),
      act: () => ok(sendRequest({ method: "POST", path: "/api/automations/addresses/confirm", json })),
    };
  },
  "an automation": async () => {
    const email = `vera-${crypto.randomUUID()}@outside.test`, template = await newTemplate(show);
    await sql`insert into public.automation_addresses (podcast_id, email, confirmed_at)
      values (${show.id}, ${email}, now())`;
    await newRule(show, { actions: [emailTo(email, template)] });
    await publishNew(show, `Scanned ${crypto.randomUUID()}`);
    const { HTML, Text } = await emailNumber(1, email), other = await podcast("Scanned as well");
    const isOff = async (podcastId: string) =>
      (await sql`select private.is_email_suppressed(${email}, 'automation.email', ${podcastId}) as off`)[0].off;
    const act = async () => {
      assert.equal(await isOff(show.id), true, "the exception: GET unsubscribes");
      const unsubscribe = linksIn({ html: HTML, text: Text }).find((url) => url.includes("/unsubscribe/"))!;
      const undone = await fetch(unsubscribe, { method: "POST", body: new URLSearchParams({ emails: "on" }) });
      await undone.body?.cancel();
      assert.deepEqual([undone.status, await isOff(show.id)], [200, false]);
    };
    return { html: HTML, text: Text, state: () => isOff(other.id), act };
  },
  "a notification": async () => {
    const name = `notified-${crypto.randomUUID()}`, { id } = await podcast("Notified", name), host = await person(name);
    const link = await host.client.rpc("create_booking_link", {
      podcast_id: id,
      name: "Interview",
      timezone: "UTC",
      min_notice_hours: 0,
      availability_rules: [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({
        dayOfWeek,
        startTime: "00:00",
        endTime: "24:00",
      })),
    });
    await request(fieldsOf(link.data.id, 30));
    const { HTML, Text } = await emailNumber(1, host.email);
    const state = async () => [
      ...await sql`select id, read_at, archived_at from public.notifications where user_id = ${host.id}`,
      ...await sql`select status from public.bookings where booking_link_id = ${link.data.id}`,
    ];
    const act = async () => {
      const isOn = async () =>
        (await sql`select email_new_booking as on from public.notification_preferences where user_id = ${host.id}`)[0]
          .on;
      const unsubscribe = linksIn({ html: HTML, text: Text }).find((url) => url.includes("/unsubscribe/"))!;
      assert.equal(await isOn(), false, "the exception: GET unsubscribes");
      const page = await (await fetch(unsubscribe)).text();
      const [, value] = /name="emails" value="(\w+)"/.exec(page)!;
      const undone = await fetch(unsubscribe, { method: "POST", body: new URLSearchParams({ emails: value }) });
      await undone.body?.cancel();
      assert.deepEqual([undone.status, value, await isOn()], [200, "on", true]);
    };
    return { html: HTML, text: Text, state, act };
  },
};

/** The links and images of an email, once each. */
function linksIn({ html, text }: { html: string; text: string }): string[] {
  const inHtml = [...html.matchAll(/(?:href|src)="(https?:[^"]*)"/g)].map(([, url]) => url.replaceAll("&amp;", "&"));
  return [...new Set([...inHtml, ...text.match(/https?:\/\/[^\s)]+/g) ?? []])];
}

const TRACKED = /\/api\/notifications\/email\/(open|click|unsubscribe)\/[\w-]+$/;

/** Opens a link twice in each way. Pages of other servers are served as the front end's. */
async function scan(page: Page, url: string) {
  const [address] = url.split("#");
  for (const _ of [1, 2]) {
    if (url.startsWith(stackInfo.url)) {
      for (const method of ["HEAD", "GET"]) {
        const response = await fetch(address, { method, redirect: "manual" });
        await response.body?.cancel();
      }
    }
    await page.goto("about:blank"); // a new tab
    await page.goto(url, { waitUntil: "networkidle" });
  }
}

for (const [kind, send] of Object.entries(kinds)) {
  inBrowser(
    `the links in the email of ${kind} do nothing when scanners open them, and then serve the reader`,
    async (page) => {
      const { html, text, state, act } = await send(), before = await state(), links = linksIn({ html, text });
      assert.ok(links.length > 0);
      await serveAtSite(page);
      for (const url of links) {
        const { pathname, search } = new URL(url);
        assert.ok(
          TRACKED.test(pathname) || !/[\w-]{40}/.test(pathname + search),
          `a server learns the secret of ${url}`,
        );
        await scan(page, url);
      }
      assert.deepEqual(await state(), before);
      await act();
    },
  );
}
