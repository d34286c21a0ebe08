/** /api/account: the caller's own account. The rules are in sql/97_personal_data. */
import { DeleteAccountResponse } from "../../types/account.ts";
import { NoFields } from "../../types/envelope.ts";
import { authenticatedRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const account = authenticatedRouter()
  .delete(
    "/",
    describeRoute({
      operationId: "deleteAccount",
      summary: "Delete the caller's account",
      description: "Ends all sessions. 409 ACCOUNT_OWNS_PODCASTS names up to 20 podcasts, which block the deletion.",
      response: DeleteAccountResponse,
      errors: [404, 409],
    }),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("delete_account", {}));
    },
  );
