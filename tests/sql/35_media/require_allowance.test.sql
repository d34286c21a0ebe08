-- require_allowance: staged bytes count, so that a further upload fits beside them or is rejected.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.episode('pilot', 'show');
create function pg_temp.require(bytes bigint) returns text language sql as $$
  select tests.result_of('ana', format('select private.require_allowance(tests.id(%L), null, %L, %s)', 'show', 'cover',
    bytes)) $$;

select is(pg_temp.require(1073741824), 'ok 1', 'require_allowance accepts bytes up to the account''s limit');
select is(pg_temp.require(1073741825), 'PT409', 'require_allowance returns 409 for a byte over the account''s limit');
select tests.begin_direct_upload('pilot'), tests.stage_direct_upload('pilot', 700);
select is(pg_temp.require(1073741824 - 700), 'ok 1', 'require_allowance accepts bytes that fit beside staged bytes');
select is(pg_temp.require(1073741824 - 699), 'PT409',
  'require_allowance returns 409 for bytes that do not fit beside staged bytes');

select * from tests.finish();
rollback;
