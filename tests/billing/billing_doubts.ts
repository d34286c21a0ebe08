// The documented loss of docs/decisions/billing.md: the worker takes a cancellation by the customer for its own, until
// Stripe's events tell who canceled.
import type { ModelSubscription } from "./billing_model.ts";
import type { StripeEvent, Subscription } from "./stripe_peer.ts";

export function createDoubts() {
  /** The events that will tell about a subscription with the worker's mark. */
  const doubts = new Map<string, { mark: string; eventIds: Set<string> }>();

  return {
    end: (id: string) => void doubts.delete(id),

    noteDelivery(eventId: string) {
      for (const { eventIds } of doubts.values()) eventIds.delete(eventId);
    },

    /** Whether the worker has withdrawn a cancellation while it was in doubt. */
    isWithdrawn(
      { id, cancellation }: ModelSubscription,
      { cancel_at, metadata }: Subscription,
      undelivered: StripeEvent[],
      hasOpenPodcasts: boolean,
    ): boolean {
      const doubt = doubts.get(id), mark = metadata.castbase_podcasts_closed_at;
      const isWithdrawn = cancellation === "customer" && !!doubt?.eventIds.size && hasOpenPodcasts &&
        cancel_at === null;
      if (cancellation !== "customer" || isWithdrawn) {
        doubts.delete(id);
      } else if (metadata.castbase_cancellation === "podcasts_closed" && doubt?.mark !== mark) {
        const about = undelivered.filter(({ data }) => (data.object as { id?: string }).id === id);
        // the mark of the next closing takes over the doubt: no event is about it
        if (!doubt) doubts.set(id, { mark, eventIds: new Set(about.map((event) => event.id)) });
        else if (doubt.eventIds.size) doubts.set(id, { mark, eventIds: new Set(["none"]) });
      }
      return isWithdrawn;
    },
  };
}
