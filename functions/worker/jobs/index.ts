/** Every job of the worker. */
import type { Job } from "../job.ts";
import { collectStorage } from "./collect_storage.ts";
import { renderFeed } from "./render_feed.ts";
import { sendGuestInvitation } from "./send_guest_invitation.ts";

export const jobs = [renderFeed, collectStorage, sendGuestInvitation] as Job[];
