-- Sessions that a newer calendar of their season no longer has are kept, so that whoever was told of them is told more.
alter table calendar_session add column cancelled boolean not null default false;
