/** Imports of RSS back catalogs over the wire. */
import { z } from "zod";
import { codeOf, cursorParam, Id, idParam, limitParam, Pagination, successEnvelope, Timestamp } from "./envelope.ts";
import { ERROR_CODES, IMPORT_ERROR_CODES, IMPORT_LOSS_REASONS, IMPORT_WARNING_CODES } from "./error_codes.ts";

const ImportStatus = z.enum([
  "verification_required",
  "preview",
  "pending",
  "running",
  "completed",
  "partial",
  "failed",
  "canceled",
]);
const ItemStatus = z.enum([
  "pending",
  "processing",
  "completed",
  "failed",
  "skipped_duplicate",
  "skipped_oversize",
  "skipped_canceled",
  "skipped_user_limit",
]);
const VerificationMethod = z.enum(["email_code", "feed_recheck"]);
const FutureItems = z.enum(["publish", "schedule"]);

/** Episode numbers, detected over the whole feed. */
const Detection = z.looseObject({
  pattern: z.string().nullable().describe("Detected title pattern; null if none"),
  confidence: z.number().min(0).max(1),
  numbers: z.record(z.string(), z.int()).describe("Episode number by GUID"),
  seasons: z.record(z.string(), z.int()).optional().describe("Season by GUID"),
  conflicts: z.array(z.looseObject({
    guid: z.string(),
    titleNumber: z.int().describe("The number in the title"),
    publisherNumber: z.int().nullable().describe("The publisher's number, which was kept"),
    reason: z.enum(["publisher_mismatch", "out_of_sequence", "duplicate_number"]),
  })),
}).meta({ id: "EpisodeNumberDetection" });

const Warning = z.looseObject({ code: codeOf(IMPORT_WARNING_CODES), message: z.string() });
const ImportErrorCode = codeOf([...ERROR_CODES, ...IMPORT_ERROR_CODES]);

const FeedValue = z.unknown().describe("As the column of podcasts of this name, in snake case");

/** What the channel says, by the fields that a podcast can take over; a field without a usable value is absent. */
const ImportChannel = z.looseObject({
  title: z.string(),
  description: z.string(),
  language: z.string(),
  author: z.string(),
  owner: z.looseObject({ name: z.string().optional(), email: z.string().optional().describe("Masked") }),
  categories: z.array(z.looseObject({ category: z.string(), subcategory: z.string().optional() })),
  medium: z.string().describe("Of the podcast namespace, such as music"),
  type: z.enum(["episodic", "serial"]),
  explicit: z.boolean(),
  copyright: z.string(),
  link: z.string(),
  image: z.string().describe("Address of the cover, which the worker copies after the confirmation"),
  isBlocked: z.boolean().describe("True hides the podcast from all directories"),
  isComplete: z.boolean(),
  license: z.looseObject({ name: z.string(), url: z.string().optional() }),
  persons: z.array(z.looseObject({ name: z.string(), roleLabel: z.string() })).describe("The podcast's credits"),
  funding: FeedValue,
  locations: FeedValue,
  updateFrequency: FeedValue,
  podroll: FeedValue,
  remoteItems: FeedValue,
  publisher: FeedValue,
  directoryBlocks: FeedValue,
  images: FeedValue,
  socialInteractions: FeedValue,
  valueBlocks: FeedValue,
  keywords: FeedValue,
  tags: FeedValue,
  extraTags: z.array(z.string()).describe("Elements that the podcast carries verbatim"),
}).partial().meta({ id: "ImportChannel" });

/** The paths /api/imports/{id} and …/items/{itemId}. */
export const ImportPathParams = z.object({ id: idParam("import") });
export const ImportItemPathParams = ImportPathParams.extend({ itemId: idParam("import item") });

/** POST /api/imports/podcast */
export const StartImportRequest = z.strictObject({
  podcast_id: Id,
  feed_url: z.string().meta({ maxLength: 2000 }).describe(
    "Address of the feed as people copy it: `feed:`, `pcast:`, `itpc:` and a bare host mean https",
  ),
  feed_username: z.string().optional().describe("Of a feed behind Basic auth; or both in feed_url"),
  feed_password: z.string().optional(),
});

