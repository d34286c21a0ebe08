// A locked feed: its owner's consent by a code, by a token in the feed, or by unlocking it.
import assert from "node:assert/strict";
import { assertError, assertKeys, person, podcast, sql, waitFor } from "../harness.ts";
import { emailsTo } from "../inbox.ts";
import { newUserName } from "./images.ts";
import {
  type As,
  BASE,
  codes,
  done,
  emailedCode,
  episodes,
  type Feed,
  feed,
  get,
  locked,
  newAddress,
  ownerEmail,
  post,
  serving,
  start,
} from "./imports.ts";

/** Of a code that is not `code`. */
const other = (code: string, n = 1) => String((Number(code) + n) % 1_000_000).padStart(6, "0");

/** An import of a locked feed that does not move. */
async function waiting(from: Feed, title = "Locked") {
  const show = await podcast(title, newUserName("locked"));
  const data = done(await start(show, from.url));
  assert.equal(data.status, "verification_required");
  return { show, id: data.importId as string, data };
}

const byCode = (email: string) => feed(episodes(3), locked(email));
const statusOf = async (id: string) => done(await get(id)).status;
const verify = (id: string, code: unknown, as?: As) => post(id, "verify-ownership", { code }, as);

Deno.test("POST verify-ownership moves an import to preview with the emailed code", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const data = done(await verify(id, await emailedCode(email)));
  assert.equal(data.status, "preview");
  const { status, verification_method, total_items } = done(await get(id));
  assert.deepEqual([status, verification_method, total_items], ["preview", null, 3]);
});

Deno.test("the ownership email names the feed, the podcast and the expiry", async () => {
  const email = newAddress(), title = `<i>"Moved"</i>`;
  await using from = await serving(byCode(email));
  await waiting(from, title);
  const code = await emailedCode(email), [mail] = await emailsTo(email);
  assert.equal(mail.Subject, `Your verification code for ${title}`);
  for (const part of [mail.Text, mail.HTML].map((part) => part.replaceAll("\u2060", ""))) {
    assert.ok(part.includes(code) && part.includes(from.source.host), part);
  }
  for (const part of [mail.Text, mail.HTML]) {
    assert.ok(!part.includes(from.source.host), "the feed's URL is not a link");
  }
  assert.match(mail.Text, /^The code expires at \d?\d:\d\d [AP]M \(UTC\)\./m);
  assert.match(mail.HTML, /&lt;i&gt;/);
  assert.doesNotMatch(mail.HTML, /<i>/);
});

Deno.test("POST verify-ownership returns INVALID for wrong codes and LOCKED_OUT for the right one after five", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const code = await emailedCode(email);
  for (const n of [1, 2, 3, 4]) assertError(await verify(id, other(code, n)), 400, { code: "INVALID" });
  const [last] = [await verify(id, other(code, 5))];
  assert.equal(last.status, 400);
  assert.ok(["INVALID", "LOCKED_OUT"].includes(last.body.code), last.text);
  assertError(await verify(id, code), 400, { code: "LOCKED_OUT" });
  assert.equal(await statusOf(id), "verification_required");
});

Deno.test("POST verify-ownership counts concurrent wrong codes", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const code = await emailedCode(email);
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => verify(id, other(code, n))));
  assertError(await verify(id, code), 400, { code: "LOCKED_OUT" });
});

Deno.test("POST verify-ownership returns EXPIRED after fifteen minutes", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const code = await emailedCode(email);
  const [{ minutes }] = await sql`
    select extract(epoch from code_expires_at - issued_at)::int / 60 as minutes
    from private.import_owner_verifications where import_id = ${id}`;
  assert.equal(minutes, 15);
  await sql`update private.import_owner_verifications set code_expires_at = now() where import_id = ${id}`;
  assertError(await verify(id, code), 400, { code: "EXPIRED" });
  assert.equal(await statusOf(id), "verification_required");
});

Deno.test("POST verify-ownership returns 400 for a code that is not six digits", async () => {
  await using from = await serving(byCode(newAddress()));
  const { id } = await waiting(from);
  for (
    const code of [undefined, null, 123456, "", "12345", "1234567", "12345a", " 12345", "１２３４５６", "123456\n"]
  ) {
    assertError(await verify(id, code), 400, { details: /^code/ });
  }
});

Deno.test("neither the database nor the queue contains the ownership code", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const code = await emailedCode(email);
  const [{ found }] = await sql`
    select exists (select from private.import_owner_verifications o where o.import_id = ${id} and (o::text like ${`%${code}%`}
        or o.code_hash = sha256(convert_to(${code}, 'UTF8'))))
      or exists (select from public.podcast_imports i where i.id = ${id} and i::text like ${`%${email}%`})
      or exists (select from pgmq.q_ownership_codes q where q.message::text like ${`%${code}%`}) as found`;
  assert.equal(found, false);
});

