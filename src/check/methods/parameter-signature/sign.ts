import { isUtf8 } from 'node:buffer';
import type { Secret } from '../../../model/secret.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../signing/client-request.ts';
import { queryOf, withQuery } from '../../signing/signable-request.ts';
import { chooseBodyForm } from './body-form.ts';
import { type ParameterReadingOptions, parseParameterRequest } from './request.ts';
import { parseParameterCredentials, signatureOf } from './signature.ts';

/** With what, and for which endpoint, a request is signed over its parameters. */
export interface ParameterSigning {
  readonly appKey: string;
  readonly secret: Secret;
  /** The value of `apiTimestamp`; null leaves it out. */
  readonly timestampSeconds: number | null;
  readonly options: ParameterReadingOptions;
}

/**
 * Signs a request as a caller (interface document, Authentication) by adding `appKey`, `apiTimestamp` and `sign`: to
 * the query when there is no body to be verified, to a form body, or, when the body is `application/json`, in a wrapper
 * whose `data` is that body. All other bytes stay. A refusal is what the gateway would say to such a request, for
 * example that its parameters are ambiguous.
 */
export function signParameters(request: ClientRequest, signing: ParameterSigning): ClientRequest | Refusal {
  const form = chooseBodyForm(signableRequest(request), signing.options.unsignedBody);
  if (typeof form !== 'string') return form;
  if (form === 'json' && !isUtf8(request.body)) return refuse('MALFORMED_WRAPPER', 'the JSON body is not UTF-8');
  const place = {
    url: (sign: string | null) => ({
      ...request,
      path: withQuery(request.path, extended(queryOf(request.path), signing, sign)),
    }),
    form: (sign: string | null) => ({
      ...request,
      body: Buffer.from(extended(request.body.toString('latin1'), signing, sign), 'latin1'),
    }),
    json: (sign: string | null) => ({ ...request, body: wrapperOf(request.body, signing, sign ?? '') }),
  }[form];

  const unsigned = parseParameterRequest(signableRequest(place(null)), signing.options);
  if (isRefusal(unsigned)) return unsigned;
  const signed = place(signatureOf(unsigned.texts[0]?.() ?? [], signing.secret));
  const parsed = parseParameterRequest(signableRequest(signed), signing.options);
  if (isRefusal(parsed)) return parsed;
  const credentials = parseParameterCredentials(parsed, { requireTimestamp: false });
  return isRefusal(credentials) ? credentials : signed;
}

/** A query or form with the parameters of authentication after its own. */
function extended(text: string, { appKey, timestampSeconds }: ParameterSigning, sign: string | null): string {
  const parts = [
    ...(text === '' ? [] : [text]),
    `appKey=${encodeURIComponent(appKey)}`,
    ...(timestampSeconds === null ? [] : [`apiTimestamp=${String(timestampSeconds)}`]),
    ...(sign === null ? [] : [`sign=${sign}`]),
  ];
  return parts.join('&');
}

function wrapperOf(data: Buffer, { appKey, timestampSeconds }: ParameterSigning, sign: string): Buffer {
  const timestamp = timestampSeconds === null ? {} : { apiTimestamp: timestampSeconds };
  return Buffer.from(JSON.stringify({ data: data.toString('utf8'), appKey, sign, ...timestamp }), 'utf8');
}
