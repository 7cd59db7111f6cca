/** Bytes of address and headers of a request together. */
export const MAX_HEADER_BYTES = 16_384;

/** The headers that answers state, as the document defines each once. */
export const headers = {
  ETag: {
    description: 'The revision of the resource, for `If-Match`. Absent where a change is only planned.',
    schema: { type: 'string', pattern: '^"[0-9]+"$' },
    example: '"3"',
  },
  Location: {
    description: 'The path of what was created.',
    schema: { type: 'string', format: 'uri-reference' },
    example: '/v1/consumers/acme',
  },
  'Idempotency-Replayed': {
    description: 'Present where this is the answer that the same request with the same `Idempotency-Key` got before.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds after which another try makes sense.',
    schema: { type: 'integer', minimum: 1 },
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750 §3).',
    schema: { type: 'string' },
    example: 'Bearer realm="postern", error="invalid_token"',
  },
  'X-Request-Id': {
    description: 'Names the request in the log.',
    schema: { type: 'string', format: 'uuid' },
  },
} as const;

export type HeaderName = keyof typeof headers;

/** References to headers, by their names. */
export function headersOf(names: readonly HeaderName[]): Readonly<Record<string, { readonly $ref: string }>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