const PreviewResult = z.strictObject({
  importId: Id,
  status: z.literal("preview"),
  totalItems: z.int(),
  detection: Detection,
});
const EmailCodeResult = z.strictObject({
  importId: Id,
  status: z.literal("verification_required"),
  method: z.literal("email_code"),
  totalItems: z.int(),
  ownerEmail: z.string().describe("Masked recipient of the code: `j***@e***.com`"),
});
const FeedRecheckResult = z.strictObject({
  importId: Id,
  status: z.literal("verification_required"),
  method: z.literal("feed_recheck"),
  totalItems: z.int(),
  verificationToken: z.string().describe("Add it to the feed as podcast:txt"),
});
const PendingResult = z.strictObject({
  importId: Id,
  status: z.literal("pending"),
  totalItems: z.int().describe("Items so far"),
}).describe("The worker reads on: the feed takes longer than a request may");
export const StartImportResponse = successEnvelope(
  z.union([PreviewResult, EmailCodeResult, FeedRecheckResult, PendingResult]),
);

/** POST /api/imports/{id}/verify-ownership */
export const VerifyOwnershipRequest = z.strictObject({ code: z.string().regex(/^\d{6}$/, "must be 6 digits") });
export const VerifyOwnershipResponse = successEnvelope(PreviewResult);

/** POST /api/imports/{id}/confirm */
const ItemIds = z.array(Id).max(25_000).nullable().default(null);
/** What an existing episode can take over from its feed again. */
export const RefreshField = z.enum([
  "title",
  "itunesTitle",
  "summary",
  "description",
  "showNotesHtml",
  "publishedAt",
  "seasonNumber",
  "seasonName",
  "episodeNumber",
  "episodeDisplay",
  "episodeType",
  "explicit",
  "subtitle",
  "link",
]).meta({ id: "ImportRefreshField" });
export const ConfirmImportRequest = z.strictObject({
  applyDetectedEpisodeNumbers: z.boolean().default(false),
  limit: z.int().min(0).max(2_147_483_647).nullable().default(null).describe(
    "Import only the newest N; null for all",
  ),
  applyChannel: z.array(ImportChannel.keyof()).max(100).default([]).describe(
    "Fields of the channel that the podcast takes over; others stay unchanged",
  ),
  itemIds: ItemIds.describe("Import only these pending items, with a limit the newest of them; null for all"),
  fitsStorage: z.boolean().default(false).describe("Import only the newest of the selected items that fit the storage"),
  refreshFields: z.array(RefreshField).max(100).default([]).describe(
    "Fields that existing episodes take over from the feed; see GET …/refresh",
  ),
  refreshItemIds: ItemIds.describe("Refresh only the episodes of these duplicates; null for all"),
  futureItems: FutureItems.default("publish").describe(
    "Episodes dated in the future: publish them with the newest past date of the feed, or schedule them",
  ),
});
export const ConfirmImportResponse = successEnvelope(z.strictObject({
  status: ImportStatus.describe("running, or the final status if there was nothing to dispatch"),
  selectedCount: z.int(),
  heldCount: z.int(),
  refreshCount: z.int().describe("Existing episodes that take over fields"),
}));

/** POST /api/imports/{id}/recheck-feed */
export const RecheckFeedResponse = successEnvelope(z.union([PreviewResult, EmailCodeResult]));
/** POST /api/imports/{id}/resend-code */
export const ResendCodeResponse = successEnvelope(
  EmailCodeResult.pick({ status: true, method: true, ownerEmail: true }),
);

/** POST /api/imports/{id}/cancel and …/resume */
export const ImportStatusResponse = successEnvelope(z.looseObject({ status: ImportStatus }));

/** POST /api/imports/{id}/retry-failed */
export const RetryFailedItemsResponse = successEnvelope(z.strictObject({
  status: ImportStatus,
  retriedCount: z.int().describe("Number of items now pending"),
}));
/** POST /api/imports/{id}/retry-files */
export const RetryFilesResponse = successEnvelope(z.strictObject({
  retriedCount: z.int().describe("Number of files now enqueued, at most 5,000; call again for the rest"),
}));
/** POST /api/imports/{id}/items/{itemId}/retry */
export const RetryItemResponse = successEnvelope(
  z.strictObject({ importId: Id, itemId: Id, status: z.literal("pending") }),
);

