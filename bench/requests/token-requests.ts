import { systemClock } from '../../src/base/clock.ts';
import { AccessTokens } from '../../src/check/tokens/access-tokens.ts';
import { tokenEndpoint } from '../fixtures/document.ts';
import { keyRing } from '../fixtures/key-ring.ts';
import { type Partner } from '../fixtures/partners.ts';
import { type CheckEdit } from './edit-check.ts';

/** The public URL of services that issue and verify tokens. */
export const PUBLIC_URL = 'http://127.0.0.1:10000';

const tokens = new AccessTokens({ issuer: PUBLIC_URL, ring: () => keyRing, clock: systemClock });

/** A request with a new token, as the service under measurement would issue it. */
export function tokenRequest({ appKey, consumer, id }: Partner): CheckEdit {
  const { text } = tokens.issue({ clientId: appKey, consumerId: consumer, credentialId: id, expiresAt: null });
  return {
    path: `${tokenEndpoint.path}/2026-1042?page=2&fields=id%2Cstatus`,
    headers: { authorization: `Bearer ${text}` },
  };
}
