/** The received emails, newest last: in memory for searches, and in a file each, so that they survive a restart. */
import { join } from "node:path";
import { undefinedIfMissing } from "../host/optional_file.ts";
import PostalMime, { type Address, type Email } from "postal-mime";

export interface Mail {
  id: string;
  received: Date;
  /** The recipients of the envelope. */
  recipients: string[];
  parsed: Email;
  raw: Uint8Array;
}

/** Mailpit's limit. The SMTP server limits the size of an email. */
const MAX_MAILS = 500;
const MAX_BYTES = 64 * 1024 * 1024;
/** `<received at, ms>-<id>.mail`: a line of JSON with the recipients, then the raw email. */
const FILE = /^(\d{15})-([0-9a-f]{22})\.mail$/;

/** Opens the inbox in `folder`. With `durable`, emails survive a crash of the machine. */
export async function openInbox(folder: string, { durable = false } = {}) {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const mails = await readMails(folder);
  let bytes = mails.reduce((sum, { raw }) => sum + raw.length, 0);
  let last = mails.at(-1)?.received.getTime() ?? 0;
  const fileOf = ({ received, id }: Pick<Mail, "received" | "id">) =>
    join(folder, `${String(received.getTime()).padStart(15, "0")}-${id}.mail`);

  async function remove(emails: Mail[]) {
    for (const mail of emails) {
      const at = mails.indexOf(mail);
      if (at < 0) continue; // removed concurrently
      mails.splice(at, 1);
      bytes -= mail.raw.length;
      await Deno.remove(fileOf(mail)).catch(undefinedIfMissing);
    }
  }

  function* overflow() {
    let [count, left] = [mails.length, bytes];
    for (const mail of mails) {
      if (count <= MAX_MAILS && left <= MAX_BYTES) return;
      yield mail;
      count--;
      left -= mail.raw.length;
    }
  }

  return {
    /** Resolves when the email is on the disk. */
    async add(raw: Uint8Array, recipients: string[]) {
      last = Math.max(Date.now(), last + 1); // files sort in the order of arrival
      const received = new Date(last);
      const id = crypto.randomUUID().replaceAll("-", "").slice(0, 22);
      const mail = { id, received, recipients, parsed: await PostalMime.parse(raw), raw };
      await write(fileOf(mail), [new TextEncoder().encode(JSON.stringify({ recipients }) + "\n"), raw], durable);
      mails.splice(mails.findLastIndex((other) => other.received < received) + 1, 0, mail);
      bytes += raw.length;
      await remove([...overflow()]);
    },
    /** Newest first. */
    all: () => mails.toReversed(),
    get: (id: string) => id === "latest" ? mails.at(-1) : mails.find((mail) => mail.id === id),
    /** Removes these emails, or all. */
    remove: (ids?: string[]) => remove(ids?.length ? mails.filter((mail) => ids.includes(mail.id)) : [...mails]),
  };
}

export type Inbox = Awaited<ReturnType<typeof openInbox>>;

/** Skips incomplete files. */
async function readMails(folder: string): Promise<Mail[]> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
  const mails: Mail[] = [];
  for (const name of names) {
    const file = join(folder, name);
    if (name.endsWith(".new")) await Deno.remove(file).catch(undefinedIfMissing);
    const [, received, id] = FILE.exec(name) ?? [];
    if (!id) continue;
    try {
      const content = await Deno.readFile(file);
      const end = content.indexOf(10);
      const { recipients } = JSON.parse(new TextDecoder().decode(content.subarray(0, end)));
      if (!Array.isArray(recipients)) throw new TypeError("no recipients");
      const raw = content.subarray(end + 1);
      mails.push({ id, received: new Date(Number(received)), recipients, parsed: await PostalMime.parse(raw), raw });
    } catch (error) {
      console.error(`${file} is not an email; skipped: ${(error as Error).message}`);
    }
  }
  return mails;
}

/** Writes a temporary file and renames it, so that a crash leaves no partial email. */
async function write(path: string, parts: Uint8Array[], durable: boolean) {
  const temporary = `${path}.new`;
  try {
    using file = await Deno.open(temporary, { create: true, write: true, truncate: true, mode: 0o600 });
    for (const part of parts) {
      for (let rest = part; rest.length;) rest = rest.subarray(await file.write(rest));
    }
    if (durable) await file.syncData();
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
  await Deno.rename(temporary, path);
}

/** The addresses of a header, with groups expanded. */
export const people = (addresses: Address | Address[] | undefined) =>
  [addresses ?? []].flat().flatMap((one) => one.group ?? [one]).map(({ name, address }) => ({
    name,
    address: address ?? "",
  }));
