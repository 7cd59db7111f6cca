import { maskSecrets } from '../signing/mask-secrets.ts';
import { describeStringToSign, MAX_HINT_BYTES } from '../signing/string-to-sign-hint.ts';

/** Signed headers that hold credentials. */
const SECRET_HEADER = /^((?:proxy-)?authorization|(?:set-)?cookie|x-(?:app|api)-key): .*$/gim;
/** Parameters that may hold them. Where parameters are signed, the App Key is public; elsewhere it is a secret. */
const SECRET_NAME = /secret|passw|pwd|token|key/i;
const PUBLIC_NAME = 'appKey';
const REQUEST_LINE = /^([A-Z]+ [^\s?]*\?)(\S*)(?= HTTP\/\d)/gm;
/** A secret that is cut where the text is cut would not be found. */
const BEYOND_CUT_BYTES = 1024;

/**
 * A string to sign as it is kept: as `signatureHints` shows it, with asterisks for App Secrets that callers put into
 * it, and for what its name makes a credential. The same text gives the same.
 */
export function keepStringToSign(text: Uint8Array, secrets: readonly Buffer[]): string {
  const start = Buffer.from(text.subarray(0, MAX_HINT_BYTES + BEYOND_CUT_BYTES));
  const masked = describeStringToSign(maskSecrets(start, secrets));
  // Where the cut above took something off, the mark of it may be missing below it.
  const isCut = text.length > MAX_HINT_BYTES && !masked.endsWith('…');
  return maskNamed(isCut ? `${masked}…` : masked);
}

function maskNamed(text: string): string {
  return maskParameters(text, PUBLIC_NAME)
    .replace(REQUEST_LINE, (_, before: string, query: string) => before + maskParameters(query, null))
    .replace(SECRET_HEADER, '$1: ***');
}

function maskParameters(text: string, publicName: string | null): string {
  return text.replace(/[^&?\s]+/g, (part) => {
    const name = part.slice(0, Math.max(part.indexOf('='), 0));
    return name !== publicName && SECRET_NAME.test(name) ? `${name}=***` : part;
  });
}
