/**
 * Renders a value block as podcast:value, as it was given
 * (https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/value.md).
 */
import type { Amount, Recipient, TimeSplit, ValueBlock } from "./feed_values.ts";
import { remoteItem } from "./remote_item.ts";
import type { Value } from "./xml.ts";

const DECIMAL = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 20 });

/** An amount without an exponent, which small numbers have as text (5e-8). */
const digits = (amount?: Amount) => typeof amount === "number" && amount < 1e-6 ? DECIMAL.format(amount) : amount;

export function valueBlock({ type, method, suggested, recipients, time_splits }: ValueBlock): Value {
  return {
    attributes: { type, method, suggested: digits(suggested) },
    children: {
      "podcast:valueRecipient": recipients.map(recipientValue),
      "podcast:valueTimeSplit": time_splits?.map(timeSplitValue),
    },
  };
}

function recipientValue({ name, type, address, split, custom_key, custom_value, fee }: Recipient): Value {
  return {
    attributes: { name, type, address, split: digits(split), customKey: custom_key, customValue: custom_value, fee },
  };
}

function timeSplitValue(split: TimeSplit): Value {
  return {
    attributes: {
      startTime: digits(split.start_time),
      duration: digits(split.duration),
      remoteStartTime: digits(split.remote_start_time),
      remotePercentage: digits(split.remote_percentage),
    },
    children: {
      "podcast:remoteItem": split.remote_item && remoteItem(split.remote_item),
      "podcast:valueRecipient": split.recipients?.map(recipientValue),
    },
  };
}
