import type { Endpoint } from '../model/endpoint.ts';
import { readUnverifiedClaims, type TokenClaims } from '../oauth2/token-claims.ts';
import type { ClientRequest } from '../signing/client-request.ts';
import { parseApiTimestamp, parseImfFixdate } from '../signing/signed-time.ts';
import { carriedKeys, meantKeys } from './explain-key.ts';
import { sentToken } from './explain-token.ts';
import { hmacCase } from './hmac/hmac-case.ts';
import { parameterCase, valueOf } from './parameters/parameter-case.ts';
import { textOf } from './text-encoding.ts';

/** What a request says of its caller, read as leniently as can be. */
export interface SentIdentity {
  /** Null when it carries none. */
  readonly appKey: string | null;
  /** What the caller may have meant by it, where the App Key is the secret; none of them is `appKey`. */
  readonly meantAppKeys: readonly string[];
  /** The signed time in seconds since the epoch; null for none. */
  readonly signedSeconds: number | null;
  /** What its access token says of itself, which may be a lie; null for none. */
  readonly claims: TokenClaims | null;
}

const NOBODY: SentIdentity = { appKey: null, meantAppKeys: [], signedSeconds: null, claims: null };

/** Reads who sent a request to an endpoint, and when it was signed. */
export function readSentIdentity(request: ClientRequest, endpoint: Endpoint): SentIdentity {
  switch (endpoint.authentication) {
    case null:
      return NOBODY;
    case 'oauth2': {
      const token = sentToken(request, endpoint.options);
      const claims = typeof token === 'string' ? readUnverifiedClaims(token) : null;
      return { ...NOBODY, appKey: claims?.clientId ?? null, claims };
    }
    case 'key': {
      const [value = '', ...later] = carriedKeys(request, endpoint.options.keyNames);
      if (value === '') return NOBODY;
      return { ...NOBODY, appKey: value, meantAppKeys: [...meantKeys(value), ...later] };
    }
    case 'hmac': {
      const { authorization, header } = hmacCase(request, endpoint.options);
      const signedSeconds = parseImfFixdate(header('date') ?? '');
      return { ...NOBODY, appKey: authorization.appKey, signedSeconds };
    }
    case 'parameter-signature': {
      const context = parameterCase(request, endpoint.options);
      const appKey = valueOf(context, 'appKey');
      const signedSeconds = parseApiTimestamp(Buffer.from(valueOf(context, 'apiTimestamp') ?? '', 'latin1'));
      return { ...NOBODY, appKey: appKey === null || appKey === '' ? null : textOf(appKey), signedSeconds };
    }
  }
}
