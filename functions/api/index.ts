/** The edge function `api`: one router per resource, mounted under /api. */
import { type EdgeFunction, edgeFunction } from "../app/app.ts";
import { openApiRouter } from "../app/openapi_router.ts";
import { account } from "./account.ts";
import { automations } from "./automations/index.ts";
import { availability } from "./availability.ts";
import { billing } from "./billing.ts";
import { bookingLinks } from "./booking_links.ts";
import { calendars } from "./calendars.ts";
import { bookings } from "./bookings.ts";
import { feedReport } from "./feed_report.ts";
import { guests } from "./guests.ts";
import { health } from "./health.ts";
import { imports } from "./imports.ts";
import { media } from "./media/index.ts";
import { metrics } from "./metrics.ts";
import { notifications } from "./notifications/index.ts";
import { API_DOCUMENT } from "./openapi.ts";
import { people } from "./people.ts";
import { podcastGuests } from "./podcast_guests.ts";
import { podcastLifecycle } from "./podcast_lifecycle.ts";

const openApi = openApiRouter({
  operationId: "getOpenApiDocument",
  facts: API_DOCUMENT,
  serverSetting: "base_url",
  handlers: () => api.handlers,
});

const api: EdgeFunction = edgeFunction("api", [
  ["/openapi.json", openApi],
  ["/account", account],
  ["/automations", automations],
  ["/availability", availability],
  ["/billing", billing],
  ["/booking-links", bookingLinks],
  ["/calendars", calendars],
  ["/bookings", bookings],
  ["/episodes", people],
  ["/guests", guests],
  ["/health", health],
  ["/imports", imports],
  ["/media", media],
  ["/metrics", metrics],
  ["/notifications", notifications],
  ["/podcast-guests", podcastGuests],
  ["/podcast-lifecycle", podcastLifecycle],
  ["/podcasts", feedReport],
]);
export default api;
