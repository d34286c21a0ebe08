/** Machine codes for programs. `npm run docs` writes them to docs/errors.md; tests compare the lists with SQL's. */

/** `code` of error responses, with its statuses and its meaning, in alphabetical order. */
export const ERRORS = {
  ACCOUNT_OWNS_PODCASTS: [
    "409",
    "The account owns podcasts (`podcasts`, the first 20, of `podcast_count`); delete or transfer them first",
  ],
  ACCOUNT_REQUIRED: ["403", "The user's email is not confirmed, or the account was deleted while the token lives"],
  ACTION_NOT_TESTABLE: ["409", "An automation's `update_field` is not tested: use the dry run of its rule"],
  ALREADY_MEMBER: ["409", "This person is already on the podcast's team"],
  ANONYMOUS_USER: [
    "403",
    "The user of an anonymous sign-in has no account: sign in, or add an email address, confirm it and refresh the session",
  ],
  AUDIO_IN_USE: ["409", "Audio of a published or scheduled episode cannot be removed"],
  AUDIO_REQUIRED: [
    "428",
    "A service-hosted episode needs finalized audio before it is published or scheduled (`PT428`)",
  ],
  BLOCKED_URL: ["400", "The URL's port, host or network is not allowed"],
  BOOKING_EXPIRED: ["409", "The booking request was not answered in time, or before its session"],
  BOOKING_LINK_HAS_BOOKINGS: [
    "409",
    "The booking link has pending or confirmed sessions ahead; cancel them first, or deactivate the link",
  ],
  BOOKING_STARTED: ["409", "The session of the booking has begun; the booking can no longer change"],
  CALENDAR_READ_ONLY: ["422", "Events cannot be written into this calendar"],
  CALENDAR_UNREADABLE: [
    "422",
    "The provider or server denies access, does not know the calendar, or sends something else than a calendar; the message says which",
  ],
  CONCURRENT_REPLACEMENT: ["409", "Another upload replaced the audio or this upload; the uploaded object is deleted"],
  DATA_LOCKED: [
    "503",
    "Another request kept the data locked for 1.5 s; nothing changed, so send the request again after `Retry-After`",
  ],
  DIMENSIONS_TOO_SMALL: [
    "400",
    "The image has fewer pixels than its type requires; `details` has the pixels and the minimum",
  ],
  DISPATCH_FAILED: ["500", "The import could not be enqueued; its state is unchanged, and held items stay held"],
  DUPLICATE_CREDIT: ["400", "`creditIds` contains a duplicate"],
  EMPTY_BODY: ["400", "The request body or the object is empty"],
  EMPTY_CREDIT_LIST: ["400", "`creditIds` is empty"],
  EMPTY_FEED: ["400", "The server returned an empty response, or the feed has no episodes"],
  EPISODE_LIST_FULL: [
    "409",
    "The episode has the maximum number of transcripts (20) or chapters (500); delete one first",
  ],
  EXECUTION_ALREADY_RETRIED: ["409", "The execution was retried before; `execution_id` is the newer one"],
  EXECUTION_IS_TEST: ["409", "A test of an automation's action is not retried: test the action again"],
  EXECUTION_NOT_FAILED: [
    "409",
    "Only a failed or canceled execution of an automation can be retried, and with `replay` a completed one",
  ],
  EXPIRED: ["401, 400", "The access token of a guest (401) or an emailed code (400) has expired; request a new one"],
  FEED_NOT_RENDERED: ["409", "The feed is not rendered yet; request its report again in a few seconds"],
  FETCH_FAILED: [
    "400",
    "The URL could not be fetched: unknown host, no connection, invalid TLS, or a response that ended early",
  ],
  FILE_TOO_LARGE: [
    "413, 400",
    "The file exceeds the upload limit (413), the nominal 500 MB or the image type's limit (400); with `maxBytes`",
  ],
  GUEST_INVITATION_DECLINED: ["403", "Guests who declined cannot use the chat"],
  GUID_IMMUTABLE: ["409", "The GUID of a podcast or an episode cannot change"],
  HOSTING_TYPE_IMMUTABLE: ["409", "A podcast's hosting type cannot change"],
  HTTP_ERROR: ["400", "The URL's server responded with an error"],
  IDEMPOTENCY_KEY_REUSED: ["409", "The `Idempotency-Key` was used with another request in the last 24 hours"],
  IMAGE_NOT_OWNED: [
    "400",
    "The image column or chapter references another row's object; `details` names the operation that copies it",
  ],
  IMPORT_IN_FLIGHT: ["409", "The podcast has an unfinished import; with its `importId`"],
  IMPORT_ITEM_NOT_FAILED: ["409", "Only failed items can be retried"],
  INCOMPLETE_CREDIT_LIST: ["400", "`creditIds` does not contain every credit of the episode"],
  INVALID: ["401, 400", "Unknown, replaced or revoked access token of a guest (401), or wrong emailed code (400)"],
  INVALID_ASPECT_RATIO: [
    "400",
    "The image's aspect ratio does not fit its type; `details` has the pixels and the required ratio",
  ],
  INVALID_AUTHORIZATION: [
    "400",
    "State or code of a calendar connection is unknown, expired, used or of another user; start the connection again",
  ],
  INVALID_CHAPTERS: ["400", "The chapters document is invalid; `details` names the line and what is expected there"],
  INVALID_CONTENT_TYPE: ["400", "The type is not accepted, or the bytes contradict it"],
  INVALID_IMPORT_STATE: ["409", "The state of the import or its item does not allow this; the message names it"],
  INVALID_PLAN: [
    "400",
    "The plan is unknown or free (the table `plans` lists the plans), or not offered with this interval and currency (`offers` lists its offers)",
  ],
  INVALID_PODCAST_STATUS: ["409", "The podcast's status does not allow this; the message names the status"],
  INVALID_REDIRECT_URL: [
    "400",
    "A redirect is not an http(s) URL with an ASCII host, has credentials, is private, or is an address of this service other than the feed of another podcast of its owner",
  ],
  INVALID_ROLE_LABEL: [
    "400",
    "The label is not one of Host, Co-host, Producer, Guest, Editor and Composer; `details` lists them",
  ],
  INVALID_SELECTION: [
    "400",
    "`applyDetectedEpisodeNumbers` is true, but no numbers were detected; or `applyChannel` names a field that the channel lacks",
  ],
  INVALID_STATUS_CHANGE: ["409", "The row's status cannot change to this value (`t310_guard_status` of its table)"],
  INVALID_TRANSCRIPT: [
    "400",
    "Nothing in the transcript can be read; `details` names the line and what is expected there",
  ],
  INVALID_URL: ["400", "The URL is not http or https, or it contains credentials"],
  LOCKED_OUT: [
    "400",
    "Five wrong emailed codes: request a new one; or of ownership codes 20 in an hour by the caller, or 50 in a day by all strangers, for one email: try again later",
  ],
  MANAGED_BY_HOSTING_MIGRATION: ["409", "Hosting migrations are managed by their own API"],
  MISSING_SETTING: ["500", "The installation lacks a setting; the message names it"],
  NAME_MISMATCH: ["400", "`confirm_name` is not the title of the podcast to be deleted"],
  NEW_OWNER_NOT_A_MEMBER: ["404", "A podcast can only be transferred to a member"],
  NOT_APPLICABLE: ["400", "The import does not wait for ownership verification, so its feed cannot be rechecked"],
  NOT_A_WEBHOOK: ["409", "Only an action of type `send_webhook` has a secret"],
  NOT_CREDITED: ["422", "The person has no credit"],
  NOT_IN_PREVIEW: ["400", "Only an import in preview can be confirmed"],
  NOT_RSS: ["400", "The URL is XML but neither RSS nor Atom (for example a sitemap)"],
  NOT_XML: ["400", "The URL is not a feed: a web page, a PDF, damaged compression"],
  NO_BILLING_CUSTOMER: [
    "409",
    "The account has never begun a checkout, or its customer was deleted at Stripe, so it has no billing portal",
  ],
  NO_REDIRECT_WINDOW: ["409", "The deletion was requested with `redirect_days` 0, so it cannot redirect"],
  OCCURRENCE_OVER: ["409", "What made the automation run no longer holds, such as a canceled booking"],
  OWNERSHIP_TRANSFER_REQUIRED: ["409", "The owner cannot be removed or demoted; transfer the podcast"],
  PAID_PLAN_REQUIRED: ["403", "Only podcasts of paid plans can be paused"],
  PAUSE_TOO_SOON: ["409", "The last pause ended less than 12 months ago; with `next_pause_available_at`"],
  PERSON_INACTIVE: ["422", "An inactive person cannot be credited"],
  PLAN_ALREADY_HELD: ["409", "The account has a subscription that is not ended; the billing portal changes it"],
  PODCAST_DELETED: ["410", "The podcast was deleted. A feed with a redirect is 301 instead; a page links the redirect"],
  PODCAST_HOSTED_EXTERNALLY: [
    "409",
    "The podcast is hosted elsewhere, so episodes cannot be imported into it and its feed is not checked",
  ],
  PODCAST_INVITATION_ANSWERED: ["409", "The team invitation was already accepted or declined"],
  PODCAST_INVITATION_EXPIRED: ["409", "The team invitation has expired; an admin can send another"],
  PODCAST_INVITATION_OPEN: [
    "409",
    "The email has an open invitation to this team (`invitation_id` in `details`); resend or withdraw it",
  ],
  PODCAST_INVITATION_WITHDRAWN: ["409", "An admin withdrew the team invitation, or its inviter is no longer an admin"],
  PODCAST_PENDING_DELETION: [
    "409",
    "The podcast is scheduled for deletion and cannot be changed, unless the owner cancels the deletion",
  ],
  PRICE_AMBIGUOUS: [
    "400",
    "The plan is offered with several intervals or currencies (`offers`); send `interval`, `currency` or both",
  ],
  RATE_LIMITED: ["429", "Rate limit exceeded; `rate_limit_reset_at` is when the next call is accepted"],
  REAUTHENTICATION_REQUIRED: [
    "403",
    "The caller's sign-in is ten minutes old or older: let the person sign in again, then repeat the request",
  ],
  ROSTER_FULL: ["409", "The roster has reached its limit of 200 people"],
  RULE_NOT_ACTIVE: ["409", "The automation rule was deleted, or is disabled or paused"],
  SENDING_STOPPED: [
    "403",
    "Recipients of the caller's emails complained; the caller cannot email new people until an operator lifts it",
  ],
  SIZE_MISMATCH: ["500", "The stored object's size differs from the received size; the object is removed"],
  SLOT_UNAVAILABLE: [
    "409",
    "The booking link has no free slot at this time, or another open booking; read availability again",
  ],
  SLUG_IMMUTABLE: ["409", "The slug of a podcast cannot change, the slug of an episode not after its publication"],
  SLUG_TAKEN: ["409", "Another podcast or episode has or had this slug"],
  STILL_LOCKED: [
    "400",
    "The rechecked feed is still locked and has neither the token nor a new owner email to which a code can be sent now",
  ],
  STORAGE_ALLOWANCE_EXCEEDED: [
    "409",
    "The bytes exceed the account's allowance; before an upload with `bytes_used`, `bytes_limit`, `bytes_requested`",
  ],
  TEMPLATE_IN_USE: ["409", "An automation rule sends this template; change or delete the rule first"],
  TIMEOUT: [
    "408, 504",
    "A URL took longer than 30 seconds, redirects and body included, or the servers of an imported feed longer than 20 (504)",
  ],
  TOO_LARGE: ["400", "The remote file exceeds the limit"],
  TOO_MANY_AUTOMATIONS: [
    "409",
    "The podcast has 200 templates, 100 automation rules or 50 addresses, or the rule 10 actions; delete one first",
  ],
  TOO_MANY_BOOKING_LINKS: ["409", "The podcast has 50 booking links; delete one first"],
  TOO_MANY_CALENDAR_CONNECTIONS: ["409", "The user has connected 10 accounts and URLs (setting); remove one first"],
  TOO_MANY_MUTES: [
    "409",
    "The user has muted 500 podcasts, episodes and chats (setting); unmute something first",
  ],
  TOO_MANY_OPEN_UPLOADS: [
    "429",
    "The account has 100 open direct uploads; `rate_limit_reset_at` is when the oldest expires",
  ],
  TOO_MANY_PODCASTS: [
    "429",
    "As many podcasts as the plan allows, with those deleted in the last 90 days; transfer one, or wait until `rate_limit_reset_at`",
  ],
  TOO_MANY_REDIRECTS: ["400", "The URL redirects more than 20 times"],
  TOO_MANY_ROWS: [
    "400",
    "One request writes more than 1,000 rows of a table; send several requests with fewer rows each",
  ],
  TRANSFER_ENDED: [
    "409",
    "The offer was answered or withdrawn, a party left the team, or the podcast is scheduled for deletion",
  ],
  TRANSFER_OPEN: ["409", "The podcast already has an open offer; `details` has its `transfer_id`"],
  TRANSFER_SIZE_INCREASED: [
    "409",
    "The podcast grew since it was offered; `storage_bytes` is its new size, and accepting again agrees to it",
  ],
  UNDELIVERABLE_EMAIL: [
    "400",
    "The domain of an email address has no dot, or is reserved for tests or private networks (setting " +
    "`accepted_email_domains`)",
  ],
  UNKNOWN_CREDIT: ["400", "`creditIds` contains a credit that does not belong to the episode"],
  UPLOAD_LARGER_THAN_DECLARED: [
    "400",
    "The staged object has more bytes than its upload declared (`maxBytes`); the upload has ended",
  ],
  UPLOAD_NOT_RECEIVED: ["409", "The direct upload was completed before its bytes were stored"],
  URL_NOT_EXTERNAL: ["400", "The URL of a new transcript is an object of the service; upload the file to add it"],
} as const satisfies Record<string, readonly [status: string, meaning: string]>;
export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(ERRORS, code);

