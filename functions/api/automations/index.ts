/** /api/automations. Responses are flat. The rules are in sql/80_automations. */
import { subRouter } from "../../app/app.ts";
import { addressConfirmations, addresses } from "./addresses.ts";
import { executions } from "./executions.ts";
import { actions, rules } from "./rules.ts";
import { templates } from "./templates.ts";

// Paths with a literal come before those with ids
export const automations = subRouter()
  .route("/templates", templates)
  .route("/rules", rules)
  .route("/actions", actions)
  .route("/executions", executions)
  .route("/addresses/confirm", addressConfirmations)
  .route("/addresses", addresses);
