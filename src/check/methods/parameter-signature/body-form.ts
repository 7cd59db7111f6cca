import { type Refusal, refuse } from '../../refusal.ts';
import { type MediaType, parseMediaType } from '../../../base/text/media-type.ts';
import type { SignableRequest } from '../../signing/signable-request.ts';

/** The largest form body that a parameter-signature endpoint takes, inclusive (spec §3.3). */
export const MAX_FORM_BODY_BYTES = 10_485_760;
/** The largest JSON body that a parameter-signature endpoint takes, inclusive (spec §3.3). */
export const MAX_JSON_BODY_BYTES = 2_097_152;

/** Where the parameters of a parameter signature stand (spec §3.3): in the URL, in a form body or in a JSON wrapper. */
export type BodyForm = 'url' | 'form' | 'json';

const VERIFIED_BODIES: ReadonlyMap<string, { readonly form: BodyForm; readonly maxBytes: number }> = new Map([
  ['application/x-www-form-urlencoded', { form: 'form', maxBytes: MAX_FORM_BODY_BYTES }],
  ['application/json', { form: 'json', maxBytes: MAX_JSON_BODY_BYTES }],
]);
const UTF8_CHARSETS = ['utf-8', 'utf8'];

/**
 * Chooses the form by the body and its `Content-Type` (spec §3.3). Without a body it is `url`, whatever the type.
 *
 * Refuses with `BODY_TOO_LARGE` a body over the limit of its media type, and then with `BODY_NOT_VERIFIABLE` a body
 * that cannot be verified: another media type (unless `unsignedBody` is `forward`, which makes it `url`), a repeated
 * `Content-Type`, a charset other than UTF-8, a `Content-Encoding` other than `identity`.
 */
export function chooseBodyForm(request: SignableRequest, unsignedBody: 'refuse' | 'forward'): BodyForm | Refusal {
  if (request.body.length === 0) return 'url';
  const types = request.headers.valuesOf('content-type');
  const text = types[0] ?? '';
  if (types.length > 1 || text.includes(',')) return unverifiable('the request has more than one Content-Type');

  const mediaType = parseMediaType(text);
  const verified = VERIFIED_BODIES.get(mediaType.essence);
  if (verified === undefined) {
    return unsignedBody === 'forward' ? 'url' : unverifiable('the body is neither a form nor JSON');
  }
  if (request.body.length > verified.maxBytes) {
    return refuse('BODY_TOO_LARGE', `the ${verified.form} body has more than ${String(verified.maxBytes)} bytes`);
  }
  if (mediaType.charsets === null) return unverifiable('the parameters of the Content-Type are not well formed');
  if (!isUtf8Type(mediaType)) {
    return unverifiable('the charset of the body is not UTF-8');
  }
  const encodings = request.headers.valuesOf('content-encoding');
  if (encodings.length > 1 || (encodings[0]?.toLowerCase() ?? 'identity') !== 'identity') {
    return unverifiable('the body has a Content-Encoding');
  }
  return verified.form;
}

/** Whether a body of this media type is one that signatures are verified over. */
export function isVerifiedType({ essence }: MediaType): boolean {
  return VERIFIED_BODIES.has(essence);
}

/** Whether a media type is well formed and says nothing against UTF-8. */
export function isUtf8Type({ charsets }: MediaType): boolean {
  return charsets !== null && charsets.length < 2 && charsets.every((charset) => UTF8_CHARSETS.includes(charset));
}

function unverifiable(detail: string): Refusal {
  return refuse('BODY_NOT_VERIFIABLE', detail);
}
