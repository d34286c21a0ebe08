// What a subscription should be after a history, from its steps alone.

export type PodcastStatus = "active" | "paused" | "pending_deletion";

export class BillingModel {
  readonly podcasts = new Map<string, PodcastStatus>();
  isDeleted = false;
  /** The subscription that is not ended. */
  status: "none" | "active" | "past_due" | "unpaid" = "none";
  cancellation: "none" | "ours" | "customer" = "none";
  /** The last open podcast was closed while the subscription existed, and this was not acted on yet. */
  #isClosingPending = false;

  get #open() {
    return [...this.podcasts.values()].filter((status) => status !== "pending_deletion");
  }

  get isCollectionVoid() {
    return this.#open.length > 0 && !this.#open.includes("active");
  }

  get hasOpenPodcasts() {
    return this.#open.length > 0;
  }

  /** A podcast is created, received, changed, or leaves (null). */
  setPodcast(name: string, status: PodcastStatus | null) {
    const before = this.hasOpenPodcasts;
    if (status === null) this.podcasts.delete(name);
    else this.podcasts.set(name, status);
    if (before && !this.hasOpenPodcasts) this.#isClosingPending = this.status !== "none";
    if (!before && this.hasOpenPodcasts) this.#isClosingPending = false;
  }

  /** The worker has made Stripe agree. */
  settle() {
    if (this.status === "none" || this.isDeleted) return;
    if (this.#isClosingPending && this.cancellation === "none") this.cancellation = "ours";
    this.#isClosingPending = false;
    if (this.hasOpenPodcasts && this.cancellation === "ours") this.cancellation = "none";
  }

  pay() {
    this.status = "active";
    this.cancellation = "none";
    this.#isClosingPending = false;
  }

  end() {
    this.status = "none";
    this.cancellation = "none";
    this.#isClosingPending = false;
  }

  deleteAccount() {
    this.isDeleted = true;
    this.end();
  }

  get plan() {
    return this.status === "active" || this.status === "past_due" ? "pro" : "free";
  }
}
