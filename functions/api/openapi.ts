/** What the OpenAPI document of the API, /api/openapi.json, says besides its routes. */
import type { DocumentFacts } from "../app/openapi.ts";

export const API_DOCUMENT: DocumentFacts = {
  title: "Castbase API",
  description: `The routes of Castbase's own front ends. Tables and functions of the database are reached with
supabase-js, and published podcasts through the public API, which has a document of its own.

- Most routes need the access token of a signed-in user, as \`Authorization: Bearer <token>\`.
- Errors are \`{ error, details?, code? }\`: \`error\` is for people, \`code\` is for programs.
- Request bodies may not contain unknown fields. Responses may get new fields, which clients must ignore.`,
  tags: {
    account: "The caller's account: its data, and its deletion",
    automations: "Rules, templates and executions of automations",
    availability: "Free times of booking links",
    billing: "Subscriptions",
    "booking-links": "Pages of booking links",
    bookings: "Booking requests, for guests and hosts",
    calendars: "Connections to external calendars",
    episodes: "The people of episodes, and their credits",
    guests: "Invitations of guests, and their chat",
    health: "Whether the service and its database respond, and the state of the installation",
    imports: "Imports of podcasts by their feeds",
    metrics: "The state of the installation, for Prometheus",
    media: "Uploads and downloads of audio, images, transcripts and chapters",
    notifications: "Notifications in the app, by email and by push",
    "podcast-guests": "Directory of a podcast's guests",
    "podcast-lifecycle": "Pause, deletion and redirects of podcasts",
    podcasts: "Reports about podcasts",
    "openapi.json": "This document",
  },
};
