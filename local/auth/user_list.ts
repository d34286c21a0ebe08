// GET /admin/users
import { fail } from "./errors.ts";
import type { Call, Service } from "./service.ts";
import { type User, userFields } from "./users.ts";

export async function listUsers({ sql }: Service, { query }: Call): Promise<Response> {
  const order = sort(query.getAll("sort")), filter = `%${query.get("filter") ?? ""}%`;
  const page = count(query.get("page"), 1), perPage = count(query.get("per_page"), 50);
  if (perPage === 0) fail(500, "unexpected_failure", "Internal Server Error"); // the service divides by it
  const matching = sql`from users where email like ${filter} or raw_user_meta_data ->> 'full_name' ilike ${filter}
    or ${filter === "%%"}`;
  const [{ total }] = await sql<{ total: number }[]>`select count(*)::int as total ${matching}`;
  const users = await sql<User[]>`
    select * ${matching} order by ${order ? sql`created_at` : sql`created_at desc`}, id
    limit ${perPage} offset ${(Math.max(page, 1) - 1) * perPage}`;
  const last = Math.ceil(total / perPage);
  const link = (page: number, rel: string) => {
    const linked = new URLSearchParams(query);
    linked.set("page", String(page));
    linked.sort(); // clients read the first parameter as the page
    return `</admin/users?${linked}>; rel="${rel}"`;
  };
  return Response.json({ users: users.map(userFields), aud: "authenticated" }, {
    headers: {
      link: [...page < last ? [link(page + 1, "next")] : [], link(last, "last")].join(", "),
      "x-total-count": String(total),
    },
  });
}

/** Whether the list is in the order of creation; by default, the newest user is the first. */
function sort(fields: string[]): boolean {
  const [first] = fields.map((value) => {
    const [field, direction = "desc"] = value.split(/ (.*)/s);
    const stop = (what: string) => fail(400, "validation_failed", `Bad Sort Parameters: ${what}`);
    if (field !== "created_at") stop(`bad field for sort '${field}'`);
    if (!/^(asc|desc)$/i.test(direction)) {
      stop(`bad direction for sort '${direction}', only 'asc' and 'desc' allowed`);
    }
    return direction.toLowerCase() === "asc";
  });
  return first ?? false;
}

function count(value: string | null, absent: number): number {
  if (!value) return absent;
  const stop = (reason: string) =>
    fail(
      400,
      "validation_failed",
      `Bad Pagination Parameters: strconv.ParseUint: parsing ${JSON.stringify(value)}: ${reason}`,
    );
  if (!/^\d+$/.test(value)) stop("invalid syntax");
  return Number(value) < 2 ** 64 ? Number(value) : stop("value out of range");
}
