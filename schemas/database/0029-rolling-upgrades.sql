-- Works with code since migration 0029.
-- Nodes of a cluster are upgraded one by one: what a migration works with, and what a node knows (engine/storage/migrations.ts).

-- The oldest code that works with the schema after the migration, by that code's newest migration; null: its own.
alter table migration add column works_since integer;

-- The newest migration of the node's code. Code before this column does not say it, and cannot join any more.
alter table cluster_node add column schema_version integer not null default 28;
alter table cluster_node alter column schema_version drop default;
