import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { FORM_TOKEN_FIELD } from '../frame/form-token.ts';
import { formOf, MAX_FORM_BYTES } from '../frame/form.ts';
import type { Form } from '../frame/page.ts';
import { clearCookie, cookieNames, readCookie, setCookie } from './cookies.ts';
import { returnPath } from './return-path.ts';

/** A person has this long to sign in again, in seconds. */
const MAX_AGE_SECONDS = 600;
/** Browsers keep cookies of 4096 bytes, names and attributes included. */
const MAX_VALUE_CHARACTERS = 3800;

/**
 * The `Set-Cookie` that keeps a form which was sent without a session, until somebody signs in with the same browser;
 * null for one that is too long. No script reads it, and what comes back is shown to be sent again: it changes nothing.
 */
export function keepForm(path: string, fields: string): string | null {
  const kept = new URLSearchParams(fields);
  kept.delete(FORM_TOKEN_FIELD);
  const packed = deflateRawSync(kept.toString()).toString('base64url');
  const value = `${Buffer.from(path).toString('base64url')}.${packed}`;
  return value.length > MAX_VALUE_CHARACTERS ? null : setCookie(cookieNames.form, value, MAX_AGE_SECONDS);
}

/** The form of this page that the browser of a request keeps; null for none. */
export function readKeptForm(request: Request, path: string): Form | null {
  const [at = '', packed = ''] = (readCookie(request, cookieNames.form) ?? '').split('.', 2);
  if (at === '' || returnPath(Buffer.from(at, 'base64url').toString()) !== path) return null;
  const fields = unpack(Buffer.from(packed, 'base64url'));
  return fields === null ? null : formOf(new URLSearchParams(fields));
}

/** The `Set-Cookie` that forgets it. */
export function forgetForm(): string {
  return clearCookie(cookieNames.form);
}

/** Null for what is no form of ours, such as a cookie that was cut. */
function unpack(packed: Buffer): string | null {
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_FORM_BYTES }).toString();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
