// What the subscriptions of an account should be after a history, from its steps alone.

import type { InvoicedPeriod } from "./stripe_peer.ts";

export type PodcastStatus = "active" | "paused" | "pending_deletion";

/** A subscription at Stripe that is not ended. */
export interface ModelSubscription {
  id: string;
  status: string;
  cancellation: "none" | "ours" | "customer";
  /** The last open podcast was closed while the subscription existed, and this was not acted on yet. */
  isClosingPending: boolean;
  /** A pause that is not the worker's. */
  hasOperatorsPause: boolean;
  /** Its first payment is not done, and it was beside a held plan or a checkout: the product ends it at some time. */
  isUnwanted: boolean;
  /** Its newest known period. */
  period?: InvoicedPeriod;
  /** That period was voided during a pause of ours: after the pause, it is restarted. */
  isVoidedByPause: boolean;
}

export class BillingModel {
  readonly podcasts = new Map<string, PodcastStatus>();
  subscriptions: ModelSubscription[] = [];
  isDeleted = false;

  get #open() {
    return [...this.podcasts.values()].filter((status) => status !== "pending_deletion");
  }

  get isCollectionVoid() {
    return this.#open.length > 0 && !this.#open.includes("active");
  }

  get hasOpenPodcasts() {
    return this.#open.length > 0;
  }

  /** Whether the account has a subscription other than one whose first payment has not succeeded. */
  get holdsPlan() {
    return this.subscriptions.some(({ status }) => status !== "incomplete");
  }

  /** A podcast is created, received, changed, or leaves (null). */
  setPodcast(name: string, status: PodcastStatus | null) {
    const before = this.hasOpenPodcasts;
    if (status === null) this.podcasts.delete(name);
    else this.podcasts.set(name, status);
    if (before === this.hasOpenPodcasts) return;
    for (const one of this.subscriptions) one.isClosingPending = before;
  }

  find(id: string): ModelSubscription {
    return this.subscriptions.find((one) => one.id === id)!;
  }

  subscribe(id: string, status: string) {
    this.subscriptions.push({
      id,
      status,
      cancellation: "none",
      isClosingPending: false,
      hasOperatorsPause: false,
      isUnwanted: false,
      isVoidedByPause: false,
    });
  }

  /** Notes which subscriptions the product may end from now on. */
  noteUnwanted(isCheckout: boolean) {
    for (const one of this.subscriptions) {
      one.isUnwanted = one.status === "incomplete" && (one.isUnwanted || isCheckout || this.holdsPlan);
    }
  }

  end(id: string) {
    this.subscriptions = this.subscriptions.filter((one) => one.id !== id);
  }

  /** The worker has made Stripe agree. */
  settle() {
    if (this.isDeleted) this.subscriptions = [];
    if (this.holdsPlan) this.subscriptions = this.subscriptions.filter(({ status }) => status !== "incomplete");
    for (const one of this.subscriptions.filter(({ status }) => status !== "incomplete")) {
      if (one.isClosingPending && one.cancellation === "none") one.cancellation = "ours";
      one.isClosingPending = false;
      if (this.hasOpenPodcasts && one.cancellation === "ours") one.cancellation = "none";
    }
    // a canceled subscription whose period was never invoiced ends with the pause
    this.subscriptions = this.subscriptions.filter((one) =>
      !(this.isRestarted(one) && one.cancellation === "customer")
    );
  }

  /** Whether the product restarts the current period of a subscription. */
  isRestarted({ isVoidedByPause, status, hasOperatorsPause }: ModelSubscription): boolean {
    return isVoidedByPause && this.hasOpenPodcasts && !this.isCollectionVoid && !hasOperatorsPause &&
      ["active", "past_due"].includes(status);
  }
}
