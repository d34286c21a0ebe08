/** The email to the owner of a locked feed. Its code proves the owner's consent: anyone who has it can import. */
import type { Email } from "./email.ts";
import { code as codeBlock, monospaced, note, paragraph, renderEmail } from "./layout.ts";
import type { Texts } from "./email_texts.ts";

export interface OwnershipCodeEmail {
  /** The owner's email address in the feed. */
  to: string;
  language: string;
  /** Of times: the language, with the region where it matters. */
  locale: string;
  /** The podcast that the feed is imported into. Neither title nor URL is a link: the owner asked for nothing. */
  podcastTitle: string;
  feedUrl: string;
}

/** `code` is valid until `expiresAt`. */
export function renderOwnershipCode(due: OwnershipCodeEmail, texts: Texts, code: string, expiresAt: Date): Email {
  const { to, language, locale, podcastTitle: podcast, feedUrl } = due;
  const time = expiresAt.toLocaleTimeString(locale, { timeStyle: "short", timeZone: "UTC" });
  return {
    to: { name: "", address: to },
    topic: { type: "ownership_code", podcast: null, threadId: null },
    ...renderEmail({
      language,
      subject: texts("ownership_code.subject", { podcast }),
      blocks: [
        paragraph(texts("ownership_code.intro", { podcast })),
        monospaced(feedUrl),
        paragraph(texts("ownership_code.body")),
        codeBlock(code),
        note(texts("ownership_code.note", { time: texts("format.time", { time, zone: "UTC" }) })),
      ],
    }),
  };
}
