/** /api/account: the caller's own account. The rules are in sql/97_personal_data. */
import { AccountExport, type AccountExportPage, DeleteAccountResponse } from "../../types/account.ts";
import { authenticatedRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { UNCACHEABLE } from "../runtime/api_error.ts";
import { operation } from "../app/operation.ts";
import { exportDocument } from "./account_export.ts";

export const account = authenticatedRouter([
  operation("DELETE", "/", "delete_account", {
    summary: "Delete the caller's account",
    description: "Ends all sessions. 409 ACCOUNT_OWNS_PODCASTS names up to 20 podcasts, which block the deletion.",
    response: DeleteAccountResponse,
    errors: [403, 404, 409],
  }),
])
  .get(
    "/export",
    describeRoute({
      operationId: "exportAccount",
      summary: "Download everything that is held about the caller",
      description: "One streamed JSON document. If an error occurs after the start, the response breaks off.",
      response: AccountExport,
      errors: [403, 404, 429],
    }),
    async (c) => {
      const headers = {
        "content-type": "application/json",
        "content-disposition": 'attachment; filename="account.json"',
        "cache-control": UNCACHEABLE,
      };
      if (c.req.method === "HEAD") return new Response(null, { headers });
      const readPage = async (cursor: string | null): Promise<AccountExportPage> =>
        JSON.parse((await c.var.db.call("export_account", { cursor })).text);
      return new Response(exportDocument(await readPage(null), readPage), { headers });
    },
  );
