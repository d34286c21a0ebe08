// The create-account form of the guest page, and the emails with its codes.
import type { StackInfo } from "../stack.ts";
import type { Page } from "./guest_page.ts";

export const PASSWORD = "correct horse";

export function accountForm(page: Page) {
  const section = page.getByRole("region", { name: /account$/ });
  const button = (name: string) => section.getByRole("button", { name, exact: true });
  return {
    section,
    button,
    status: section.getByRole("status"),
    error: (text: string) => section.getByRole("alert").getByText(text).waitFor(),
    password: section.getByLabel("Password", { exact: true }),
    code: section.getByLabel("6-digit code"),
    /** Opens the form and requests a code. */
    async requestCode() {
      await button("Create account").click();
      await section.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await button("Create account").click();
      await section.getByLabel("6-digit code").waitFor();
    },
    async confirm(code: string) {
      await section.getByLabel("6-digit code").fill(code);
      await button("Confirm address").click();
    },
  };
}

/** The texts of the emails to an address, oldest first. */
export async function emailTexts(at: StackInfo, address: string): Promise<string[]> {
  const inbox = async (path: string) => await (await fetch(`${at.mailUrl}/api/v1/${path}`)).json();
  const { messages }: { messages: { ID: string }[] } = await inbox(
    `search?${new URLSearchParams({ query: `to:"${address}"` })}`,
  );
  return await Promise.all(messages.reverse().map(async ({ ID }) => (await inbox(`message/${ID}`)).Text));
}

/** The codes that were emailed to an address, oldest first. Auth sends them before it responds. */
export const codes = async (at: StackInfo, address: string) =>
  (await emailTexts(at, address)).flatMap((text) => /Your code: \*?(\d{6})/.exec(text)?.[1] ?? []);
