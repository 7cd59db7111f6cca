import { type UsedSignature } from '../../../src/check/replay/replay-guard.ts';
import { NOON } from '../time/fixed-clock.ts';

/** A signature by acme at noon; `text` distinguishes it from others. */
export function usedSignature(text: string, parts: Partial<UsedSignature> = {}): UsedSignature {
  return {
    method: 'hmac',
    appKey: 'acme',
    mark: Buffer.from(text),
    credentialId: 'acme-hmac',
    consumerId: 'acme',
    signedAtSeconds: NOON,
    ...parts,
  };
}
