// The schema of an endpoint's own `headers` for the documentation only. The parser of custom headers validates requests,
// because it names every header that is wrong.

export const CUSTOM_HEADERS_SCHEMA = {
  type: 'object',
  description:
    'Headers of every delivery to this endpoint, by name: at most ten. Not those that the service sets, nor those that ' +
    'frame a message. Values are printable ASCII, at most 2,048 characters, 4,096 in all; they are kept sealed.',
  // Without a type for the values, generated clients allow no value at all, or any.
  additionalProperties: { type: 'string' },
  maxProperties: 10,
  examples: [{ Authorization: 'Bearer YOUR_GATEWAY_KEY' }],
};
