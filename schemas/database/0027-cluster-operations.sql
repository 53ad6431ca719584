-- What operators and limits need in a cluster.

-- What nodes are compared by. The print is a keyed one of the node's id: only who has the key can make it again.
alter table cluster_node
  add column key_print bytea not null default '',
  -- How far the node's clock was ahead of the database's at the last renewal of its lease.
  add column clock_ahead_ms double precision not null default 0;

-- Events of the last minutes that limits count, whichever node has seen them (api/http/postgres-recent-events.ts).
create table recent_event (
  event_no bigint generated always as identity primary key,
  -- What is limited, and for whom. Whom is a digest: it may be somebody's address.
  subject text not null,
  at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index recent_event_by_subject on recent_event (subject, at);
create index recent_event_by_expiry on recent_event (expires_at);

-- A node that was replaced while it stood still writes nothing when it wakes up. Every connection of a node ends its name
-- with the beginning of the node's id (engine/storage/postgres-client.ts); other programs have no such name. A write and a
-- takeover wait for each other at a lock (engine/nodes/postgres-membership.ts): either the write is complete before, or it is
-- refused.
--
-- What the threads of shards record has a fence of its own (record_writer).
create function refuse_replaced_node() returns trigger language plpgsql as $$
declare
  tag constant text := substring(current_setting('application_name') from '^slipstream .*@(.{13})$');
begin
  if tag is null then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('node ' || tag, 0));
  if not exists (select from cluster_node where left(node_id::text, 13) = tag) then
    raise exception 'another node has taken over from this one' using errcode = '57P01';
  end if;
  return null;
end $$;

do $$
declare
  fenced text;
begin
  foreach fenced in array array[
    'access_token', 'account', 'bucket_warning', 'email_verification', 'known_network', 'overage_block', 'overage_check',
    'plan_change', 'recent_event', 'resend', 'run', 'sign_in', 'simulate_slot', 'stripe_event', 'stripe_subscription',
    'subscription', 'webhook'
  ] loop
    execute format(
      'create trigger replaced_node before insert or update or delete on %I for each statement execute function refuse_replaced_node()',
      fenced
    );
  end loop;
end $$;