Deno.test("POST resend-code works once a minute, invalidates the previous code and resets the attempts", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const first = await emailedCode(email);
  for (const n of [1, 2, 3, 4]) assertError(await verify(id, other(first, n)), 400, { code: "INVALID" });
  const { status, method, ownerEmail } = done(await post(id, "resend-code"));
  assert.deepEqual([status, method, ownerEmail], ["verification_required", "email_code", "o***@f***.test"]);
  assertError(await post(id, "resend-code"), 429, { rate_limit_reset_at: /^\d{4}-.+Z$/, code: "RATE_LIMITED" });
  const second = await emailedCode(email, 2);
  if (second !== first) assertError(await verify(id, first), 400, { code: "INVALID" });
  assertError(await verify(id, other(second)), 400, { code: "INVALID" });
  assert.equal(done(await verify(id, second)).status, "preview");
  assertError(await post(id, "resend-code"), 409);
  assertError(await verify(id, second), 409);
});

/** Backdates the last ownership code of this import by a minute, for the rate limits. */
const aMinuteLater = (id: string) =>
  sql`update private.rate_limits set window_started_at = window_started_at - interval '1 minute' where key like ${`%${id}%`}`;

Deno.test("POST resend-code returns 429 for a sixth code in an hour", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  await emailedCode(email);
  let sent = 0;
  for (; sent < 8; sent++) {
    await aMinuteLater(id);
    const response = await post(id, "resend-code");
    if (response.status === 429) {
      assertError(response, 429, { rate_limit_reset_at: /Z$/, code: "RATE_LIMITED" });
      break;
    }
    done(response);
  }
  assert.equal(sent, 5);
});

Deno.test("strangers who spend codes and tries keep no owner from importing their locked feed", async () => {
  const names = { owner: newUserName("owner"), attacker: newUserName("attacker") };
  const [owner, attacker] = [await person(names.owner), await person(names.attacker)];
  await using from = await serving(byCode(owner.email));
  const theirs = await podcast("Theirs", names.attacker);
  for (let n = 0; n < 10; n++) {
    const { importId, method } = done(await start(theirs, from.url, attacker));
    assert.equal(method, "email_code");
    if (n < 4) {
      const code = await emailedCode(owner.email, n + 1);
      for (const guess of [1, 2, 3, 4, 5]) {
        assertError(await verify(importId, other(code, guess), attacker), 400, { code: "INVALID" });
      }
    }
    done(await post(importId, "cancel", undefined, attacker));
  }

  const { importId: eleventh, ...rest } = done(await start(theirs, from.url, attacker));
  assertKeys(rest, "status", "method", "totalItems", "verificationToken");
  assert.deepEqual([rest.status, rest.method], ["verification_required", "feed_recheck"]);
  assertError(await post(eleventh, "recheck-feed", undefined, attacker), 400, { code: "STILL_LOCKED" });

  const { importId, method } = done(await start(await podcast("Own", names.owner), from.url, owner));
  assert.equal(method, "email_code");
  const ownEmail = async () => (await emailsTo(owner.email)).find(({ Subject }) => Subject.endsWith(" Own"));
  await waitFor("the owner's code comes", async () => await ownEmail() !== undefined);
  const [code] = /^\d{6}(?=\r?$)/m.exec((await ownEmail())!.Text)!;
  assert.equal(done(await verify(importId, code, owner)).status, "preview");
});

Deno.test("POST resend-code returns 429 with the time over the caller's budget for an owner", async () => {
  const name = newUserName("sender"), sender = await person(name), email = newAddress();
  await using from = await serving(byCode(email));
  const { importId } = done(await start(await podcast("Resent", name), from.url, sender));
  await emailedCode(email);
  await sql`
    update private.rate_limits set request_count = 10
    where key = private.email_rate_limit_key('emails', ${`user:${sender.id}/${email}`})`;
  const response = await post(importId, "resend-code", undefined, sender);
  assertError(response, 429, { rate_limit_reset_at: /^\d{4}-.+Z$/, code: "RATE_LIMITED" });
  assert.ok(Date.parse(response.body.rate_limit_reset_at) > Date.now() + 23 * 3_600_000, response.text);
  assert.equal((await codes(email)).length, 1);
});

Deno.test("POST recheck-feed moves an import to preview when the feed is unlocked", async () => {
  for (const owner of [newAddress(), undefined]) {
    await using from = await serving(feed(episodes(2), locked(owner)));
    const { id } = await waiting(from);
    from.setText(feed(episodes(2)));
    const data = done(await post(id, "recheck-feed"));
    assert.equal(data.status, "preview");
    const { status, is_locked_source, verification_method } = done(await get(id));
    assert.deepEqual([status, is_locked_source, verification_method], ["preview", false, null]);
  }
});

Deno.test("POST recheck-feed bypasses caches", async () => {
  await using from = await serving(feed(episodes(2), locked()));
  const { id } = await waiting(from);
  for (let n = 0; n < 2; n++) assertError(await post(id, "recheck-feed"), 400, { code: "STILL_LOCKED" });
  const paths = from.source.requests.map((request) => /^GET (\S+)/.exec(request)![1]);
  assert.equal(paths.length, 3);
  assert.equal(new Set(paths).size, 3, `${paths}`);
  for (const path of paths.slice(1)) assert.match(path, /^\/feed\.xml\?show=1&castbase=[\w-]{36}$/);
});

