// The price list of a history, whose plans are its own: the operator offers and withdraws prices, and forgets to write
// some down. What the product should make of them.
import assert from "node:assert/strict";
import type postgres from "postgres";
import type { BillingInterval, CheckoutRequest } from "../../types/billing.ts";
import type { SeededRandom } from "../random.ts";
import type { Subscription } from "./stripe_peer.ts";

interface Price {
  id: string;
  planCode: string;
  interval: BillingInterval;
  currency: string;
  isOffered: boolean;
  /** A row of plan_prices has it. */
  isKnown: boolean;
}

export type PriceList = Awaited<ReturnType<typeof createPriceList>>;

const INTERVALS = ["month", "year"] as const, CURRENCIES = ["eur", "usd"];
const PAID = ["active", "trialing", "past_due"];

export async function createPriceList(sql: postgres.Sql, dice: SeededRandom, count: (name: string) => void) {
  const tag = crypto.randomUUID().slice(0, 8);
  const plans = [`plus_${tag}`, `pro_${tag}`]; // the larger one is last
  const prices: Price[] = [];
  /** What may be the last known price that the product saw being paid; null: none. */
  let lastPaid = new Set<string | null>([null]);

  await sql`insert into public.plans (code, name, is_paid, storage_gb_per_account)
    values (${plans[0]}, 'Plus', true, 20), (${plans[1]}, 'Pro', true, 100)`;

  /** A price at Stripe, which no row has yet. */
  function create(planCode: string): Price {
    const interval = dice.one([...INTERVALS]);
    prices.push({
      id: `price_${tag}_${prices.length}_${planCode === plans[0] ? "small" : "big"}_${interval}`,
      planCode,
      interval,
      currency: dice.one(CURRENCIES),
      isOffered: false,
      isKnown: false,
    });
    return prices.at(-1)!;
  }

  const isSameOffer = (a: Price, b: Price) =>
    a.planCode === b.planCode && a.interval === b.interval && a.currency === b.currency;

  async function offer(price: Price) {
    const { id, planCode, interval, currency } = price;
    await sql`select private.offer_plan_price(${id}, ${planCode}, ${interval}, ${currency}, 500)`;
    for (const other of prices) if (isSameOffer(price, other)) other.isOffered = other === price;
    price.isKnown = true;
  }

  const find = (id: string) => prices.find((price) => price.id === id)!;
  const priceOf = ({ items }: Subscription) => find(items.data[0].price.id);
  const larger = (...codes: (string | undefined)[]) => plans.findLast((code) => codes.includes(code));

  const list = {
    /** A price that a customer may come to have at Stripe: any earlier one, or one that no row has. */
    any: () => dice.chance(0.4) ? list.unwritten() : dice.one(prices).id,
    known: () => dice.one(prices.filter(({ isKnown }) => isKnown)).id,
    unwritten: () => create(dice.one(plans)).id,

    /** What a caller sends to a checkout, and the price or the error that follows. */
    choose(): { choice: CheckoutRequest; outcome: string } {
      const offered = prices.filter(({ isOffered }) => isOffered);
      const wish = offered.length && dice.chance(0.8)
        ? dice.one(offered)
        : { planCode: dice.one(plans), interval: dice.one([...INTERVALS]), currency: dice.one(CURRENCIES) };
      const choice: CheckoutRequest = {
        planCode: wish.planCode,
        ...dice.chance(0.9) && { interval: wish.interval },
        ...dice.chance(0.9) && { currency: wish.currency },
      };
      const ofPlan = offered.filter(({ planCode }) => planCode === choice.planCode);
      const [first, second] = ofPlan.filter(({ interval, currency }) =>
        interval === (choice.interval ?? interval) && currency === (choice.currency ?? currency)
      );
      if (!ofPlan.length) return { choice, outcome: "MISSING_SETTING" };
      return { choice, outcome: second ? "PRICE_AMBIGUOUS" : first?.id ?? "INVALID_PLAN" };
    },

    planCodeOf: (id: string) => find(id).planCode,

    /** The product may have seen the subscription like this. */
    note(subscription: Subscription) {
      if (PAID.includes(subscription.status)) lastPaid.add(priceOf(subscription).id);
    },

    /** The product has seen this subscription, which decides the account. */
    noteSettled(subscription: Subscription | undefined) {
      if (!subscription || !PAID.includes(subscription.status) || !priceOf(subscription).isKnown) return;
      lastPaid = new Set([priceOf(subscription).id]);
    },

    /** Compares what is stored of the subscription that decides the account. */
    assertPlan(deciding: Subscription | undefined, stored: { planCode: string; unknownPriceId: string | null }) {
      const isPaid = !!deciding && PAID.includes(deciding.status);
      const price = isPaid ? priceOf(deciding) : undefined;
      assert.equal(stored.unknownPriceId, price && !price.isKnown ? price.id : null, "the unknown price");
      if (!price) return assert.equal(stored.planCode, "free", "the plan of an account that does not pay");
      if (price.isKnown) return assert.equal(stored.planCode, price.planCode, "the plan of the price");
      count("unknown prices at the end");
      const { castbase_plan: ofCheckout } = deciding!.metadata;
      const possible = [...lastPaid].map((id) => id === null ? undefined : find(id))
        .filter((last) => last?.isKnown !== false)
        .map((last) => larger(last?.planCode, ofCheckout) ?? "free");
      assert.ok(
        possible.includes(stored.planCode),
        `the plan ${stored.planCode} of an unknown price is in ${possible}`,
      );
    },

    /** So that the offers of many histories stay below the limit. */
    async end() {
      await sql`update public.plan_prices set is_offered = false where plan_code = any (${plans})`;
    },

    steps: {
      offerPrice: async () => {
        const withdrawn = prices.filter(({ isOffered, isKnown }) => isKnown && !isOffered);
        await offer(withdrawn.length && dice.chance(0.3) ? dice.one(withdrawn) : create(dice.one(plans)));
        count("offers");
      },
      withdrawPrice: async () => {
        const offered = prices.filter(({ isOffered }) => isOffered);
        if (!offered.length) return;
        const price = dice.one(offered);
        await sql`update public.plan_prices set is_offered = false where stripe_price_id = ${price.id}`;
        price.isOffered = false;
        count("withdrawn offers");
      },
      learnPrice: async () => {
        const unknown = prices.filter(({ isKnown }) => !isKnown);
        if (!unknown.length) return;
        const price = dice.one(unknown);
        count("prices that become known");
        if (dice.chance(0.5)) return await offer(price);
        await sql`insert into public.plan_prices (stripe_price_id, plan_code, interval, currency, is_offered)
          values (${price.id}, ${price.planCode}, ${price.interval}, ${price.currency}, false)`;
        price.isKnown = true;
      },
    },
  };

  for (const planCode of [...plans, dice.one(plans), dice.one(plans)]) await offer(create(planCode));
  return list;
}
