import { randomUUID } from 'node:crypto';
import type { HttpRequest } from './http-request.ts';

const REQUEST_ID = /^[A-Za-z0-9-]{1,64}$/;

/** Whether Envoy's `x-request-id` has the form in which answers and logs repeat it (spec §5). */
export function isRequestId(text: string): boolean {
  return REQUEST_ID.test(text);
}

/**
 * The id of a request in refusals and logs: Envoy's `x-request-id` when it has that form, else a new UUID (spec §5).
 */
export function requestIdOf(request: HttpRequest | null): string {
  const given = request?.headers.find('x-request-id') ?? null;
  return given !== null && isRequestId(given) ? given : randomUUID();
}
