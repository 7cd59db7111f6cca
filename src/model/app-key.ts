import { hash } from 'node:crypto';
import type { AuthenticationMethod } from './endpoint.ts';

export const MAX_APP_KEY_CHARACTERS = 512;

/** What can be an App Key, generated and imported ones (spec §1); {@link MAX_APP_KEY_CHARACTERS} at most. */
export const APP_KEY_PATTERN = new RegExp(`^[A-Za-z0-9._-]{1,${String(MAX_APP_KEY_CHARACTERS)}}$`);

/** What credentials are found by: the SHA-256 of an App Key, 64 lower-case hex characters, as `sha256sum` prints it. */
export function hashAppKey(appKey: string): string {
  return hash('sha256', appKey, 'hex');
}

/** Whether the App Key is the secret itself (spec §1): it is, for a credential of method `key` and no other. */
export function isAppKeySecret(methods: readonly AuthenticationMethod[]): boolean {
  return methods.every((method) => method === 'key');
}
