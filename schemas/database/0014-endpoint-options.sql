-- What a customer notes about an endpoint, and the headers that its deliveries carry beside ours: a JSON list of names and
-- values, sealed like the signing secret, because many a value is a password.
alter table webhook
  add column description text not null default '',
  add column headers_sealed bytea;
create trigger webhook_headers_key before insert or update of headers_sealed on webhook
  for each row execute function refuse_retired_key('headers_sealed');
