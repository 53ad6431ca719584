-- Sessions that are missing in a newer calendar of their season are kept as cancelled, so that clients who know them see why.
alter table calendar_session add column cancelled boolean not null default false;
