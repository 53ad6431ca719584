-- Tokens of the console belong to a sign-in and end with it. Older versions of the service leave the column null.

alter table access_token add column sign_in_hash bytea references sign_in (token_hash) on delete cascade;
create index access_token_sign_in on access_token (sign_in_hash) where sign_in_hash is not null;
