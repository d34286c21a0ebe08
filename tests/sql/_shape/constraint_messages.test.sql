-- Constraints: those that a client can violate have a sentence for people, their comment.
begin;
select tests.start();

create temp table constraints as
  select concat_ws('.', nullif(n.nspname, 'public'), r.relname, c.conname) as name, c.contype as type,
    n.nspname as schema, private.constraint_message(n.nspname, r.relname, c.conname) as message
  from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_namespace n on n.oid = r.relnamespace
  where n.nspname in ('public', 'private');

select is_empty($$
  select name from constraints where schema = 'public' and type in ('c', 'u', 'x') and message is null $$,
  'every check, unique and exclusion constraint of a public table has a sentence as its comment');
select is(array(select name from constraints where schema = 'private' and message is not null order by 1), array[
  'private.guest_invitations.message_is_1_to_2000_chars',
  'private.push_subscription_keys.keys_are_base64url'],
  'constraints of private tables have a sentence if clients write what they check');
select is_empty($$ select name, message from constraints where message !~ '^[A-Z][^.]* .*[^.]$'
    or message ~ '[a-z]_[a-z]' and message !~ 'author_left' or char_length(message) > 120 $$,
  'a sentence about a constraint is short and names no column');
select is_empty($$ select t.typname from pg_type t join pg_constraint c on c.contypid = t.oid
  where t.typnamespace in ('public'::regnamespace, 'private'::regnamespace) $$,
  'no domain has a check, whose error would have no sentence');
select is(private.constraint_message('public', 'episodes', 'title_is_1_to_255_chars'),
  'The title must have 1 to 255 characters', 'constraint_message returns the sentence of a constraint');
select is(private.constraint_message('public', 'nothing', 'title_is_1_to_255_chars'), null,
  'constraint_message returns null for a table that does not exist');

select * from tests.finish();
rollback;