/** `error_code` of failed imports and import items, besides ERROR_CODES. */
export const IMPORT_ERRORS = {
  ENCLOSURE_MISSING: "The feed item has no file",
  GUID_TOO_LONG: "The GUID exceeds 1,000 characters",
  REJECTED: "The database rejected the import or the item without a code",
  RETRIES_EXHAUSTED: "Every attempt failed; an item's `error_message` is of the last one",
  UNSUPPORTED_AUDIO_FORMAT: "The file is not MP3, M4A or WAV audio",
} as const;
export const IMPORT_ERROR_CODES = Object.keys(IMPORT_ERRORS) as (keyof typeof IMPORT_ERRORS)[];
export type ImportErrorCode = ErrorCode | keyof typeof IMPORT_ERRORS;

/** `code` of the warnings of imports and their items. */
export const IMPORT_WARNING_CODES = [
  "AMPERSAND_UNESCAPED",
  "CDATA_UNCLOSED",
  "CHANNEL_BLOCKED",
  "CHARSET_MISMATCH",
  "CHARSET_UNDECLARED",
  "CHARSET_UNKNOWN",
  "CONTROL_CHARACTERS",
  "DATE_BEFORE_1970",
  "DATE_ESTIMATED",
  "DATE_INVALID",
  "DATE_IN_FUTURE",
  "DATE_MISSING",
  "DATE_NONSTANDARD",
  "DATE_TIMEZONE_UNKNOWN",
  "DATE_WEEKDAY_MISMATCH",
  "DOCUMENT_TRUNCATED",
  "DOUBLE_ESCAPED",
  "DTD_SKIPPED",
  "DURATION_INVALID",
  "ENCLOSURE_MISSING",
  "ENCLOSURE_MULTIPLE",
  "ENTITIES_NOT_EXPANDED",
  "ENTITY_UNDECLARED",
  "ENTITY_UNKNOWN",
  "FEED_HAS_MOVED",
  "FEED_MOVED_HERE",
  "GUID_DUPLICATE",
  "GUID_MISSING",
  "INVALID_BYTES",
  "INVALID_IMAGE",
  "ITEM_UNIDENTIFIED",
  "LEADING_CONTENT",
  "LENGTH_INVALID",
  "LIST_TRUNCATED",
  "MARKUP_UNESCAPED",
  "MEDIA_TYPE_UNEXPECTED",
  "NAMESPACE_UNDECLARED",
  "NAMESPACE_UNKNOWN",
  "NUMBER_INVALID",
  "PAGE_FETCH_FAILED",
  "PAGINATION_LOOP",
  "STORAGE_ALLOWANCE_EXCEEDED",
  "TAG_CASE_MISMATCH",
  "TAG_TOO_LONG",
  "TAG_UNCLOSED",
  "TEXT_TRUNCATED",
  "TITLE_MISSING",
  "TRANSCRIPT_REPAIRED",
  "URL_INVALID",
  "URL_RELATIVE",
  "URL_WHITESPACE",
  "VALUE_BLOCK_LOST",
  "VALUE_UNKNOWN",
] as const;
export type ImportWarningCode = typeof IMPORT_WARNING_CODES[number];

