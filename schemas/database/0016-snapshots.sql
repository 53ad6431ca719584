-- Whether the endpoint gets the states of its feeds before its first update of a session.
alter table webhook add column snapshot boolean not null default false;
