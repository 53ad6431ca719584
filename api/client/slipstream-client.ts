// What the package `slipstream-client` exports.

export type { GrantedToken } from './access-token.ts';
export type * from './calls.ts';
export { type ClientOptions, SlipstreamClient } from './client.ts';
export type * from './payloads.ts';
export { SlipstreamError } from './slipstream-error.ts';
export type { StreamRequest, StreamSelection, StreamState, Update } from './stream.ts';
export { type Delivery, type DeliveryHeaders, type VerifyOptions, verify } from './verify.ts';
