// What `npm start -- --help` prints: every environment variable that config.ts reads, with its default.

export const SERVICE_HELP = `Slipstream: delivers race data to webhooks, live and in replays.

Usage: npm start

Every setting is an environment variable, and every one is optional. Those with * are checked and have no effect yet.

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
  LIVE_TIMING_URL  * Live timing source (no live ingest)
  SEASON           Season that self-serve plans can replay (the current year)
  HEADER_PREFIX    Begins the header names of a delivery (X-Service)
  SECRET_KEY       Encrypts secrets at rest, 16 characters or more (made in DATA_DIR/secret.key)
  TRUST_PROXY      Proxies whose X-Forwarded-For is believed: true, false, or addresses and ranges joined by commas (false)
  CORS_ORIGINS     Web pages that may call the API from browsers: *, or origins joined by commas (none)
  LOG_LEVEL        debug, info, warn, error or silent (info)
  METRICS          * on or off: serve metrics (on)
  LOG_RETENTION_DAYS  Days for which a delivery is shown in the log of its endpoint, 1 to 3650 (90)
  STRIPE_SECRET_KEY      Payments: the API key; the three are needed together (no payments)
  STRIPE_WEBHOOK_SECRET  Payments: signs the events that come to /v1/billing/stripe-events
  STRIPE_PRICE_ID        Payments: the monthly price of the Developer plan

Ends with 0 after SIGTERM or Ctrl-C, with 1 when it cannot start.
`;
