/**
 * Renders a value block as podcast:value, as it was given
 * (https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/value.md).
 */
import type { Recipient, TimeSplit, ValueBlock } from "./feed_values.ts";
import { remoteItem } from "./remote_item.ts";
import type { Value } from "./xml.ts";

export function valueBlock({ type, method, suggested, recipients, time_splits }: ValueBlock): Value {
  return {
    attributes: { type, method, suggested },
    children: {
      "podcast:valueRecipient": recipients.map(recipientValue),
      "podcast:valueTimeSplit": time_splits?.map(timeSplitValue),
    },
  };
}

function recipientValue({ name, type, address, split, custom_key, custom_value, fee }: Recipient): Value {
  return { attributes: { name, type, address, split, customKey: custom_key, customValue: custom_value, fee } };
}

function timeSplitValue(split: TimeSplit): Value {
  return {
    attributes: {
      startTime: split.start_time,
      duration: split.duration,
      remoteStartTime: split.remote_start_time,
      remotePercentage: split.remote_percentage,
    },
    children: {
      "podcast:remoteItem": split.remote_item && remoteItem(split.remote_item),
      "podcast:valueRecipient": split.recipients?.map(recipientValue),
    },
  };
}
