// Radicale and Xandikos, which pip installs into .cache: what real CalDAV servers send.
import assert from "node:assert/strict";
import { join } from "node:path";
import { CalendarError } from "../../functions/calendars/calendar_error.ts";
import { discoverCalendars, readCaldavBusy } from "../../functions/calendars/caldav/caldav.ts";
import { freePort } from "../../local/host/ports.ts";
import { waitFor } from "../wait_for.ts";
import { pythonPackages } from "./python_packages.ts";

const { isInstalled, missing, bin } = await pythonPackages(
  "caldav_servers",
  ["radicale==3.9.0", "xandikos==0.4.10"],
  ["radicale", "xandikos"],
);
const PYTHON = join(bin, "python");

const LOGIN = { username: "ana", password: "pä:ss word" };
const WINDOW = { start: new Date("2026-03-20T00:00:00Z"), end: new Date("2026-04-10T00:00:00Z") };

const SERVERS = {
  Radicale: {
    home: "/ana/",
    args: async (folder: string, port: number) => {
      const users = join(folder, "users");
      await Deno.writeTextFile(users, `${LOGIN.username}:${LOGIN.password}\n`);
      return [
        ...["-m", "radicale", "--server-hosts", `127.0.0.1:${port}`, "--auth-type", "htpasswd"],
        ...["--auth-htpasswd-filename", users, "--auth-htpasswd-encryption", "plain"],
        ...["--storage-filesystem-folder", join(folder, "files")],
      ];
    },
  },
  Xandikos: { // leaves logins to a proxy
    home: "/ana/calendars/",
    args: (folder: string, port: number) =>
      Promise.resolve([
        ...["-m", "xandikos", "serve", "--directory", join(folder, "files"), "--listen-address", "127.0.0.1"],
        ...["--port", String(port), "--current-user-principal", "/ana/", "--autocreate"],
      ]),
  },
};

async function startServer(name: keyof typeof SERVERS) {
  const folder = await Deno.makeTempDir(), port = freePort(), { home, args } = SERVERS[name];
  const process = new Deno.Command(PYTHON, { args: await args(folder, port), stdout: "null", stderr: "null" }).spawn();
  const host = `127.0.0.1:${port}`, url = `http://${host}`;
  const authorization = `Basic ${
    btoa(String.fromCharCode(...new TextEncoder().encode(`${LOGIN.username}:${LOGIN.password}`)))
  }`;
  const isListening = () =>
    fetch(url, { redirect: "manual" }).then((r) => r.body?.cancel().then(() => true), () => false);
  try {
    await waitFor(name, isListening, 60);
  } catch (error) {
    process.kill("SIGTERM");
    throw error;
  }
  return {
    host,
    url,
    home: url + home,
    async send(method: string, path: string, body: string, type = "application/xml") {
      const response = await fetch(url + home + path, {
        method,
        body,
        headers: { authorization, "content-type": `${type}; charset=utf-8` },
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    },
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const lines = (...text: string[]) => text.join("\r\n") + "\r\n";
const zone = (name: string, offset: string) =>
  lines(
    ...["BEGIN:VTIMEZONE", `TZID:${name}`, "BEGIN:STANDARD", "DTSTART:19700101T000000", `TZOFFSETFROM:${offset}`],
    ...[`TZOFFSETTO:${offset}`, "TZNAME:X", "END:STANDARD", "END:VTIMEZONE"],
  ).trimEnd();
const document = (...content: string[]) =>
  lines("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//test//EN", ...content, "END:VCALENDAR");
const event = (uid: string, ...content: string[]) =>
  lines("BEGIN:VEVENT", `UID:${uid}`, "DTSTAMP:20260101T000000Z", `SUMMARY:${uid} & <more>`, ...content, "END:VEVENT")
    .trimEnd();
const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\r", "&#13;");

const EVENTS = {
  day: document(event("day", "DTSTART;VALUE=DATE:20260325", "DTEND;VALUE=DATE:20260326")),
  timed: document(
    zone("Asia/Kolkata", "+0530"),
    event("timed", "DTSTART;TZID=Asia/Kolkata:20260327T090000", "DURATION:PT1H"),
  ),
  series: document(event("series", "DTSTART:20260101T200000Z", "DURATION:PT30M", "RRULE:FREQ=WEEKLY;BYDAY=TH")),
  free: document(event("free", "DTSTART:20260328T100000Z", "DURATION:PT1H", "TRANSP:TRANSPARENT")),
  past: document(event("past", "DTSTART:20200328T100000Z", "DURATION:PT1H")),
};
const OTHERS = "03-26T20:00/03-26T20:30 03-27T03:30/03-27T04:30 04-02T20:00/04-02T20:30 04-09T20:00/04-09T20:30";

for (const name of Object.keys(SERVERS) as (keyof typeof SERVERS)[]) {
  Deno.test({
    name: `${name} lists its calendars and sends their events, zones and errors${missing}`,
    ignore: !isInstalled,
    async fn() {
      await using server = await startServer(name);
      const create = (path: string, more = "") =>
        server.send(
          "MKCALENDAR",
          path,
          `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>` +
            `<D:displayname>${path} &amp; more</D:displayname>${more}</D:prop></D:set></C:mkcalendar>`,
        );
      const tokyo = escape(document(zone("Asia/Tokyo", "+0900")));
      await create("tokyo/", `<C:calendar-timezone>${tokyo}</C:calendar-timezone>`);
      await create("plain/");
      for (const calendar of ["tokyo", "plain"]) {
        for (const [uid, text] of Object.entries(EVENTS)) {
          await server.send("PUT", `${calendar}/${uid}.ics`, text, "text/calendar");
        }
      }
      const options = {
        timeoutMs: 60_000,
        allowedHosts: [server.host],
        userAgent: "Test/1.0",
        timeZone: "Europe/Berlin",
      };
      const found = await discoverCalendars(server.url, LOGIN, options);
      const named = found.filter(({ name }) => name.endsWith(" & more"));
      assert.deepEqual(
        named.map(({ name, externalId, isTransparent }) => [name, externalId, isTransparent]).sort(),
        ["plain/", "tokyo/"].map((path) => [`${path} & more`, server.home + path, undefined]), // both lose the mark
      );
      const busyOf = async (path: string) =>
        (await readCaldavBusy(server.home + path, LOGIN, WINDOW, options))
          .map(({ start, end }) => [start, end].map((time) => time.toISOString().slice(5, 16)).join("/")).join(" ");
      assert.equal(await busyOf("tokyo/"), `03-24T15:00/03-25T15:00 ${OTHERS}`);
      assert.equal(await busyOf("plain/"), `03-24T23:00/03-25T23:00 ${OTHERS}`);

      const kindOf = (promise: Promise<unknown>) =>
        promise.then(() => "none", (error) => error instanceof CalendarError ? error.kind : String(error));
      assert.equal(await kindOf(busyOf("none/")), "not_found");
      if (name === "Xandikos") return;
      const wrong = { ...LOGIN, password: "wrong" };
      assert.equal(await kindOf(discoverCalendars(server.url, wrong, options)), "revoked");
      assert.equal(await kindOf(readCaldavBusy(`${server.home}plain/`, wrong, WINDOW, options)), "revoked");
    },
  });
}
