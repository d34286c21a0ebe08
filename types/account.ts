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

/** The whole document. Generated clients cannot type the members beside one of another type: the document leaves them open. */
export const AccountExport = z.object({ exportedAt: Timestamp }).catchall(Records).meta({
  additionalProperties: {},
  description: "A member for each section: a list of rows, with the columns of their tables",
});
