import type { Mistake } from './mistake.ts';

/** What to do about a credential that cannot be used, by what the gateway says of it (`findCredentialFault`). */
const FIXES: readonly (readonly [said: RegExp, name: string, fix: string])[] = [
  [
    /is unknown$/,
    'app-key-unknown',
    'Send the App Key exactly as it was issued, to the gateway that issued it; no credential of this store has it',
  ],
  [/is not for /, 'credential-of-another-method', 'Issue a credential for the method of this endpoint'],
  [/is revoked$/, 'credential-revoked', 'Issue a new credential; a revoked one does not come back'],
  [/has expired$/, 'credential-expired', 'Issue a new credential'],
  [/is not valid yet$/, 'credential-not-yet-valid', 'Wait for the time from which the credential is valid'],
  [/^the consumer .* is disabled$/, 'consumer-disabled', 'Enable the consumer: postern consumer enable'],
];

/** A credential that cannot be used, as a mistake. */
export function callerMistake(fault: string): Mistake {
  const [, name = 'credential-not-usable', fix = 'See the credential: postern credential show'] =
    FIXES.find(([said]) => said.test(fault)) ?? [];
  return { name, what: fault, fix };
}

/** The signature was made with an App Secret that works no more. */
export const FORMER_SECRET: Mistake = {
  name: 'former-secret',
  what: 'the former App Secret was used, which works no more since it was rotated',
  fix: 'Sign with the App Secret that the last rotation gave',
};

/** The secret to explain with is not the one that the gateway checks with. */
export const SECRET_NOT_STORED: Mistake = {
  name: 'secret-not-stored',
  what: 'the App Secret given with --secret-from is another than the one that the store has for this App Key',
  fix: 'Hand the caller the App Secret that the store has, or rotate it',
};
