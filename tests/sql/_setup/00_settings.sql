-- An installation: addresses that nothing here calls.
select private.set_setting('public_url', 'https://casts.test');
