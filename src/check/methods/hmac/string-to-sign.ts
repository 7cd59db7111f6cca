import { type Refusal, refuse } from '../../refusal.ts';
import { headerText, refuseUnsignableText, shownName } from '../../signing/header-text.ts';
import type { SignableRequest } from '../../signing/signable-request.ts';
import { REQUEST_LINE } from './signed-headers.ts';

/** The version that every request line is signed with, whatever the connection speaks (interface document). */
export const SIGNED_HTTP_VERSION = 'HTTP/1.1';

const VERSION = /^HTTP\/\d(?:\.\d)?$/;
const MAJOR_VERSION = /^HTTP\/\d$/;

/**
 * The HTTP versions that a request line may be signed with: always `HTTP/1.1`; with `options.acceptRealHttpVersion`
 * also the one that Envoy reports, which for `HTTP/2` is spelled `HTTP/2` or `HTTP/2.0` (spec §3.2).
 */
export function signableVersions(protocol: string, acceptRealHttpVersion: boolean): readonly string[] {
  const versions = [SIGNED_HTTP_VERSION];
  if (!acceptRealHttpVersion || protocol === SIGNED_HTTP_VERSION || !VERSION.test(protocol)) return versions;
  versions.push(protocol);
  if (MAJOR_VERSION.test(protocol)) versions.push(`${protocol}.0`);
  return versions;
}

/**
 * Builds the hmac string to sign (interface document, Authentication; spec §3.2), once for each version: a line
 * `name: value` for each listed header, the request line for `request-line`, joined by line feeds, none at the end.
 * One character a byte. `host` is the authority; the values of a header that came more than once are joined by `, `.
 *
 * Method and path are those of a request that `checkTarget` passed. Refuses a listed header that the request lacks
 * (`CREDENTIALS_MALFORMED`), and before that (`MALFORMED_REQUEST`) a value with a line break or with lost bytes.
 */
export function hmacTexts(
  request: SignableRequest,
  signedHeaders: readonly string[],
  versions: readonly string[],
): readonly string[] | Refusal {
  let absent: string | null = null;
  let before = '';
  let after = '';
  let isBefore = true;
  for (const name of signedHeaders) {
    if (name === REQUEST_LINE) {
      isBefore = false;
      continue;
    }
    const value = headerText(request, name);
    if (value === null) {
      absent ??= name;
      continue;
    }
    const unsignable = refuseUnsignableText(request, name, value);
    if (unsignable !== null) return unsignable;
    if (isBefore) before += `${name}: ${value}\n`;
    else after += `\n${name}: ${value}`;
  }
  if (absent !== null) {
    return refuse('CREDENTIALS_MALFORMED', `the request has no header ${shownName(absent)}, which is listed as signed`);
  }
  const target = `${request.method} ${request.path}`;
  return versions.map((version) => `${before}${target} ${version}${after}`);
}