Deno.test("POST recheck-feed keeps the query of a signed URL", async () => {
  await using from = await serving(feed(episodes(1), locked()));
  for (const query of ["?flag&by=a%20b+c&for=x%2Fy~z*(1)&Sig=AbC%2b%3D%3D", ""]) {
    const show = await podcast("Signed", newUserName("signed"));
    const { importId } = done(await start(show, `${from.source.url}feed${query}`));
    assertError(await post(importId, "recheck-feed"), 400, { code: "STILL_LOCKED" });
    const [first, again] = from.source.requests.slice(-2).map((request) => /^GET (\S+)/.exec(request)![1]);
    assert.equal(first, `/feed${query}`);
    assert.equal(again.replace(/castbase=[\w-]{36}$/, ""), `${first}${query ? "&" : "?"}`);
  }
});

Deno.test("POST recheck-feed accepts the token in any podcast:txt and keeps the source locked", async () => {
  for (const txt of [`<podcast:txt purpose="verify">TOKEN</podcast:txt>`, "<podcast:txt>so: TOKEN </podcast:txt>"]) {
    await using from = await serving(feed(episodes(2), locked()));
    const { id, data: { verificationToken } } = await waiting(from);
    from.setText(feed(episodes(2), locked() + txt.replace("TOKEN", `castbase-verify-${crypto.randomUUID()}`)));
    assertError(await post(id, "recheck-feed"), 400, { code: "STILL_LOCKED" });
    from.setText(feed(episodes(2), locked() + txt.replace("TOKEN", verificationToken)));
    assert.equal(done(await post(id, "recheck-feed")).status, "preview");
    const { is_locked_source, verification_method } = done(await get(id));
    assert.deepEqual([is_locked_source, verification_method], [true, null]);
  }
});

Deno.test("POST recheck-feed emails a code to an owner email that appeared in the feed", async () => {
  const email = newAddress();
  await using from = await serving(feed(episodes(2), locked()));
  const { id } = await waiting(from);
  from.setText(feed(episodes(2), locked() + ownerEmail(email)));
  const data = done(await post(id, "recheck-feed"));
  assert.deepEqual([data.status, data.method, data.ownerEmail], [
    "verification_required",
    "email_code",
    "o***@f***.test",
  ]);
  assert.equal(done(await verify(id, await emailedCode(email))).status, "preview");
});

Deno.test("POST recheck-feed checks the lock, then the token, then the owner email", async () => {
  const email = newAddress();
  await using from = await serving(feed(episodes(2), locked()));
  const { id, data: { verificationToken } } = await waiting(from);
  from.setText(feed(episodes(2), locked(email) + `<podcast:txt>${verificationToken}</podcast:txt>`));
  assert.equal(done(await post(id, "recheck-feed")).status, "preview");
  assert.deepEqual(await codes(email), []);
});

Deno.test("POST recheck-feed returns STILL_LOCKED when the owner email changes after a code was sent", async () => {
  const [email, another] = [newAddress(), newAddress()];
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const code = await emailedCode(email);
  from.setText(byCode(another));
  assertError(await post(id, "recheck-feed"), 400, { code: "STILL_LOCKED" });
  assert.deepEqual(await codes(another), []);
  assert.equal(done(await verify(id, code)).status, "preview");
});

Deno.test("POST recheck-feed returns NOT_APPLICABLE for an import that is not waiting for verification", async () => {
  await using from = await serving(feed(episodes(2)));
  const { importId: id } = done(await start(await podcast("Open", newUserName("open")), from.url));
  assertError(await post(id, "recheck-feed"), 400, { code: "NOT_APPLICABLE" });
  assert.equal(from.source.requests.length, 1);
  done(await post(id, "cancel"));
  assertError(await post(id, "recheck-feed"), 400, { code: "NOT_APPLICABLE" });
});

Deno.test("POST recheck-feed returns the feed's error and keeps the import waiting", async () => {
  await using from = await serving(feed(episodes(2), locked()));
  const { id } = await waiting(from);
  from.setText("<!doctype html><html><body>Moved</body></html>");
  assertError(await post(id, "recheck-feed"), 400, { code: "NOT_XML" });
  assert.equal(await statusOf(id), "verification_required");
});

Deno.test("canceling and resuming an import does not bypass the proof of ownership", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const code = await emailedCode(email);
  assertError(await post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: null }), 400, {
    code: "NOT_IN_PREVIEW",
  });
  done(await post(id, "cancel"));
  const { status } = done(await post(id, "resume"));
  assert.notEqual(status, "preview");
  assert.equal(await statusOf(id), "verification_required");
  await waitFor("the code counts still", async () => (await verify(id, code)).status === 200);
  assertKeys(done(await post(id, "cancel")), "status");
  assert.ok(BASE);
});
