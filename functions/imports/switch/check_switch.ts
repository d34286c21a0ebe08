/** Checks whether the old address of an imported feed leads listeners to ours. */
import { routeService } from "../../database/service.ts";
import { parseJson } from "../../runtime/json.ts";
import { followOldAddress, type OldAddress } from "./old_address.ts";
import { readOldFeed } from "./old_feed.ts";
import { isFeedFailure } from "../fetch_feed.ts";
import { nextSteps } from "./steps.ts";
import type { SwitchResult } from "../../../types/imports.ts";

/** Checks and stores the result; nothing if another process checks, or the import was deleted. */
export async function checkSwitch(importId: string): Promise<void> {
  const text = await routeService.text("begin_import_switch_check", { importId });
  if (text === null) return;
  const addresses = parseJson(text) as { oldFeedUrl: string; newFeedUrl: string };
  await routeService("finish_import_switch_check", { importId, result: await observe(importId, addresses) });
}

async function observe(
  importId: string,
  { oldFeedUrl, newFeedUrl }: { oldFeedUrl: string; newFeedUrl: string },
): Promise<SwitchResult> {
  const hops: OldAddress["hops"] = [];
  let reachesNewFeed = false;
  let oldFeed: SwitchResult["oldFeed"] = null;
  let error: SwitchResult["error"] = null;
  try {
    const { response } = await followOldAddress(importId, oldFeedUrl, newFeedUrl, hops);
    if (response) oldFeed = await readOldFeed(importId, response);
    else reachesNewFeed = true;
  } catch (cause) {
    if (!isFeedFailure(cause)) throw cause;
    error = { code: cause.code, message: cause.message };
  }
  const isPermanent = hops.every(({ status }) => status === 301 || status === 308);
  const observed = {
    oldFeedUrl,
    newFeedUrl,
    isSwitched: reachesNewFeed && isPermanent,
    redirect: hops.length ? { hops, isPermanent, reachesNewFeed } : null,
    oldFeed,
    error,
  };
  return { ...observed, steps: nextSteps(observed) };
}
