/** The email whose code confirms a user's own address. It has no link, because mail scanners open links. */
import type { Email } from "./email.ts";
import { code as codeBlock, note, paragraph, renderEmail } from "./layout.ts";
import type { Texts } from "./email_texts.ts";

export interface EmailConfirmation {
  /** The user's address. */
  to: string;
  language: string;
}

export function renderEmailConfirmation({ to, language }: EmailConfirmation, texts: Texts, code: string): Email {
  return {
    to: { name: "", address: to },
    topic: { type: "email_confirmation", podcast: null, threadId: null },
    ...renderEmail({
      language,
      subject: texts("email_confirmation.subject"),
      blocks: [
        paragraph(texts("email_confirmation.intro")),
        codeBlock(code),
        note(texts("email_confirmation.note")),
      ],
    }),
  };
}