/** The meanings of the warnings that the feed reader does not report; functions/feed_reader/warnings.ts has the others. */
export const OTHER_IMPORT_WARNINGS = {
  CHANNEL_BLOCKED:
    "The feed asks directories to hide the podcast; it stays listed unless you apply isBlocked or directoryBlocks",
  DATE_IN_FUTURE: "An episode is dated in the future; it is published with the newest past date unless you schedule it",
  FEED_HAS_MOVED: "The feed has moved (itunes:new-feed-url): import the address that the warning names instead",
  FEED_MOVED_HERE: "The feed says that it has moved to this podcast (itunes:new-feed-url)",
  INVALID_IMAGE: "Episode artwork was skipped: it could not be fetched, or is not a usable image",
  STORAGE_ALLOWANCE_EXCEEDED: "Episode artwork was skipped: it does not fit into the account's storage",
  TRANSCRIPT_REPAIRED: "A transcript was repaired; the repairs of the first one follow, each with its line",
  VALUE_BLOCK_LOST: "A value block has an invalid part and will be left out as a whole; check who is paid",
} as const satisfies Partial<Record<ImportWarningCode, string>>;

/** `code` of the warnings of an uploaded transcript. */
export const TRANSCRIPT_WARNING_CODES = [
  "ARROW_UNESCAPED",
  "CONTROL_CHARACTERS",
  "CUES_UNORDERED",
  "CUE_DROPPED",
  "CUE_SETTING_UNKNOWN",
  "CUE_TOO_SHORT",
  "EMPTY_LINE_MISPLACED",
  "ENCODING_CONVERTED",
  "FORMAT_CONVERTED",
  "HEADER_MISSING",
  "MEMBER_NONSTANDARD",
  "NUMBER_MISSING",
  "STYLE_MISPLACED",
  "TIME_NONSTANDARD",
  "TYPE_CORRECTED",
] as const;
export type TranscriptWarningCode = typeof TRANSCRIPT_WARNING_CODES[number];

