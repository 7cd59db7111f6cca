import { hash } from 'node:crypto';

/** Characters of an App Key at most. */
export const MAX_APP_KEY_CHARACTERS = 512;

/** What can be an App Key, generated and imported ones (spec §1); {@link MAX_APP_KEY_CHARACTERS} at most. */
export const APP_KEY_PATTERN = new RegExp(`^[A-Za-z0-9._-]{1,${String(MAX_APP_KEY_CHARACTERS)}}$`);

/** What an App Key is made of, in words that follow "has". */
export const APP_KEY_RULE = `1 to ${String(MAX_APP_KEY_CHARACTERS)} of the characters A-Z a-z 0-9 . _ -`;

/** Which characters below 128 can be in one. */
const isCharacter = Array.from({ length: 128 }, (_, code) => APP_KEY_PATTERN.test(String.fromCharCode(code)));

/** The same as {@link APP_KEY_PATTERN}, for checks: a regular expression takes longer to begin than to match. */
export function isAppKey(text: string): boolean {
  if (text.length === 0 || text.length > MAX_APP_KEY_CHARACTERS) return false;
  for (let at = 0; at < text.length; at += 1) if (isCharacter[text.charCodeAt(at)] !== true) return false;
  return true;
}

/** What credentials are found by: the SHA-256 of an App Key, 64 lower-case hex characters, as `sha256sum` prints it. */
export function hashAppKey(appKey: string): string {
  return hash('sha256', appKey, 'hex');
}
