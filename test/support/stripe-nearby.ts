// Loaded into a service before its own code (`node --import`): what it sends to Stripe goes to the server at STRIPE_NEARBY,
// `host:port`, without encryption. The service has no setting for that. So this module wraps the platform's `https.request`.

import http, { type RequestOptions } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';

const [host, port] = process.env.STRIPE_NEARBY!.split(':') as [string, string];
const request = https.request;

https.request = ((options: RequestOptions) =>
  options.host === 'api.stripe.com'
    ? http.request({ ...options, host, port, agent: undefined })
    : request(options)) as typeof request;
syncBuiltinESMExports();
