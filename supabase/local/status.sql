-- Shown by npm start and npm run status beside the stack's URLs: the demo of seed.sql, while it is published. Rows with
-- a variable are in `npm run status -- --json` and `--env` too.
select label, variable, value
from (
  select public.get_public_podcast('demo') #>> '{data,feedUrl}' as feed_url,
         public.list_public_episodes('demo') #>> '{data,0,listenUrl}' as listen_url
) as demo,
lateral (values
  ('Demo sign-in', null, 'demo@castbase.test, password castbase-demo'),
  ('Demo feed', 'DEMO_FEED_URL', feed_url),
  ('Demo listen page', 'DEMO_LISTEN_URL', listen_url)
) as line (label, variable, value)
where feed_url is not null and listen_url is not null;
