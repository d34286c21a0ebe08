/** Feed values of podcasts and episodes as stored; sql/20_podcasts/rules/feed_values.sql defines and limits them. */

export interface Link {
  url: string;
  text?: string | null;
}

export interface Txt {
  text: string;
  purpose?: string | null;
}

export interface Location {
  name: string;
  rel?: string;
  geo?: string;
  osm?: string;
  country?: string;
}

export interface Image {
  href: string;
  alt?: string;
  aspect_ratio?: string;
  width?: number;
  height?: number;
  type?: string;
  purpose?: string;
}

export interface SocialInteraction {
  protocol: string;
  uri?: string;
  account_id?: string;
  account_url?: string;
  priority?: number;
}

export interface RemoteItem {
  feed_guid: string;
  feed_url?: string;
  item_guid?: string;
  medium?: string;
  title?: string;
}

/** A number, or its text, which keeps the digits as given. */
export type Amount = number | string;

export interface Recipient {
  name?: string;
  type: string;
  address: string;
  split: Amount;
  custom_key?: string;
  custom_value?: string;
  fee?: boolean;
}

export interface TimeSplit {
  start_time: Amount;
  duration: Amount;
  remote_start_time?: Amount;
  remote_percentage?: Amount;
  remote_item?: RemoteItem;
  recipients?: Recipient[];
}

export interface ValueBlock {
  type: string;
  method: string;
  suggested?: Amount;
  recipients: Recipient[];
  time_splits?: TimeSplit[];
}

export interface AlternateEnclosure {
  type: string;
  length?: number;
  bitrate?: number;
  height?: number;
  lang?: string;
  title?: string;
  rel?: string;
  codecs?: string;
  default?: boolean;
  sources: { uri: string; content_type?: string }[];
  integrity?: { type: string; value: string };
}

/** Values that podcasts and episodes share. */
export interface FeedValues {
  license: string | null;
  license_url: string | null;
  funding: Link[];
  locations: Location[];
  images: Image[];
  social_interactions: SocialInteraction[];
  value_blocks: ValueBlock[];
  keywords: string[];
  tags: { text: string; domain?: string }[];
  /** XML elements of an imported feed, written as they are. */
  extra_tags: string[];
}

export interface PodcastValues extends FeedValues {
  verify_texts: Txt[];
  update_frequency: { text: string; complete?: boolean; dtstart?: string; rrule?: string } | null;
  podroll: RemoteItem[];
  remote_items: RemoteItem[];
  publisher: { feed_guid: string; feed_url?: string } | null;
  directory_blocks: { id: string; is_blocked: boolean }[];
}

export interface EpisodeValues extends FeedValues {
  texts: Txt[];
  soundbites: { start_seconds: number; duration_seconds: number; title?: string }[];
  content_links: { href: string; text: string }[];
  alternate_enclosures: AlternateEnclosure[];
}
