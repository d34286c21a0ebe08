/** What to do at the old host, in the order in which it is done. */
import { isSameAddress } from "../../feed_reader/url.ts";
import type { SwitchResult, SwitchStep } from "../../../types/imports.ts";

/** The steps that apply to what was observed, one sentence each. */
export function nextSteps(observed: Omit<SwitchResult, "steps">): SwitchStep[] {
  return [
    ...reachability(observed),
    ...newEpisodes(observed),
    ...lock(observed),
    redirect(observed),
    ...newFeedUrl(observed),
    {
      code: "KEEP_REDIRECT",
      isDone: false,
      text: "Keep the redirect for at least four weeks, until every app and directory has learned the new address.",
    },
  ];
}

function reachability({ error }: Omit<SwitchResult, "steps">): SwitchStep[] {
  if (!error) return [];
  return [{
    code: "MAKE_REACHABLE",
    isDone: false,
    text: `Make the old address reachable; it could not be read: ${error.message}.`,
  }];
}

function newEpisodes({ oldFeed }: Omit<SwitchResult, "steps">): SwitchStep[] {
  if (!oldFeed) return [];
  const { addedCount: count } = oldFeed;
  const text = count
    ? `Import the feed again: ${count === 1 ? "1 episode is" : `${count} episodes are`} only at the old host.`
    : "The old feed has no episode that was added since the import.";
  return [{ code: "IMPORT_NEW_EPISODES", isDone: count === 0, text }];
}

function lock({ oldFeed }: Omit<SwitchResult, "steps">): SwitchStep[] {
  if (!oldFeed) return [];
  const text = oldFeed.isLocked
    ? "Unlock the old feed (podcast:locked), so that importing newer episodes does not ask for its owner's consent."
    : "The old feed is not locked.";
  return [{ code: "UNLOCK_FEED", isDone: !oldFeed.isLocked, text }];
}

function redirect({ redirect, isSwitched, newFeedUrl }: Omit<SwitchResult, "steps">): SwitchStep {
  return { code: "REDIRECT_FEED", isDone: isSwitched, text: text() };

  function text() {
    if (isSwitched) return "The old address redirects permanently to the new feed.";
    if (!redirect) return `Redirect the old address permanently (301) to ${newFeedUrl}.`;
    if (redirect.reachesNewFeed) {
      const { status } = redirect.hops.find(({ status }) => status !== 301 && status !== 308)!;
      return `Make the redirect to the new feed permanent (301): it is temporary (${status}) now.`;
    }
    return `The old address redirects elsewhere; redirect it permanently (301) to ${newFeedUrl}.`;
  }
}

function newFeedUrl({ oldFeed, newFeedUrl }: Omit<SwitchResult, "steps">): SwitchStep[] {
  if (!oldFeed) return [];
  const isDone = oldFeed.newFeedUrl !== null && isSameAddress(oldFeed.newFeedUrl, newFeedUrl);
  const text = isDone
    ? "The old feed names the new address (itunes:new-feed-url)."
    : `Set itunes:new-feed-url in the old feed to ${newFeedUrl}, where the old host offers it.`;
  return [{ code: "SET_NEW_FEED_URL", isDone, text }];
}
