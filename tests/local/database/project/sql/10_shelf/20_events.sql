create table private.events (at timestamptz not null, what jsonb not null) partition by range (at);
create table private.events_before partition of private.events for values from (minvalue) to ('2026-01-01');
create table private.events_since partition of private.events for values from ('2026-01-01') to (maxvalue);
create function private.announce() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into private.events values (now(), to_jsonb(new));
  perform pgmq.send('news', to_jsonb(new));
  return new;
end $$;
create trigger t900_announce after insert or update of title on public.books
  for each row when (new.place = 1) execute function private.announce();
create constraint trigger t910_late after insert on public.authors deferrable initially deferred
  for each row execute function private.announce();
alter table public.books disable trigger t900_announce;
create trigger t900_announce_user after insert on auth.users
  for each row when (new.email is not null) execute function private.announce();
