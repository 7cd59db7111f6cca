import { type CredentialFault, unknownAppKey } from '../../check/methods/caller.ts';
import type { Mistake } from '../../check/methods/explanation/explainer.ts';
import { findJwtMistake } from '../../check/methods/jwt/explain.ts';
import { findTokenMistake } from '../../check/methods/oauth2/explain.ts';
import type { Refusal, RefusalCode } from '../../check/refusal.ts';

const FIXES: Partial<Record<RefusalCode, string>> = {
  PATH_NOT_NORMAL:
    'Send a path without "." and ".." segments, empty segments, "#" and bytes outside ASCII, percent-encoded once and where needed',
  MALFORMED_REQUEST: 'Percent-encode what cannot stand in a request line, and send Host as host or host:port',
  TOO_MANY_PARAMETERS: 'Send at most 100 parameters, sign counted; more fit into JSON',
  AMBIGUOUS_PARAMETERS: 'Send values that hold "&" and "=" as JSON',
  MALFORMED_WRAPPER:
    'Send {"data":"…","appKey":"…","sign":"…","apiTimestamp":1795228800}, in UTF-8, with nothing before or after it',
  ENDPOINT_NOT_FOUND:
    'Check that host, path and method are those of this API, and that --endpoint names the right endpoint (an Envoy route may also name it)',
  BODY_TOO_LARGE: 'Send at most 10 MiB (JSON with a parameter signature: 2 MiB), and give the request with its body',
  CREDENTIALS_MISSING: 'Send the credentials where the endpoint takes them: "postern handover" says where',
  CREDENTIALS_MALFORMED: 'Write the credentials as the endpoint takes them: "postern handover" says how',
  AUTHENTICATION_FAILED: 'Look at the credential and its consumer: postern credential show, postern consumer show',
  REQUEST_EXPIRED:
    'Set the clock of the machine that signs (NTP), and sign each request just before it is sent, also when it is tried again',
  REQUEST_REPLAYED: 'Sign every attempt again, with something in it that differs, such as a nonce',
  DIGEST_MISMATCH: 'Take the digest of the very bytes that are sent, after everything that writes or changes them',
  ADDRESS_NOT_ALLOWED:
    "Call from an address of the allowFrom of consumer and credential, or add this one there if it is the partner's: postern consumer show, postern credential show",
  NOT_AUTHORIZED: 'Give the consumer a grant on the endpoint, or a later end to the one it has: postern grant add',
  RATE_LIMITED: 'Wait as many seconds as Retry-After says, and send less; or raise the limit: postern limit set',
  STORE_UNAVAILABLE:
    'Nothing for the caller to fix: the database, or the issuer of the token, did not answer; "postern doctor" says why; try again',
  LIMITER_UNAVAILABLE:
    'Nothing for the caller to fix: limits could not be counted, "postern doctor" says why; try again',
  BODY_NOT_VERIFIABLE: 'Send a form or JSON in UTF-8, not compressed',
};

/**
 * A refusal as a mistake, for those that say all there is to say: its name is the code in lower case. `fault` is what
 * is known to be wrong with the credential.
 */
export function refusalMistake({ refused, detail }: Refusal, fault: CredentialFault | null): Mistake {
  if (fault?.detail === detail) return callerMistake(fault);
  if (refused === 'TOKEN_INVALID')
    return findTokenMistake(detail) ?? findJwtMistake(detail) ?? callerMistake(unknownAppKey);
  return {
    name: refused.toLowerCase().replaceAll('_', '-'),
    what: detail,
    fix: FIXES[refused] ?? 'See the code in the list of refusals',
  };
}

/** A credential that cannot be used, as a mistake. */
export function callerMistake({ name, detail, fix }: CredentialFault): Mistake {
  return { name, what: detail, fix };
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
