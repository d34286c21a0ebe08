/** The caller's own account. */
import { z } from "zod";
import { Id, Pagination, successEnvelope, Timestamp } from "./envelope.ts";

export const DeleteAccountResponse = successEnvelope(z.strictObject({ id: Id }));

/** Rows, with the columns of their tables. */
const Records = z.array(z.record(z.string(), z.unknown()));

/** A page of rpc `export_account`. A section can continue on the next page. */
export const AccountExportPage = z.strictObject({
  data: z.array(z.strictObject({ section: z.string(), records: Records })),
  pagination: Pagination,
});
export type AccountExportPage = z.infer<typeof AccountExportPage>;

/** The whole document: a member for each section. */
export const AccountExport = z.object({ exportedAt: Timestamp }).catchall(Records);
