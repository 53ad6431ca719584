// The text of `npm start -- --help`: every environment variable that config.ts reads, with its default.

export const SERVICE_HELP = `Slipstream: delivers race data to webhooks, live and in replays.

Usage: npm start. With --version: prints the version.

Every setting is an environment variable, and every one is optional.

Defaults are in brackets.

  HOST             Address to listen on (127.0.0.1)
  PORT             Port to listen on; 0 takes any free one (8080)
  DATA_DIR         Folder for all data (.data)
  DATABASE_URL     PostgreSQL 14 or newer, postgres://USER:PASSWORD@HOST:5432/DATABASE; several servers as HOST:5432,HOST:5432
                   (a built-in server in DATA_DIR)
  PUBLIC_URL       Address of the service as customers see it (http://HOST:PORT)
  SITE_URL         Address of the web pages that mails link to (PUBLIC_URL)
  SMTP_URL         Mail server, smtp://USER:PASSWORD@HOST:587 (none: mails are files in DATA_DIR/outbox)
  MAIL_FROM        Sender of mails (Slipstream <no-reply@localhost>)
  SHARDS           Delivery threads, 64 at most (number of cores - 1, at least 1)
  LIVE_TIMING_URL  Live timing over SignalR Core, https://HOST/signalrcore (none)
  LIVE_TIMING_TOKEN  Bearer token for topics of live timing that are not public, 16 characters or more (none)
  REPLAY_TO_LOCALHOST  on or off: replays and tests also go to webhooks on this machine (on if only this machine can
                   connect: HOST is loopback and PUBLIC_URL is not set)
  LIVE_TO_LOCALHOST  on or off: live sessions also go to webhooks on this machine, to try things out (off)
  ADMIN_PORT       Port of the listener for operators: your own source, metrics, their page; 0 takes any free one (none)
  ADMIN_HOST       Address of that listener (127.0.0.1)
  ADMIN_TOKEN      Token of that listener, 16 characters or more; required unless it listens on this machine only (none)
  GRPC_PORT        Port of the gRPC listener, on HOST; 0 takes any free one (none)
  GRPC_TLS_CERT    File with the certificate of that listener and its chain, PEM (none: plain, behind a proxy)
  GRPC_TLS_KEY     File with its private key, PEM
  CLUSTER          on: this service shares DATABASE_URL with others, as a node of their cluster; needs SECRET_KEY (off)
  CLUSTER_ADDRESS  Where the other nodes reach this one, HOST:PORT; it listens there for them only (none)
  SERIES           Series on offer, joined by commas: f1, karting. The first is the default (f1)
  SEASON           Season that self-serve plans can replay, and that the calendar shows (the current year)
  HEADER_PREFIX    Prefix of the headers of a delivery (X-Service)
  SECRET_KEY       Encrypts secrets at rest, 16 characters or more (a key made in DATA_DIR/secret.key)
  SECRET_KEY_PREVIOUS  The previous key, during a rotation: npm run admin -- secret-key rotate --help (none)
  TRUST_PROXY      Proxies whose X-Forwarded-For is trusted: true, false, or addresses and ranges joined by commas (false)
  CORS_ORIGINS     Web pages that may call the API from browsers: *, or origins joined by commas (none)
  CONSOLE          on serves the console for browsers at /, off nothing of it (on)
  LOG_LEVEL        debug, info, warn, error or silent (info)
  METRICS          on or off: GET /metrics on ADMIN_PORT (on)
  LOG_RETENTION_DAYS  How many days the delivery log shows a delivery, 1 to 3650 (90)
  RUN_RETENTION_DAYS  How many days a run is shown after its end, LOG_RETENTION_DAYS to 3650 (LOG_RETENTION_DAYS)
  STRIPE_SECRET_KEY      Payments: the API key. Set all three or none (no payments)
  STRIPE_WEBHOOK_SECRET  Payments: verifies the events sent to /v1/billing/stripe-events
  STRIPE_PRICE_ID        Payments: the monthly price of the Developer plan
  STRIPE_OVERAGE_PRICE_ID  Payments: the metered price of an attempt beyond the included ones (none: overage is not billed)

Exit codes: 0 after SIGTERM or Ctrl-C; 1 when the service cannot start, or could neither record nor keep all deliveries;
2 with an argument that it does not know.

Examples:
  npm start
  PORT=8081 DATA_DIR=/srv/slipstream npm start
`;
