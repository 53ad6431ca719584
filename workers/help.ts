// What `npm start -- --help` prints: every environment variable that config.ts reads, with its default.

export const SERVICE_HELP = `Slipstream: delivers race data to webhooks, live and in replays.

Usage: npm start

Every setting is an environment variable, and every one is optional.

  HOST             Address to listen on (127.0.0.1)
  PORT             Port to listen on; 0 for any free one (8080)
  DATA_DIR         Folder for everything that is kept (.data)
  DATABASE_URL     PostgreSQL 14 or newer, postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=require
                   (a built-in server in DATA_DIR)
  PUBLIC_URL       Address of the service as customers see it (http://HOST:PORT)
  SITE_URL         Address of the web pages that mails link to (PUBLIC_URL)
  SMTP_URL         Mail server, smtp://USER:PASSWORD@HOST:587 (mails are written to DATA_DIR/outbox)
  MAIL_FROM        Sender of mails (Slipstream <no-reply@localhost>)
  SHARDS           Delivery threads (number of cores - 1, at least 1)
  LIVE_TIMING_URL  Live timing over SignalR Core, https://HOST/signalrcore (none)
  LIVE_TIMING_TOKEN  Bearer token for topics of live timing that are not public (none)
  LIVE_TO_LOCALHOST  on or off: live sessions also go to webhooks on this machine, to try things out (off)
  ADMIN_PORT       Port of the listener for operators: your own source, metrics; 0 for any free one (none)
  ADMIN_HOST       Address of that listener (127.0.0.1)
  ADMIN_TOKEN      Bearer token of that listener, 16 characters or more; needed unless it is for this machine only (none)
  SERIES           Series that are offered, joined by commas: f1, karting (f1)
  SEASON           Season that self-serve plans can replay (the current year)
  HEADER_PREFIX    Begins the header names of a delivery (X-Service)
  SECRET_KEY       Encrypts secrets at rest, 16 characters or more (made in DATA_DIR/secret.key)
  SECRET_KEY_PREVIOUS  Still opens what was sealed under it, during a rotation (none); npm run admin -- secret-key rotate --help
  TRUST_PROXY      Proxies whose X-Forwarded-For is believed: true, false, or addresses and ranges joined by commas (false)
  CORS_ORIGINS     Web pages that may call the API from browsers: *, or origins joined by commas (none)
  LOG_LEVEL        debug, info, warn, error or silent (info)
  METRICS          on or off: GET /metrics on ADMIN_PORT (on)
  LOG_RETENTION_DAYS  Days for which a delivery is shown in the log of its endpoint, 1 to 3650 (90)
  STRIPE_SECRET_KEY      Payments: the API key; the three are needed together (no payments)
  STRIPE_WEBHOOK_SECRET  Payments: signs the events that come to /v1/billing/stripe-events
  STRIPE_PRICE_ID        Payments: the monthly price of the Developer plan

Ends with 0 after SIGTERM or Ctrl-C, with 1 when it cannot start.
`;
