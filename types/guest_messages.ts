/** The chat of an episode as its guests read and write it, by access token. */
import { z } from "zod";
import { enveloped, Id, page, Timestamp } from "./envelope.ts";

/** A message as a guest sees it: no addresses, no ids of people. */
export const GuestMessage = z.strictObject({
  id: Id,
  body: z.string(),
  createdAt: Timestamp,
  isMine: z.boolean(),
  sender: z.strictObject({
    type: z.enum(["member", "guest"]),
    name: z.string().nullable(),
    avatarUrl: z.url().nullable(),
  }),
});

/** POST /api/guests/messages/list. The token is in the body, where no log writes it down. */
export const GuestMessageListing = z.object({
  accessToken: z.string(),
  cursor: z.string().min(1).optional().describe("nextCursor of the page before"),
  limit: z.int().min(1).max(100).default(50).describe("50 when absent"),
});

/** POST /api/guests/messages. */
export const NewGuestMessage = z.object({ accessToken: z.string(), body: z.string().describe("1 to 4000 characters") });

export const GuestMessagePage = page(GuestMessage);
export const OneGuestMessage = enveloped(GuestMessage);
