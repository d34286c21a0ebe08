// A reader opens the unsubscribe link of an email on a phone, changes their mind by keyboard, and changes it again.
import assert from "node:assert/strict";
import { person, sql, stackInfo } from "../http/harness.ts";
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
