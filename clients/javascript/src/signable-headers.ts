import { isToken, valuesOf } from './headers.ts';
import { PosternProblem } from './problem.ts';
import { authorityOf, type WireRequest } from './wire-request.ts';

const NEVER_SIGNED = ['authorization', 'connection', 'keep-alive', 'te', 'transfer-encoding', 'x-request-id'];
const NEVER_SIGNED_PREFIXES = ['x-forwarded-', 'x-envoy-'];
const IDENTITY = /^x-(?:consumer-|credential-|authenticated-|anonymous-consumer$)/;
const SIGNABLE_VALUE = /^[\t\x20-\x7e]*$/;

/** Refuses with `HEADER_NOT_SIGNABLE` a name, in lower case, that the gateway takes no signature over. */
export function checkName(name: string): void {
  if (!isToken(name)) throw new PosternProblem('HEADER_NOT_SIGNABLE', 'a name that is to be signed is no header name');
  const isNeverSigned =
    NEVER_SIGNED.includes(name) ||
    NEVER_SIGNED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    IDENTITY.test(name.replaceAll('_', '-'));
  if (isNeverSigned) throw notSignable(name, 'is one that the gateway takes no signature over');
}

/**
 * The value of a header, by its lower-case name, as it is signed. Refuses with `HEADER_NOT_SIGNABLE` one that is
 * absent, repeated or beyond visible ASCII. A `Host` that was given is what the library sends instead of the URL's.
 */
export function signedValue(name: string, { origin, headers }: Pick<WireRequest, 'origin' | 'headers'>): string {
  const values = valuesOf(headers, name);
  const value = values[0] ?? (name === 'host' ? authorityOf(origin) : undefined);
  if (value === undefined) throw notSignable(name, 'is to be signed and not in the request');
  if (values.length > 1) throw notSignable(name, 'is in the request more than once');
  if (!SIGNABLE_VALUE.test(value)) throw notSignable(name, 'has a value beyond visible ASCII');
  return value;
}

/** The problem of a header that cannot be signed. */
export function notSignable(name: string, why: string): PosternProblem {
  return new PosternProblem('HEADER_NOT_SIGNABLE', `the header ${name} ${why}`);
}
