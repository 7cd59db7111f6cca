import { hash } from 'node:crypto';

/** Characters of an App Key at most. */
export const MAX_APP_KEY_CHARACTERS = 512;

/** What can be an App Key beside an App Secret, or as the secret itself, generated and imported ones (spec §1). */
export const APP_KEY_PATTERN = new RegExp(`^[A-Za-z0-9._-]{1,${String(MAX_APP_KEY_CHARACTERS)}}$`);

/** What an App Key is made of, in words that follow "has". */
export const APP_KEY_RULE = `1 to ${String(MAX_APP_KEY_CHARACTERS)} of the characters A-Z a-z 0-9 . _ -`;

/**
 * What can be the App Key of a credential with a public key: what the partner's software sends as `keyid`, or as `iss`
 * and `sub` (spec §1). Every {@link APP_KEY_PATTERN} fits too.
 */
export const KEY_ID_PATTERN = new RegExp(`^[ !#-\\[\\]-~]{1,${String(MAX_APP_KEY_CHARACTERS)}}$`);

/** What such an App Key is made of, in words that follow "has" or "must be". */
export const KEY_ID_RULE = `1 to ${String(MAX_APP_KEY_CHARACTERS)} printable ASCII characters, none of them " or \\`;

/** Stands for the thumbprint of the public key (RFC 7638) where an App Key is given. */
export const THUMBPRINT_APP_KEY = 'thumbprint';

/** Which characters below 128 can be in an App Key of any kind. */
const isCharacter = Array.from({ length: 128 }, (_, code) => KEY_ID_PATTERN.test(String.fromCharCode(code)));

/**
 * Whether a text can be the App Key of any credential, for look-ups. By hand: a regular expression takes longer to
 * begin than to match.
 */
export function isAppKey(text: string): boolean {
  if (text.length === 0 || text.length > MAX_APP_KEY_CHARACTERS) return false;
  for (let at = 0; at < text.length; at += 1) if (isCharacter[text.charCodeAt(at)] !== true) return false;
  return true;
}

/** What credentials are found by: the SHA-256 of an App Key, 64 lower-case hex characters, as `sha256sum` prints it. */
export function hashAppKey(appKey: string): string {
  return hash('sha256', appKey, 'hex');
}
