// A random history of one account: its podcasts, its customer at Stripe, faults of the network, events that are lost,
// and a worker that is interrupted between calls.
import assert from "node:assert/strict";
import type postgres from "postgres";
import type { Db } from "../../functions/database/db.ts";
import type { CheckoutRequest } from "../../types/billing.ts";
import { claimsOf } from "../claims.ts";
import { type SeededRandom, seededRandom } from "../random.ts";
import { stripeSteps } from "./billing_customer.ts";
import { assertAgreement, decidingOf } from "./billing_comparison.ts";
import { createDoubts } from "./billing_doubts.ts";
import { BillingModel, type ModelSubscription } from "./billing_model.ts";
import { podcastSteps } from "./billing_podcasts.ts";
import { createPriceList, type PriceList } from "./billing_prices.ts";
import {
  type Fault,
  isEnded,
  type PeerRequest,
  type StripeEvent,
  type StripePeer,
  type Subscription,
} from "./stripe_peer.ts";
import { signedRequest } from "./stripe_wire.ts";

export const WEBHOOK_SECRET = "whsec_peer";

/** What the histories call of functions/. */
export interface BillingFunctions {
  dbAs(claims: string): Db;
  openCheckout(userId: string, choice: CheckoutRequest): Promise<string>;
  syncSubscription(id: string): Promise<void>;
  receiveEvent(request: Request): Promise<boolean>;
  /** Ends a request, as `edgeFunction` does. */
  release(request: Request): void;
}

export interface World {
  sql: postgres.Sql;
  peer: StripePeer;
  functions: BillingFunctions;
  /** What happens to the requests of a customer or, before there is one, of an email address. */
  onRequest: Map<string, (request: PeerRequest) => Fault | undefined>;
  /** How often something happened, for the summary. */
  counts: Map<string, number>;
}

interface User {
  id: string;
  email: string;
}

export type History = ReturnType<typeof createHistory>;

const FAULTS: Fault[] = [
  ...["lost_before", "lost_after", "late", "late", "rate_limit", "lock", "error_before", "error_after"] as const,
  ...["gateway_before", "gateway_after", "unavailable_before", "unavailable_after"] as const,
];

const FAULT_RATES = [0, 0, 0.2, 0.5];

