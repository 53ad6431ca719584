-- Keys that a rotation has retired: no secret is sealed under them. A process that tries to store a secret under such a key must
-- seal it again, because the secret could not be opened once the key is thrown away.
create table retired_secret_key (
  -- The key id as in sealed secrets (engine/storage/secrets/secret-box.ts).
  key_id bytea primary key,
  retired_at timestamptz not null default now()
);

create function refuse_retired_key() returns trigger language plpgsql as $$
declare
  sealed bytea;
begin
  execute format('select ($1).%I', tg_argv[0]) using new into sealed;
  if exists (select from retired_secret_key where key_id = substring(sealed from 2 for 4)) then
    raise exception 'a secret was sealed under a SECRET_KEY that is retired' using errcode = 'SK001';
  end if;
  return new;
end
$$;
create trigger account_client_secret_key before insert or update of client_secret_sealed on account
  for each row execute function refuse_retired_key('client_secret_sealed');
create trigger webhook_secret_key before insert or update of secret_sealed on webhook
  for each row execute function refuse_retired_key('secret_sealed');
create trigger webhook_previous_secret_key before insert or update of previous_secret_sealed on webhook
  for each row execute function refuse_retired_key('previous_secret_sealed');
