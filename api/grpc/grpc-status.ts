// What gRPC clients get for each refusal and each end of a stream: a status code, the sentence, and our own code as the
// reason of a google.rpc.ErrorInfo and in `slipstream-code`.

import type { RefusalCode } from '#api/http/api-error.ts';
import type { StreamEndCode } from '#api/http/stream-end.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

/** Status codes of gRPC. */
export const STATUS = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

type Status = (typeof STATUS)[keyof typeof STATUS];

export const REFUSAL_STATUSES: Readonly<Record<RefusalCode, Status>> = {
  invalid_json: STATUS.invalidArgument,
  invalid_body: STATUS.invalidArgument,
  invalid_query: STATUS.invalidArgument,
  invalid_filters: STATUS.invalidArgument,
  invalid_token: STATUS.invalidArgument,
  invalid_signature: STATUS.invalidArgument,
  unsupported_grant_type: STATUS.invalidArgument,
  unauthorized: STATUS.unauthenticated,
  not_signed_in: STATUS.unauthenticated,
  invalid_client: STATUS.unauthenticated,
  invalid_credentials: STATUS.unauthenticated,
  plan_limit_reached: STATUS.resourceExhausted,
  tier_required: STATUS.permissionDenied,
  email_not_verified: STATUS.permissionDenied,
  cross_site: STATUS.permissionDenied,
  insufficient_tier: STATUS.permissionDenied,
  out_of_season: STATUS.permissionDenied,
  not_found: STATUS.notFound,
  not_available: STATUS.notFound,
  method_not_allowed: STATUS.unimplemented,
  request_timeout: STATUS.deadlineExceeded,
  replay_running: STATUS.failedPrecondition,
  not_running: STATUS.failedPrecondition,
  not_paused: STATUS.failedPrecondition,
  not_a_replay: STATUS.failedPrecondition,
  seek_back: STATUS.failedPrecondition,
  not_prepared: STATUS.failedPrecondition,
  no_active_endpoint: STATUS.failedPrecondition,
  preparing: STATUS.failedPrecondition,
  resend_running: STATUS.failedPrecondition,
  nothing_to_resend: STATUS.failedPrecondition,
  endpoint_inactive: STATUS.failedPrecondition,
  updates_gone: STATUS.failedPrecondition,
  already_subscribed: STATUS.failedPrecondition,
  no_subscription: STATUS.failedPrecondition,
  body_too_large: STATUS.resourceExhausted,
  rate_limit_exceeded: STATUS.resourceExhausted,
  simulate_quota_reached: STATUS.resourceExhausted,
  stream_limit_reached: STATUS.resourceExhausted,
  internal_error: STATUS.internal,
  email_delivery_failed: STATUS.unavailable,
  billing_failed: STATUS.unavailable,
  billing_not_configured: STATUS.unavailable,
  unavailable: STATUS.unavailable,
};

/** Aborted: the client may come back at once, with its last cursor. */
export const END_STATUSES: Readonly<Record<StreamEndCode, Status>> = {
  completed: STATUS.ok,
  monthly_limit: STATUS.resourceExhausted,
  stream_behind: STATUS.aborted,
  unauthorized: STATUS.unauthenticated,
  plan_changed: STATUS.aborted,
  updates_gone: STATUS.failedPrecondition,
  stopping: STATUS.unavailable,
};

const DOMAIN = 'slipstream';
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/** A google.rpc.Status with our code as the reason of its ErrorInfo. */
export function statusDetails(status: number, message: string, code: string): Buffer {
  const info = new ProtobufWriter().text(1, code).text(2, DOMAIN);
  const any = new ProtobufWriter().text(1, ERROR_INFO).message(2, info);
  return new ProtobufWriter().number(1, status).text(2, message).message(3, any).written();
}
