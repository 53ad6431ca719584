// The names that the calls of the client have: one for each operation of the API that a bearer token opens.
// test/client/calls.test.ts holds them to the OpenAPI document.

export const CALL_NAMES: Readonly<Record<string, string>> = {
  'POST /webhooks': 'createWebhook',
  'GET /webhooks': 'listWebhooks',
  'GET /webhooks/{webhookId}': 'getWebhook',
  'PATCH /webhooks/{webhookId}': 'changeWebhook',
  'DELETE /webhooks/{webhookId}': 'deleteWebhook',
  'PATCH /webhooks/{webhookId}/feeds/{feedId}': 'changeSubscription',
  'GET /webhooks/{webhookId}/secret': 'getWebhookSecret',
  'POST /webhooks/{webhookId}/rotate-secret': 'rotateWebhookSecret',
  'GET /webhooks/{webhookId}/logs': 'listDeliveryLog',
  'GET /webhooks/{webhookId}/logs/{logId}': 'getDeliveryLogEntry',
  'POST /webhooks/{webhookId}/test': 'testWebhook',
  'POST /webhooks/{webhookId}/resend': 'resendUpdates',
  'GET /feeds': 'listFeeds',
  'GET /events': 'listEvents',
  'GET /sessions/{sessionId}/state': 'getSessionState',
  'GET /simulate/sessions': 'listSessions',
  'GET /simulate/quota': 'getSimulateQuota',
  'POST /simulate/prepare': 'prepareSession',
  'GET /simulate/status': 'getPreparation',
  'POST /simulate/runs': 'startReplay',
  'DELETE /simulate/stream': 'stopRun',
  'GET /simulate/runs': 'listRuns',
  'GET /simulate/runs/{runId}': 'getRun',
  'POST /simulate/runs/{runId}/pause': 'pauseRun',
  'POST /simulate/runs/{runId}/resume': 'resumeRun',
  'POST /simulate/runs/{runId}/seek': 'seekRun',
  'GET /live/runs': 'listLiveRuns',
  'GET /preview/upcoming': 'listPreviews',
  'GET /preview/{sessionId}': 'getPreview',
  'GET /fantasy/races/{raceId}/scores': 'getRaceScores',
  'GET /fantasy/session/{sessionId}/scores': 'getLiveScores',
  'GET /fantasy/session/{sessionId}/pit-times': 'getPitTimes',
  'GET /usage': 'getUsage',
  'GET /usage/by-feed': 'getUsageByFeed',
  'GET /usage/latency': 'getUsageLatency',
  'GET /usage/sla': 'getSla',
};

/**
 * Answered with server-sent events, so no calls: `SlipstreamClient.stream` is the way to them. A replay to endpoints is
 * started with a request of its own.
 */
export const EVENT_STREAMS: ReadonlySet<string> = new Set(['GET /stream', 'GET /simulate/stream']);