/** An episode of the feed and its import. */
const ImportItem = z.looseObject({
  id: Id,
  import_id: Id,
  position: z.int().describe("From 0, in the order of the feed"),
  guid: z.string(),
  status: ItemStatus,
  title: z.string().nullable(),
  published_at: Timestamp.nullable(),
  parsed_payload: z.looseObject({ episodeNumber: z.int().nullish() }),
  warnings: z.array(Warning).describe("Problems found in the feed item"),
  error_message: z.string().nullable().describe("Reason of the failure, the skip or the retry"),
  error_code: ImportErrorCode.nullable(),
  attempts: z.int(),
  next_attempt_at: Timestamp.nullable().describe("When a failed attempt is retried"),
  episode_id: Id.nullable(),
  refresh_fields: z.array(RefreshField).nullable().describe("What the existing episode takes over; null: nothing"),
  refreshed_at: Timestamp.nullable().describe("When the existing episode took them over"),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "ImportItem" });

/** GET /api/imports/{id} */
export const ImportResponse = successEnvelope(
  z.looseObject({
    id: Id,
    podcast_id: Id,
    created_by: Id.nullable(),
    status: ImportStatus,
    feed_url: z.string(),
    is_locked_source: z.boolean(),
    verification_method: VerificationMethod.nullable(),
    verification_token: z.string().nullable(),
    locked_owner_email: z.string().nullable().describe("Masked"),
    feed_podcast_guid: Id.nullable().describe(
      "podcast:guid of the feed, adopted on confirmation",
    ),
    channel_explicit: z.boolean().nullable().describe("itunes:explicit of the feed; items without their own use it"),
    staged_at: Timestamp.nullable().describe("When the feed was fully read"),
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
    total_items: z.int(),
    completed_count: z.int(),
    failed_count: z.int(),
    skipped_count: z.int(),
    is_hosting_migration: z.boolean(),
    detection: Detection.nullable(),
    warnings: z.array(Warning.extend({
      count: z.int(),
      url: z.string().optional().describe("With FEED_HAS_MOVED: the address to import instead"),
    })),
    apply_detected_episode_numbers: z.boolean().nullable(),
    future_items: FutureItems.nullable().describe("The choice for episodes dated in the future; null until confirmed"),
    error_message: z.string().nullable().describe("Why the feed could not be read"),
    error_code: ImportErrorCode.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    channel: ImportChannel.nullable().describe("Null until the feed was fully read"),
    storage: z.strictObject({
      neededBytes: z.int().describe("Of the audio of pending items"),
      freeBytes: z.int().describe("That the podcast's account may still store"),
      itemsWithoutLength: z.int().describe("Pending items whose size is estimated"),
      newestThatFit: z.int().describe("How many of the newest pending items fit"),
    }),
    refreshed_count: z.int().describe("Existing episodes that took over fields of the feed"),
    items: z.array(ImportItem).describe("All items, ordered by created_at and position"),
  }),
);

/** GET /api/imports/{id}/refresh */
export const ImportRefreshQuery = z.strictObject({
  limit: limitParam(200, 50),
  cursor: cursorParam,
});
const RefreshedValue = z.union([z.string(), z.int(), z.boolean(), z.null()]);
export const ImportRefreshResponse = successEnvelope(z.strictObject({
  importId: Id,
  status: ImportStatus,
  fields: z.array(z.strictObject({ field: RefreshField, count: z.int() })).nullable().describe(
    "How many episodes would take over each field; only on the first page",
  ),
  items: z.array(z.strictObject({
    itemId: Id,
    episodeId: Id,
    guid: z.string(),
    title: z.string().describe("The episode's title now"),
    changes: z.array(z.strictObject({ field: RefreshField, from: RefreshedValue, to: RefreshedValue })).describe(
      "Long texts: 500 characters from shortly before the first difference",
    ),
  })),
})).extend({ pagination: Pagination });

