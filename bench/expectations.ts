import { type CheckResponse } from '../src/gen/envoy/service/auth/v3/external_auth.ts';
import { type Expectation } from './row.ts';

/** Every request is allowed; nothing is known of the caller. */
export const anyAllow: Expectation = { decision: 'allowed' };

/** Every request is allowed on this endpoint; the first one for the first partner, and without its App Key. */
export function allowedAs(endpoint: string): Expectation {
  return {
    decision: 'allowed',
    verify: (answer, { partners }) => {
      const [caller] = partners;
      const headers = headersOf(answer);
      if (answer.dynamicMetadata?.['endpoint'] !== endpoint) return 'another endpoint';
      if (caller === undefined || headers.get('x-consumer-id') !== caller.consumer) return 'another consumer';
      const path = headers.get(':path');
      return path === undefined || path.includes(caller.appKey) ? 'the App Key was not taken out' : null;
    },
  };
}

/** As {@link allowedAs}, and the first answer has the headers of a limit. */
export function allowedWithinLimit(endpoint: string): Expectation {
  const { decision, verify } = allowedAs(endpoint);
  return {
    decision,
    verify: (answer, ports) => {
      const fault = verify?.(answer, ports) ?? null;
      if (fault !== null || answer.httpResponse?.$case !== 'okResponse') return fault;
      const names = answer.httpResponse.value.responseHeadersToAdd.map(({ header }) => header?.key);
      return names.includes('ratelimit') ? null : 'the request was not counted';
    },
  };
}

/** Every request is allowed on this endpoint; the first one for the first partner, on account of its signature. */
export function allowedBySignature(
  endpoint: string,
  { bodyIs }: { readonly bodyIs: 'original' | 'pending' },
): Expectation {
  return {
    decision: 'allowed',
    verify: (answer, { partners }) => {
      if (answer.dynamicMetadata?.['endpoint'] !== endpoint) return 'another endpoint';
      if (headersOf(answer).get('x-consumer-id') !== partners[0]?.consumer) return 'another consumer';
      return answer.dynamicMetadata['postern.body'] === bodyIs ? null : `the body is not ${bodyIs}`;
    },
  };
}

/** Every request is allowed on this endpoint; the first one for the first partner, and without its token. */
export function allowedByToken(endpoint: string): Expectation {
  return {
    decision: 'allowed',
    verify: (answer, { partners }) => {
      if (answer.dynamicMetadata?.['endpoint'] !== endpoint) return 'another endpoint';
      if (headersOf(answer).get('x-consumer-id') !== partners[0]?.consumer) return 'another consumer';
      const isTakenOut =
        answer.httpResponse?.$case === 'okResponse' &&
        answer.httpResponse.value.headersToRemove.includes('authorization');
      return isTakenOut ? null : 'the token was not taken out';
    },
  };
}

/** Every request is allowed on this endpoint; the first one for the first partner. */
export function allowedByCertificate(endpoint: string): Expectation {
  return {
    decision: 'allowed',
    verify: (answer, { partners }) => {
      if (answer.dynamicMetadata?.['endpoint'] !== endpoint) return 'another endpoint';
      return headersOf(answer).get('x-consumer-id') === partners[0]?.consumer ? null : 'another consumer';
    },
  };
}

/** Every request is refused with this code. */
export function refusedWith(code: string): Expectation {
  return {
    decision: 'denied',
    verify: ({ dynamicMetadata }) => (dynamicMetadata?.['code'] === code ? null : 'another refusal'),
  };
}

/** Every request reaches the back end. */
export const forwarded: Expectation = { decision: 'allowed' };

/** Every request reaches the back end; the first one with the identity of the first partner or without one, and without an App Key. */
export function forwardedAs(caller: 'first partner' | 'anonymous'): Expectation {
  return {
    decision: 'allowed',
    verifyReceived: (received, { partners }) => {
      const [partner] = partners;
      const isIdentified = received.includes(`\nx-consumer-id: ${partner?.consumer ?? ''}\n`);
      if (isIdentified !== (caller === 'first partner')) return 'another consumer';
      return partner === undefined || received.includes(partner.appKey) ? 'the App Key was not taken out' : null;
    },
  };
}

function headersOf({ httpResponse }: CheckResponse): ReadonlyMap<string, string> {
  if (httpResponse?.$case !== 'okResponse') return new Map();
  return new Map(httpResponse.value.headers.map(({ header }) => [header?.key ?? '', header?.value ?? '']));
}
