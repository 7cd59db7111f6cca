import { createHmac, randomBytes } from 'node:crypto';
import { clearCookie, cookieNames, isRandomText, readCookie, setCookie } from '../cookies.ts';
import { returnPath } from '../return-path.ts';

/** A person has this long at the provider, in seconds. */
const MAX_AGE_SECONDS = 600;

/**
 * A sign-in that is under way at the provider. It is kept by the browser only, in a cookie that no script reads: what
 * comes back counts in the browser that began, and in any process.
 */
export interface Flow {
  /** 256 random bits, from which the rest follows. */
  readonly secret: string;
  /** Where the person wanted to go. */
  readonly returnTo: string;
}

/** Begins one. */
export function beginFlow(returnTo: string): Flow {
  return { secret: randomBytes(32).toString('base64url'), returnTo };
}

/**
 * `state` (RFC 6749 §10.12), `nonce` (OpenID Connect Core §3.1.2.1) and the code verifier (RFC 7636 §4.1) of a flow.
 */
export function checksOf({ secret }: Flow): {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
} {
  const derive = (what: string): string => createHmac('sha256', secret).update(what).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** The `Set-Cookie` that remembers a flow. */
export function flowCookie({ secret, returnTo }: Flow): string {
  return setCookie(cookieNames.openId, `${secret}.${Buffer.from(returnTo).toString('base64url')}`, MAX_AGE_SECONDS);
}

/** The `Set-Cookie` that forgets it. */
export function forgetFlow(): string {
  return clearCookie(cookieNames.openId);
}

/** The flow that the browser of a request began; null for none. */
export function readFlow(request: Request): Flow | null {
  const [secret = '', encoded = ''] = (readCookie(request, cookieNames.openId) ?? '').split('.', 2);
  if (!isRandomText(secret)) return null;
  return { secret, returnTo: returnPath(Buffer.from(encoded, 'base64url').toString()) };
}
