import type { PartnerEndpointOf } from '../model/endpoint.ts';
import { parseApiTimestamp } from '../signature/api-timestamp.ts';
import type { ClientRequest } from '../signature/client-request.ts';
import { parseImfFixdate } from '../signature/imf-fixdate.ts';
import { carriedKeys, meantKeys } from './explain-key.ts';
import { hmacCase } from './hmac/hmac-case.ts';
import { parameterCase, textOf } from './parameters/parameter-case.ts';

/** An endpoint whose requests can be explained: its callers present what can be checked without asking anybody. */
export type ExplainableEndpoint =
  | PartnerEndpointOf<'key'>
  | PartnerEndpointOf<'hmac'>
  | PartnerEndpointOf<'parameter-signature'>;

/** What a request says of its caller, read as leniently as can be. */
export interface SentIdentity {
  /** Null when it carries none. */
  readonly appKey: string | null;
  /** What the caller may have meant by it, where the App Key is the secret; none of them is `appKey`. */
  readonly meantAppKeys: readonly string[];
  /** The signed time in seconds since the epoch; null for none. */
  readonly signedSeconds: number | null;
}

/** Reads who sent a request to an endpoint, and when it was signed. */
export function readSentIdentity(request: ClientRequest, endpoint: ExplainableEndpoint): SentIdentity {
  switch (endpoint.authentication) {
    case 'key': {
      const [value = '', ...later] = carriedKeys(request, endpoint.options.keyNames);
      if (value === '') return { appKey: null, meantAppKeys: [], signedSeconds: null };
      return { appKey: value, meantAppKeys: [...meantKeys(value), ...later], signedSeconds: null };
    }
    case 'hmac': {
      const { authorization, header } = hmacCase(request, endpoint.options);
      const signedSeconds = parseImfFixdate(header('date') ?? '');
      return { appKey: authorization.appKey, meantAppKeys: [], signedSeconds };
    }
    case 'parameter-signature': {
      const { parameters } = parameterCase(request, endpoint.options);
      const valueOf = (wanted: string): string | null => parameters.find(({ name }) => name === wanted)?.value ?? null;
      const appKey = valueOf('appKey');
      const signedSeconds = parseApiTimestamp(Buffer.from(valueOf('apiTimestamp') ?? '', 'latin1'));
      return { appKey: appKey === null || appKey === '' ? null : textOf(appKey), meantAppKeys: [], signedSeconds };
    }
  }
}
