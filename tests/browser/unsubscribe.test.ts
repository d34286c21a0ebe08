// Readers open the unsubscribe link of an email on a phone, change their minds by keyboard, and change them again.
import assert from "node:assert/strict";
import { person, podcast, sql, stackInfo } from "../http/harness.ts";
import { sendEmail } from "../http/api/sent_email.ts";
import { inBrowser } from "./guest_page.ts";

inBrowser(
  "a reader unsubscribes by a link and subscribes again by keyboard, on a narrow and dark screen",
  async (page) => {
    const reader = await person("unsubscribing-reader"), { tokens } = await sendEmail(reader);
    await sql`update public.profiles set locale = 'de' where id = ${reader.id}`;
    const isOn = async () =>
      (await sql`select email_chat_message as on from public.notification_preferences where user_id = ${reader.id}`)[0]
        .on;
    const heading = () => page.getByRole("heading", { level: 1 }).textContent();
    await page.goto(`${stackInfo.functionsUrl}/api/notifications/email/unsubscribe/${tokens.unsubscribe}`);
    assert.deepEqual([await heading(), await page.title()], Array(2).fill("Du bekommst diese E-Mails nicht mehr"));
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.equal(await isOn(), false);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320, "nothing is cut off");
    assert.equal(await page.evaluate("getComputedStyle(document.documentElement).colorScheme"), "light dark");

    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "E-Mails abbestellen" }).waitFor();
    assert.deepEqual([await heading(), await isOn()], ["Du bekommst diese E-Mails wieder", true]);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 900, height: 500 });

    await page.getByRole("button", { name: "E-Mails abbestellen" }).click();
    await page.getByRole("button", { name: "E-Mails einschalten" }).waitFor();
    assert.equal(await isOn(), false);
  },
  { colorScheme: "dark", viewport: { width: 320, height: 500 } },
);

inBrowser(
  "a reader ends the automatic emails of a podcast by a link, then those of all podcasts, and undoes it",
  async (page) => {
    const address = `${crypto.randomUUID()}@people.test`,
      shows = [await podcast("Night Trains"), await podcast("Boats")];
    const [{ id }] = shows;
    const { tokens } = await sendEmail({ address, locale: "de", podcast: { id, title: "Night Trains" } }, {
      type: "automation.email",
    });
    const areOff = () =>
      Promise.all(
        shows.map(async ({ id }) =>
          (await sql`select private.is_email_suppressed(${address}, 'automation.email', ${id}) as off`)[0].off
        ),
      );
    const button = (name: string) => page.getByRole("button", { name });
    await page.goto(`${stackInfo.functionsUrl}/api/notifications/email/unsubscribe/${tokens.unsubscribe}`);
    await button("E-Mails einschalten").waitFor();
    assert.match((await page.getByRole("main").textContent())!, /Night Trains schickt dir diese E-Mails nicht mehr/);
    assert.deepEqual(await areOff(), [true, false]);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320, "nothing is cut off");

    for (const _ of [1, 2]) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Kein Podcast schickt dir diese E-Mails mehr").waitFor();
    assert.deepEqual(await areOff(), [true, true]);
    assert.equal(await button("E-Mails aller Podcasts abbestellen").count(), 0);

    await button("E-Mails einschalten").click();
    await page.getByRole("heading", { name: "E-Mails der anderen Podcasts sind wieder an" }).waitFor();
    assert.deepEqual(await areOff(), [true, false]);

    await button("E-Mails einschalten").click();
    await button("E-Mails abbestellen").waitFor();
    assert.deepEqual(await areOff(), [false, false]);
  },
  { viewport: { width: 320, height: 500 } },
);