/** Codes of `reason` in the report of an import. */
export const IMPORT_LOSS_REASONS = [
  "DUPLICATE",
  "ENCLOSURE",
  "HIDES",
  "HUB",
  "INVALID",
  "LIMIT",
  "LIVE_ITEM",
  "LOCK",
  "MONEY",
  "NOT_COPIED",
  "NO_PLACE",
  "PAGING",
  "PRIVATE_ADDRESS",
  "REDIRECT",
  "REPEATED",
  "REPLACED_BY_OURS",
  "SANITIZED",
  "SELF_LINK",
  "TEXT",
  "TRUNCATED",
  "UNCHECKED",
  "UNKNOWN_ATTRIBUTE",
  "UNKNOWN_ELEMENT",
  "UNKNOWN_NAMESPACE_PREFIX",
  "UNSAFE",
] as const;
export type ImportLossReason = typeof IMPORT_LOSS_REASONS[number];

/** The meanings of the reasons that only SQL gives; functions/feed_reader/losses.ts has the others. */
export const OTHER_LOSS_REASONS = {
  MONEY: "A value block has an invalid part and was lost as a whole; no wrong share is paid",
  NOT_COPIED: "The file was not copied to our storage and keeps its address; the excerpt says why",
  SANITIZED: "Show notes may not have these tags and attributes; the excerpt counts them",
  TRUNCATED: "The text was truncated to the length that we keep",
} as const satisfies Partial<Record<typeof IMPORT_LOSS_REASONS[number], string>>;
