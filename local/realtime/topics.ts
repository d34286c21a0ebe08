/** The joined channels by topic. A private and a public channel of one name are two topics. */
import type { Channel } from "./channel.ts";

export type Topics = ReturnType<typeof createTopics>;

export function createTopics() {
  const topics = new Map<string, Set<Channel>>();
  return {
    add(channel: Channel) {
      if (!topics.has(channel.key)) topics.set(channel.key, new Set());
      topics.get(channel.key)!.add(channel);
    },
    delete(channel: Channel) {
      const channels = topics.get(channel.key);
      channels?.delete(channel);
      if (!channels?.size) topics.delete(channel.key);
    },
    /** The channels of a topic at this moment: sending may end some. */
    of: (key: string): Channel[] => [...topics.get(key) ?? []],
    all: (): Channel[] => [...topics.values()].flatMap((channels) => [...channels]),
    isEmpty: () => topics.size === 0,
  };
}
