/** Makes rendered templates what a recipient sees: HTML by the allow-list of emails, and a text in any case. */
import type { RpcResult } from "../database/db.ts";

interface Rendered {
  body_html: string;
  body_text: string;
}

/** Takes and returns the result of preview_automation_template. */
export async function sanitizePreview(result: RpcResult): Promise<RpcResult> {
  const { preview, ...others } = JSON.parse(result.text) as { preview: Rendered };
  return { ...result, text: JSON.stringify({ preview: await sanitizeRendered(preview), ...others }) };
}

interface PlannedAction {
  status: string;
  result: object | Rendered;
}

/** Takes and returns the result of dry_run_automation_rule. */
export async function sanitizeDryRun(result: RpcResult): Promise<RpcResult> {
  const { dry_run } = JSON.parse(result.text) as { dry_run: { action_results: PlannedAction[] } };
  for (const action of dry_run.action_results) {
    if ("body_html" in action.result) action.result = await sanitizeRendered(action.result);
  }
  return { ...result, text: JSON.stringify({ dry_run }) };
}

/** Loads the packages with the first preview, because most isolates need none. */
async function sanitizeRendered<T extends Rendered>(rendered: T): Promise<T> {
  const { sanitizeEmail } = await import("../show_notes/sanitize_email.ts");
  const { toFormattedText } = await import("../text/formatted_text.ts");
  const body_html = sanitizeEmail(rendered.body_html) ?? "";
  return { ...rendered, body_html, body_text: rendered.body_text || toFormattedText(body_html) };
}
