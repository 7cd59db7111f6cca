import { parse } from 'hono/utils/cookie';

/**
 * The cookies of the console. Browsers take a name with `__Host-` only with `Secure`, for the whole host and for no
 * other one (RFC 6265bis §4.1.3), so that no neighbour of the host plants one. Chromium takes it over plain HTTP from
 * loopback too.
 */
export const cookieNames = {
  session: '__Host-postern',
  /** A sign-in at the OpenID Connect provider that is under way. */
  openId: '__Host-postern-openid',
  /** A form that was sent after the session had ended. */
  form: '__Host-postern-form',
} as const;

type CookieName = (typeof cookieNames)[keyof typeof cookieNames];

/** Not sent with what other sites embed or submit; sent when a person follows a link to here. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** 256 random bits, as base64url. */
const RANDOM_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/**
 * A `Set-Cookie` (RFC 6265 §4.1). Ends with the browser, unless `maxAgeSeconds` is given. The value needs no quoting.
 */
export function setCookie(name: CookieName, value: string, maxAgeSeconds?: number): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${String(maxAgeSeconds)}`;
  return `${name}=${value}; ${ATTRIBUTES}${age}`;
}

/** A `Set-Cookie` that makes the browser forget. */
export function clearCookie(name: CookieName): string {
  return setCookie(name, '', 0);
}

/** The value of a cookie that a request carries; null without it. */
export function readCookie(request: Request, name: CookieName): string | null {
  return parse(request.headers.get('cookie') ?? '', name)[name] ?? null;
}

/** Whether a text has the form of 256 random bits. */
export function isRandomText(text: string): boolean {
  return RANDOM_PATTERN.test(text);
}

/** Whether a request carries what may be a session: whether it is one, the store knows. */
export function hasSessionCookie(request: Request): boolean {
  return isRandomText(readCookie(request, cookieNames.session) ?? '');
}
