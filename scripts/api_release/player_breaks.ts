/** Finds the changes of the player's interface that break pages which embed it. Additions are none. */
import { isDeepStrictEqual } from "node:util";

export const PLAYER_LISTS = ["attributes", "properties", "methods", "events", "parts", "variables"] as const;

/** A name and facts about it, such as its type. A description may change. */
interface PlayerMember {
  name: string;
  type?: string;
  description?: string;
  [fact: string]: unknown;
}

/** A file api/released/player-v<number>.json. */
export type PlayerInterface =
  & { element: string }
  & Record<typeof PLAYER_LISTS[number], PlayerMember[]>;

/** Returns what breaks pages, a line each. */
export function findPlayerBreaks(before: PlayerInterface, after: PlayerInterface): string[] {
  const breaks = before.element === after.element ? [] : [`the element is named ${after.element}`];
  for (const list of PLAYER_LISTS) {
    const now = new Map(after[list].map((member) => [member.name, member]));
    for (const { name, description: _, ...facts } of before[list]) {
      const member = now.get(name);
      if (!member) breaks.push(`${list}: ${name} is removed`);
      for (const [fact, value] of Object.entries(member ? facts : {})) {
        if (!isDeepStrictEqual(member![fact], value)) breaks.push(`${list}: ${name} has another ${fact}`);
      }
    }
  }
  return breaks;
}
