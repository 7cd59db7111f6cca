import type { SignatureOptions } from '../../../model/endpoint.ts';
import type { Rule } from './guide.ts';

/** How right the clock of a partner must be. */
export function clockRule({ clockSkewSeconds }: SignatureOptions): Rule {
  return ['Clock', `at most ${String(clockSkewSeconds)} seconds from ours, both ways`];
}

/** Whether a signature passes once only, and `how` a partner makes each one differ. */
export function replayRule({ replayProtection }: SignatureOptions, how: string): Rule {
  return [
    'Replay protection',
    replayProtection
      ? `on: every signature passes once. Send ${how}; in the signing clients, switch the nonce on`
      : 'off: no nonce is needed',
  ];
}

/** Only where refusals show what the gateway built. */
export function hintRule({ signatureHints }: SignatureOptions): readonly Rule[] {
  if (!signatureHints) return [];
  return [['Hints', 'a refusal with `AUTHENTICATION_FAILED` shows our string to sign as `stringToSign`']];
}
