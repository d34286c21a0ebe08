/** The mails that were received, newest last, in memory: the inbox of a development machine. */
import PostalMime, { type Address, type Email } from "postal-mime";

export interface Mail {
  id: string;
  received: Date;
  /** Whom the envelope named: where the mail really went. */
  recipients: string[];
  parsed: Email;
  raw: Uint8Array;
}

/** Mailpit keeps as many; a mail's size is limited where it comes in. */
const MOST = 500;

export function createInbox() {
  const mails: Mail[] = [];
  return {
    async add(raw: Uint8Array, recipients: string[]) {
      const parsed = await PostalMime.parse(raw);
      mails.push({
        id: crypto.randomUUID().replaceAll("-", "").slice(0, 22),
        received: new Date(),
        recipients,
        parsed,
        raw,
      });
      if (mails.length > MOST) mails.shift();
    },
    /** Newest first. */
    all: () => mails.toReversed(),
    get: (id: string) => id === "latest" ? mails.at(-1) : mails.find((mail) => mail.id === id),
    /** Removes these mails, or all of them. */
    remove(ids?: string[]) {
      const kept = ids?.length ? mails.filter((mail) => !ids.includes(mail.id)) : [];
      mails.splice(0, mails.length, ...kept);
    },
  };
}

export type Inbox = ReturnType<typeof createInbox>;

/** An address line as a flat list, groups opened. */
export const people = (addresses: Address | Address[] | undefined) =>
  [addresses ?? []].flat().flatMap((one) => one.group ?? [one]).map(({ name, address }) => ({
    name,
    address: address ?? "",
  }));
