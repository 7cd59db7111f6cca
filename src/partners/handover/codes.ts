import type { PartnerEndpoint } from '../../model/endpoint.ts';
import { type RefusalCode, refusalAnswers } from '../../check/refusal.ts';

/** A refusal that a partner can get, and what it means to them. */
export interface CodeMeaning {
  readonly code: string;
  readonly status: number;
  readonly meaning: string;
}

/** What every method can refuse with; those of a method come from its guide. */
const shared: Partial<Readonly<Record<RefusalCode, string>>> = {
  MALFORMED_REQUEST:
    'The request cannot be read without doubt: bad percent-encoding, or parameters where nothing signs them.',
  PATH_NOT_NORMAL: 'The path holds `..`, `//`, an encoded `/`, or, over HTTP/2, a byte that is not ASCII.',
  ENDPOINT_NOT_FOUND: 'There is no API at this host, path and HTTP method.',
  BODY_TOO_LARGE: 'The body is larger than we take.',
  STORE_UNAVAILABLE: 'We cannot check credentials now. Try again after a second.',
  UNAVAILABLE: 'We cannot decide now. Try again after a second.',
  INTERNAL: 'A fault of ours. Write to us, with the `requestId`.',
};

/** Envoy's own answer where it has no better word (spec §5). */
const GATEWAY_ERROR: CodeMeaning = {
  code: 'GATEWAY_ERROR',
  status: 502,
  meaning: 'Something between you and the API failed. The status says more.',
};

/** An endpoint with what counts on it, and what its method can refuse with. */
export interface RefusingEndpoint {
  readonly endpoint: PartnerEndpoint;
  /** Those of the endpoint, the grant and the plan. */
  readonly limits: readonly unknown[];
  /** Whether its callers may come from some networks only. */
  readonly isAddressJudged: boolean;
  readonly ofMethod: Partial<Readonly<Record<RefusalCode, string>>>;
}

/**
 * The refusals that calls of these endpoints can get, in the order of their statuses. Different meanings are joined.
 */
export function codesOf(endpoints: readonly RefusingEndpoint[]): readonly CodeMeaning[] {
  const meanings = new Map<RefusalCode, Set<string>>();
  for (const each of endpoints) {
    for (const [code, text] of Object.entries({ ...shared, ...each.ofMethod, ...dependentCodes(each) })) {
      const known = meanings.get(code as RefusalCode) ?? new Set();
      meanings.set(code as RefusalCode, known.add(text));
    }
  }
  const codes = (Object.keys(refusalAnswers) as RefusalCode[]).flatMap((code) => {
    const texts = meanings.get(code);
    if (texts === undefined) return [];
    return [{ code, status: refusalAnswers[code].status, meaning: [...texts].join(' ') }];
  });
  return [...codes, GATEWAY_ERROR].sort((one, other) => one.status - other.status);
}

/** What depends on the endpoint and its limits, whatever the method. */
function dependentCodes({ endpoint, limits, isAddressJudged }: RefusingEndpoint): Partial<Record<RefusalCode, string>> {
  const { options, accessCondition } = endpoint;
  const hasReplayMemory = 'replayProtection' in options && options.replayProtection;
  return {
    ...(isAddressJudged
      ? {
          ADDRESS_NOT_ALLOWED:
            'You call from another address than you told us. Call from one of those, or write to us.',
        }
      : {}),
    ...(accessCondition === 'authenticated-and-authorized'
      ? { NOT_AUTHORIZED: 'You are known, and not (or not any more) authorised on this API. Write to us.' }
      : {}),
    ...(limits.length > 0 || hasReplayMemory
      ? { RATE_LIMITED: 'A limit is reached. Wait as many seconds as `Retry-After` says.' }
      : {}),
    ...(limits.length > 0 && options.onLimiterFailure === 'deny'
      ? { LIMITER_UNAVAILABLE: 'We cannot count requests now. Try again after a second.' }
      : {}),
  };
}