const Count = z.int();
const SwitchStep = z.strictObject({
  code: z.enum([
    "MAKE_REACHABLE",
    "IMPORT_NEW_EPISODES",
    "UNLOCK_FEED",
    "REDIRECT_FEED",
    "SET_NEW_FEED_URL",
    "KEEP_REDIRECT",
  ]),
  isDone: z.boolean(),
  text: z.string().describe("One sentence for people"),
});
const SwitchResult = z.strictObject({
  oldFeedUrl: z.string(),
  newFeedUrl: z.string().describe("The podcast's feed here"),
  isSwitched: z.boolean().describe("Whether the old address redirects permanently to the new feed"),
  redirect: z.strictObject({
    hops: z.array(z.strictObject({ url: z.string(), status: z.int() })),
    isPermanent: z.boolean().describe("Whether every hop is 301 or 308"),
    reachesNewFeed: z.boolean(),
  }).nullable().describe("Null if the old address does not redirect"),
  oldFeed: z.strictObject({
    newFeedUrl: z.string().nullable().describe("itunes:new-feed-url"),
    isLocked: z.boolean().describe("podcast:locked"),
    itemCount: Count,
    importedCount: Count.describe("Items that are episodes here"),
    heldCount: Count.describe("Items that the import left out"),
    addedCount: Count.describe("Items that the old feed got since the import"),
    newestAdded: z.strictObject({ title: z.string().nullable(), publishedAt: z.string().nullable() }).nullable(),
  }).nullable().describe("Null if it could not be read, or its address redirects to the new feed"),
  error: z.strictObject({ code: ImportErrorCode, message: z.string() }).nullable(),
  steps: z.array(SwitchStep).describe("What to do at the old host, in order"),
}).meta({ id: "ImportSwitch" });
export type SwitchStep = z.infer<typeof SwitchStep>;
export type SwitchResult = z.infer<typeof SwitchResult>;

/** GET /api/imports/{id}/switch */
export const ImportSwitchResponse = successEnvelope(z.strictObject({
  importId: Id,
  isChecking: z.boolean().describe("A newer result follows"),
  checkedAt: Timestamp.nullable(),
  result: SwitchResult.nullable().describe("Null until the first check has ended"),
}));

const Loss = z.looseObject({
  path: z.string().describe("Element or attribute: `media:rating`, `enclosure/@id`"),
  reason: codeOf(IMPORT_LOSS_REASONS),
  excerpt: z.string().optional(),
}).meta({ id: "ImportLoss" });
const Copies = z.array(z.strictObject({ path: z.string(), url: z.string().describe("Address in the feed") }));
const Names = z.array(z.string());
const summaryOf = (entry: z.ZodType) => z.strictObject({ count: z.int(), list: z.array(entry).max(500) });
const PathCount = z.strictObject({ path: z.string(), count: z.int() });

/** GET /api/imports/{id}/report */
export const ImportReportQuery = z.strictObject({
  limit: limitParam(500, 100),
  cursor: cursorParam,
});
export const ImportReportResponse = successEnvelope(z.strictObject({
  importId: Id,
  status: ImportStatus,
  channel: z.strictObject({
    modelled: Names.describe("Fields that applyChannel may name"),
    carried: Names.describe("Elements kept verbatim"),
    copied: Copies.describe("Files in our storage"),
    lost: z.array(Loss),
  }).nullable().describe("Null until the feed was fully read"),
  summary: z.strictObject({
    modelled: summaryOf(PathCount),
    carried: summaryOf(PathCount),
    copied: summaryOf(PathCount),
    repaired: z.strictObject({ count: z.int(), list: z.array(Warning.extend({ count: z.int() })) }),
    lost: summaryOf(PathCount.extend({ reason: codeOf(IMPORT_LOSS_REASONS) })),
  }).nullable().describe("Over all items; only on the first page"),
  items: z.array(z.strictObject({
    itemId: Id,
    guid: z.string(),
    title: z.string().nullable(),
    status: ItemStatus,
    modelled: Names.describe("Values that the episode has"),
    carried: Names,
    copied: Copies,
    repaired: z.array(Warning),
    lost: z.array(Loss),
  })),
})).extend({ pagination: Pagination });
