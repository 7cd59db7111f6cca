import { randomUUID } from 'node:crypto';
import type { HttpRequest } from '../receive/http-request.ts';

const REQUEST_ID = /^[A-Za-z0-9-]{1,64}$/;

/** The id that names a request in refusals and logs: Envoy's `x-request-id` when it has its form, else a new UUID (spec §5). */
export function requestIdOf(request: HttpRequest | null): string {
  const given = request?.findHeader('x-request-id') ?? null;
  return given !== null && REQUEST_ID.test(given) ? given : randomUUID();
}
