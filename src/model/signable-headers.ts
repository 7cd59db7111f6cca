import { isIdentityName } from './identity-names.ts';

/** Removed or rewritten before a check, or by the check itself: a signature over them would prove nothing. */
const UNSIGNABLE_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'keep-alive',
  'te',
  'transfer-encoding',
  'x-request-id',
]);
const UNSIGNABLE_PREFIXES = ['x-forwarded-', 'x-envoy-'];

/** Whether a signature may cover a header, by its lower-case name (spec §3.2). */
export function isSignableHeader(name: string): boolean {
  if (UNSIGNABLE_NAMES.has(name) || isIdentityName(name)) return false;
  return !UNSIGNABLE_PREFIXES.some((prefix) => name.startsWith(prefix));
}