/** The state of a history, and what its steps share. */
function createHistory(
  { sql, peer, functions, onRequest, counts }: World,
  dice: SeededRandom,
  user: User,
  other: User,
  prices: PriceList,
) {
  const model = new BillingModel();
  const luck = seededRandom(dice.below(2 ** 31)); // its draws depend on timing
  const customers: string[] = [],
    addresses = [user.email],
    offeredUrls = new Set<string>(),
    payingIds = new Set<string>();
  const undelivered: StripeEvent[] = [], delivered: StripeEvent[] = [];
  const doubts = createDoubts();
  /** The invoices of periods that a pause voided. */
  const voidedByPause = new Set<string>();
  let known: string | null = null, faultRate = dice.one(FAULT_RATES), hasSecondSubscription = false;
  let isInterrupted = false, answeredErrors = 0, hasSubscribed = false, isCustomerDeleted = false;
  let isSettled = false, editedAddress: string | undefined;

  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const subscriptions = () => customers.flatMap((customer) => peer.subscriptionsOf(customer));
  const isOwn = (event: StripeEvent) => customers.includes(event.data.object.customer);
  const takeEvents = () => {
    const own = peer.events.filter(isOwn);
    for (const event of own) peer.events.splice(peer.events.indexOf(event), 1);
    undelivered.push(...own);
    for (const { type, data: { object } } of own) {
      if (!type.startsWith("customer.subscription.")) continue;
      prices.note(object as Subscription);
      hasSubscribed ||= !(object as Subscription).status.startsWith("incomplete");
    }
  };
  const shuffled = <T>(from: T[]) =>
    from.map((one) => [dice.next(), one] as const).sort(([a], [b]) => a - b).map(([, x]) => x);

  function chooseFault(request: PeerRequest): Fault | undefined {
    if (isInterrupted && history.interrupt(request)) count("interrupted requests");
    if (!luck.chance(faultRate)) return undefined;
    const fault = luck.one(FAULTS);
    if (fault.startsWith("error")) answeredErrors++;
    count(fault);
    return fault;
  }
  onRequest.set(user.email, chooseFault);

  /** Looks again at the account's row. */
  async function refresh() {
    const [row] = await sql<{ id: string; customer: string | null }[]>`
      select id, stripe_customer_id as customer from private.subscriptions where user_id = ${user.id} or id = ${known}`;
    known = row?.id ?? null;
    if (!row?.customer || customers.includes(row.customer)) return;
    customers.push(row.customer);
    editedAddress = undefined;
    onRequest.set(row.customer, chooseFault);
  }

  const history = {
    sql,
    peer,
    dice,
    model,
    user,
    other,
    prices,
    count,
    subscriptions,
    refresh,
    voidedByPause,
    known: () => known,
    customer: () => customers.at(-1),
    /** The worker has something to do. */
    noteChange: () => void (isSettled = false),
    setFaultRate: (rate: number) => faultRate = rate,

    async call(caller: User, ...[operation, args]: Parameters<Db["call"]>) {
      const db = functions.dbAs(claimsOf(caller.id));
      try {
        const { status, text } = await db.call(operation, args);
        return { status, body: JSON.parse(text) };
      } catch (error) {
        const { code, hint } = error as postgres.PostgresError;
        if (!code?.startsWith("PT")) throw error;
        return { status: Number(code.slice(2)), body: { code: hint } };
      }
    },

    /** Runs the requests that the network delayed. */
    runLate: () => {
      const isOwnLate = (request: PeerRequest) => [...addresses, ...customers].includes(peer.ownerOf(request)!);
      if (peer.runLate(isOwnLate)) count("late runs");
      observe();
    },

    /** Lets two seconds pass, because Stripe's times are whole seconds. */
    age: () => customers.forEach((customer) => peer.age(customer)),

    /** The customer has canceled. Until Stripe's events tell who did, the worker may take it for its own. */
    noteCancellation({ id }: Subscription) {
      model.find(id).cancellation = "customer";
      doubts.end(id);
      observe();
    },

    sawSecondSubscription: () => hasSecondSubscription = true,
    sawDeletedCustomer: () => isCustomerDeleted = true,

    /** Only an account that never had a subscription has a trial, as far as the product could know. */
    assertFirstTrial({ status }: Subscription) {
      if (status === "trialing" && !isCustomerDeleted && !hasSecondSubscription) assert.ok(!hasSubscribed, "a trial");
      observe();
    },

    /** A payment is in progress: Stripe neither expires its session nor voids its invoice. */
    startPaying(id: string) {
      payingIds.add(id);
      peer.payingIds.add(id);
    },

    endPaying() {
      for (const id of payingIds) peer.payingIds.delete(id);
      payingIds.clear();
    },

    /** An open session whose URL a checkout returned. */
    payableSession() {
      return customers.flatMap((customer) => peer.sessionsOf(customer))
        .find(({ status, url }) => status === "open" && offeredUrls.has(url!));
    },

    /** Stripe makes one customer, and another for each address, and for each key that an error of its own used up. */
    assertFewCustomers() {
      const made = [...peer.customers.values()].filter(({ metadata }) => metadata?.castbase_subscription === known);
      assert.ok(made.length <= addresses.length + answeredErrors, `${made.length} customers`);
    },

    async changeAddress(address: string) {
      addresses.push(address);
      onRequest.set(address, chooseFault);
      await sql`update auth.users set email = ${address} where id = ${user.id}`;
      editedAddress = undefined;
      count("changed addresses");
    },
    noteEditedAddress: (address: string) => void (editedAddress = address),
    address: () => editedAddress ?? addresses.at(-1)!,

    /**
     * The subscriptions whose time is invoiced now, if the worker has come to an end: unless collection is paused, no
     * podcast is open, or the operator gave the period away.
     */
    charged: () =>
      model.subscriptions.filter(({ id, status, period, isVoidedByPause }) =>
        isSettled && model.hasOpenPodcasts && peer.subscriptions.get(id)!.pause_collection === null &&
        ["active", "past_due"].includes(status) && (isVoidedByPause || period!.invoice.status !== "void")
      ),

    assertInvoiced({ id }: ModelSubscription, at: number) {
      const periods = peer.periods.filter((one) => one.subscription === id && one.invoice.status !== "void");
      // seconds pass between a step and the peer's clock
      assert.ok(periods.some((one) => one.from <= at && at <= one.to + 5), "the time after a pause is invoiced");
    },

    /** Lets time pass for a customer. */
    async passTime(customer: string, seconds: number) {
      await history.notePeriods();
      const from = peer.clockOf(customer);
      const charged = history.charged().filter(({ id }) => peer.subscriptions.get(id)!.customer === customer);
      peer.passTime(customer, seconds);
      await sql`update private.subscriptions s
        set collection_void_since = s.collection_void_since - passed, observed_at = s.observed_at - passed
        from make_interval(secs => ${seconds}) passed where s.id = ${known}`;
      for (const one of charged) history.assertInvoiced(one, from);
      count(charged.length ? "invoiced times" : "other times");
      for (const one of [...model.subscriptions]) {
        const subscription = peer.subscriptions.get(one.id)!;
        if (isEnded(subscription)) model.end(one.id);
        else if (one.status === "trialing") one.status = subscription.status;
      }
      await history.notePeriods();
    },

    /** Notes which periods have begun, and whether a pause voided their invoices. */
    async notePeriods() {
      const [row] = await sql<{ since: number | null; read: number | null }[]>`
        select ceil(extract(epoch from collection_void_since))::float as since,
          ceil(extract(epoch from observed_at))::float as read
        from private.subscriptions where id = ${known}`;
      for (const one of model.subscriptions) {
        const period = peer.periods.findLast(({ subscription }) => subscription === one.id);
        if (one.period === period) continue;
        one.period = period;
        // a void by hand, or one that Stripe ran late, is undone like a pause of ours
        const isVoidNow = peer.subscriptions.get(one.id)!.pause_collection?.behavior === "void";
        one.isVoidedByPause = period!.invoice.status === "void" &&
          period!.invoice.created >= (row?.since ?? (isVoidNow ? row?.read : null) ?? Infinity);
        if (one.isVoidedByPause) voidedByPause.add(period!.invoice.id);
        if (one.isVoidedByPause) count("voided periods");
      }
    },

    /** Pauses the podcasts, if it can be done, around an act. */
    pauseAround: async (act: () => Promise<void>) => await act(),

    /** At no time can a customer be charged twice. */
    assertOneCharge() {
      const chargeable = [
        ...subscriptions().filter((one) => !isEnded(one)).map(({ status }) => status),
        ...history.payableSession() ? ["open session"] : [],
      ];
      if (!hasSecondSubscription && !model.isDeleted) assert.ok(chargeable.length <= 1, `${chargeable}`);
    },

    /** Delivers Stripe's events, in any order and repeatedly; some get lost. */
    async deliver(all: boolean) {
      takeEvents();
      const chosen = shuffled(undelivered).filter(() => all || dice.chance(0.5));
      const lost = chosen.filter(() => !all && dice.chance(0.1));
      undelivered.splice(0, Infinity, ...undelivered.filter((event) => !chosen.includes(event)));
      lost.forEach(() => count("lost events"));
      const repeated = delivered.filter(() => dice.chance(0.1));
      for (const event of [...chosen.filter((event) => !lost.includes(event)), ...repeated]) {
        const request = signedRequest(event, WEBHOOK_SECRET);
        await functions.receiveEvent(request).finally(() => functions.release(request));
        delivered.push(event);
        doubts.noteDelivery(event.id);
      }
    },

    /** The customer acts between a reading and this request; false if nothing can be done. */
    interrupt: (_: PeerRequest) => false,

    /** Runs the worker if it has a message; a failure keeps the message, as the queue does. */
    async work(): Promise<boolean> {
      const messages = known === null ? [] : await sql<{ id: string }[]>`
        select msg_id as id from pgmq.q_billing_sync where message ->> 'subscription_id' = ${known}`;
      if (!messages.length) return false;
      await history.notePeriods();
      isInterrupted = dice.chance(0.4);
      try {
        // two workers may have messages of the same subscription
        const workers = dice.chance(0.2) ? 2 : 1;
        const runs = await Promise.allSettled(
          Array.from({ length: workers }, () => functions.syncSubscription(known!)),
        );
        for (const run of runs) if (run.status === "rejected") throw run.reason;
      } catch (error) {
        // without faults, Stripe may still replay an earlier 500, once
        const isReplayed = /^Stripe responded 500/.test((error as Error).message);
        if (faultRate === 0 && !isReplayed && !payingIds.size) throw error;
        return true;
      } finally {
        isInterrupted = false;
        observe();
      }
      await sql`delete from pgmq.q_billing_sync where msg_id = any (${messages.map(({ id }) => Number(id))}::bigint[])`;
      return true;
    },

    /** Lets everything come to an end: delays, deliveries, messages, and the daily comparison. */
    async settle() {
      const rate = faultRate;
      faultRate = 0;
      history.endPaying();
      for (let rounds = 0, isCompared = false;; rounds++) {
        assert.ok(rounds < 50, "the worker and Stripe come to an end");
        history.runLate();
        await history.deliver(true);
        if (await history.work() || peer.events.some(isOwn)) continue;
        if (isCompared) break;
        isCompared = true;
        await reconcile();
      }
      faultRate = rate;
      await history.notePeriods();
      model.settle();
      prices.noteSettled(decidingOf(subscriptions()));
      isSettled = true;
      for (const one of history.charged()) {
        history.assertInvoiced(one, peer.clockOf(peer.subscriptions.get(one.id)!.customer));
      }
    },

    async checkout() {
      model.noteUnwanted(true);
      isInterrupted = dice.chance(0.3);
      await tryCheckout().finally(() => isInterrupted = false);
    },
  };

  async function tryCheckout() {
    const { choice, outcome } = prices.choose();
    for (let tries = 0;; tries++) {
      try {
        const url = await functions.openCheckout(user.id, choice);
        await refresh();
        offeredUrls.add(url);
        const session = history.payableSession()!;
        assert.deepEqual([session.price, session.subscriptionMetadata.castbase_plan], [outcome, choice.planCode]);
        observe(); // unpaid ones are ended first
        const live = hasSecondSubscription ? [] : model.subscriptions.map(({ status }) => status);
        assert.deepEqual(live, [], "a checkout opens without a subscription");
        return;
      } catch (error) {
        const { status, message, hint } = error as { status?: number; message: string; hint?: string };
        await refresh();
        if (hint === outcome) return count(`checkouts with ${outcome}`);
        if (status === undefined && /already has a subscription/.test(message)) {
          const [account] = await sql<{ status: string }[]>`
              select subscription_status as status from public.billing_accounts where user_id = ${user.id}`;
          assert.ok(
            !isEnded(account) && account.status !== "none",
            "a checkout is rejected with a subscription only",
          );
          return;
        }
        if (/ is in progress/.test(message) && payingIds.size) return count("checkouts beside a payment");
        // tries end when the network works again; Stripe's failures reach the route as such
        assert.ok(tries < 30 && faultRate > 0, `${(error as Error).stack}`);
        if (dice.chance(0.3)) history.runLate();
        if (tries === 20) faultRate = 0;
      }
    }
  }

  /** The daily comparison, of this account alone. */
  const reconcile = () =>
    sql.begin(async (transaction) => {
      await transaction`select private.reconcile_subscriptions()`;
      await transaction`delete from pgmq.q_billing_sync
        where xmin = pg_current_xact_id()::xid and message ->> 'subscription_id' is distinct from ${known}`;
    });

  /** Learns what the product was free to do: to end an unwanted subscription, and to withdraw a doubtful cancellation. */
  function observe() {
    takeEvents();
    for (const { id, isUnwanted, isVoidedByPause, cancellation } of model.subscriptions) {
      const canEnd = isUnwanted || isVoidedByPause && cancellation === "customer";
      if (canEnd && isEnded(peer.subscriptions.get(id)!)) model.end(id);
    }
    for (const one of model.subscriptions) {
      if (doubts.isWithdrawn(one, peer.subscriptions.get(one.id)!, undelivered, model.hasOpenPodcasts)) {
        one.cancellation = "none";
        count("withdrawn before the event");
      }
    }
  }

  return history;
}

export async function runHistory(world: World, dice: SeededRandom) {
  const { sql } = world;
  const newUser = async () =>
    (await sql<User[]>`insert into auth.users (id, email, email_confirmed_at, aud, role)
      values (gen_random_uuid(), gen_random_uuid() || '@test.local', now(), 'authenticated', 'authenticated')
      returning id, email`)[0];
  const count = (name: string) => void world.counts.set(name, (world.counts.get(name) ?? 0) + 1);
  const prices = await createPriceList(sql, dice, count);
  const history = createHistory(world, dice, await newUser(), await newUser(), prices);
  const { model, user, checkout } = history;
  const { deleteAll, ...podcasts } = podcastSteps(history), stripe = stripeSteps(history);
  history.interrupt = stripe.interrupt;
  history.pauseAround = async (act) => {
    if (dice.chance(0.5)) await podcasts.unpause();
    if (!model.hasOpenPodcasts) await podcasts.create();
    if (dice.chance(0.8)) await history.settle(); // only who has a paid plan can pause
    history.noteChange();
    await podcasts.pauseAll();
    await (dice.chance(0.5) ? history.settle() : history.work());
    await act();
    if (dice.chance(0.4)) await stripe.steps.portalChangePlan();
    await history.notePeriods();
    history.noteChange();
    if (dice.chance(0.3)) await stripe.steps.portalCancel();
    if (dice.chance(0.2)) await podcasts.delete();
    if (dice.chance(0.8)) await podcasts.unpause();
    if (dice.chance(0.3)) await history.work();
    if (dice.chance(0.3)) await podcasts.pause();
    if (dice.chance(0.3)) await podcasts.unpause();
    if (dice.chance(0.5)) await stripe.steps.wait();
  };
  const names: string[] = [];
  const actions: Record<string, () => unknown> = {
    ...podcasts,
    ...stripe.steps,
    ...prices.steps,
    checkout,
    checkoutAndPay: async () => {
      await checkout();
      await (dice.chance(0.2) ? stripe.steps.payNothing() : stripe.steps.pay());
    },
    // closes, keeps the subscription, cancels it after all, and reopens
    reconsider: async () => {
      await podcasts.delete();
      await history.work();
      await stripe.steps.changeMind();
      await history.deliver(false);
      await podcasts.create();
    },
    // the operator moves the customer to a price that no row has
    movePrice: async () => {
      await stripe.steps.changeToKnownPrice();
      await history.settle();
      await stripe.steps.changeToUnwrittenPrice();
    },
    deliver: () => history.deliver(false),
    work: history.work,
    settle: history.settle,
    late: history.runLate,
    network: () => history.setFaultRate(dice.one(FAULT_RATES)),
  };

  async function deleteAccount() {
    await deleteAll();
    const isPaidLate = dice.chance(0.5);
    if (!isPaidLate) await stripe.steps.pay();
    const { status, body } = await history.call(user, "delete_account", {});
    assert.equal(status, 200, JSON.stringify(body));
    model.isDeleted = true;
    if (isPaidLate) await stripe.steps.pay();
  }

  // closing and reopening beside the customer's own cancellations is where most rules meet
  const often = [
    ...["delete", "delete", "give", "cancelDeletion", "create", "portalCancel", "portalRenew"],
    ...["pause", "pause", "unpause", "checkout", "checkout", "checkoutAndPay", "startPaying", "changeMind"],
    ...["deliver", "work", "work", "late", "movePrice", "movePrice", "learnPrice", "recoverPayment"],
    ...["renewInPause", "renewInPause", "wait", "changeAddress"],
  ];
  const all = [...Object.keys(actions), ...often];
  // a third pays before the first podcast
  const beginning = [dice.one(["create", "create", "checkoutAndPay"]), "checkoutAndPay", dice.one(["deliver", "work"])];
  const run = async (name: string, action: () => unknown) => {
    names.push(name);
    if (name !== "endPeriod") history.noteChange();
    await action();
    await history.notePeriods();
    history.assertOneCharge();
    model.noteUnwanted(false);
  };
  try {
    for (let n = 0, length = 8 + dice.below(16); n < length; n++) {
      const name = beginning[n] ?? dice.one(all);
      await run(name, actions[name]);
    }
    if (dice.chance(0.15)) await run("deleteAccount", deleteAccount);
    await history.settle();
    await assertAgreement(history);
    history.assertFewCustomers();
    // so that the daily comparison of the others has less to do
    await sql`delete from private.subscriptions where id = ${history.known()}`;
  } catch (error) {
    throw new Error(`after ${names.join(", ")}`, { cause: error });
  } finally {
    await prices.end();
  }
}
