import { findCredentialFault } from '../../check/methods/caller.ts';
import type { Mistake } from '../../check/methods/explanation/explainer.ts';
import { proofOf, TOKEN_METHOD } from '../../check/methods/methods.ts';
import { declareTime } from '../../resources/declared.ts';
import type { WhichSecret } from '../../model/credential.ts';
import type { AuthenticationMethod, Endpoint } from '../../model/endpoint.ts';
import { formerEndOf, materialFacts } from '../../model/material.ts';
import { refusalAnswers, type RefusalCode } from '../../check/refusal.ts';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import type { HeldCredential } from '../../check/store/credential-source.ts';
import { adviseOn, type Subject } from './advice.ts';
import { callerMistake, FORMER_SECRET, refusalMistake, SECRET_NOT_STORED } from './refusal-mistakes.ts';

/** What a store knows today of a refusal that was kept. */
export interface KeptContext {
  /** Null when it was at the OAuth2 endpoints, or the endpoint is no longer there. */
  readonly endpoint: Endpoint | null;
  /** Null when it is no longer there. */
  readonly held: HeldCredential | null;
  /** Whether credential or consumer were changed after the refusal. */
  readonly isChangedSince: boolean;
  /** Which App Secret the given one is; null when none was given, or the stored ones cannot be read. */
  readonly givenSecret: WhichSecret | 'other' | null;
  /** Null where consumer or endpoint are no longer there. */
  readonly subject: Subject | null;
  /** The last rotation of the credential before the refusal; null when none is known. */
  readonly rotation: KeptRotation | null;
}

/** A rotation before a refusal. Seconds since the epoch. */
export interface KeptRotation {
  /** Null where only the end of the former secret is known. */
  readonly atSeconds: number | null;
  /** When the former App Secret, or the credential where its App Key is the secret, ended or ends. */
  readonly formerEndsAt: number;
  /** Of method `key`: the credential that follows; null for none, or where it is not known. */
  readonly successorId: string | null;
}

/** What can be said of a refusal without its request. */
export interface KeptExplanation {
  readonly mistakes: readonly Mistake[];
  readonly notes: readonly string[];
  /** Whether only the request itself can say more: a signature was wrong, and no other reason is known. */
  readonly needsRequest: boolean;
}

/** Whether a client was refused at the token endpoint. Requests that no endpoint took name no credential. */
function isAtTokenEndpoint({ endpointId, credentialId }: Pick<RefusalRecord, 'endpointId' | 'credentialId'>): boolean {
  return endpointId === null && credentialId !== null;
}

/** The method that a refused request was to prove its caller by; null for none, or where that is not known. */
export function methodOf(
  record: Pick<RefusalRecord, 'endpointId' | 'credentialId'>,
  endpoint: Endpoint | null,
): AuthenticationMethod | null {
  return isAtTokenEndpoint(record) ? TOKEN_METHOD : (endpoint?.authentication ?? null);
}

/**
 * Explains a refusal that was kept, by its code and by the credential that it is about. The credential is judged as it
 * is today, at the time of the refusal.
 */
export function explainKept(record: RefusalRecord, context: KeptContext): KeptExplanation {
  const { endpoint, held, isChangedSince, givenSecret, subject, rotation } = context;
  const isUnmatched = record.credentialId === null;
  const method = methodOf(record, endpoint);
  const atSeconds = Math.floor(record.atMs / 1000);
  const fault = held === null || method === null ? null : findCredentialFault(held, method, atSeconds);
  const isOfCredential = fault?.detail === record.detail;
  const isSigned = proofOf(endpoint) === 'signature' || isAtTokenEndpoint(record);
  const isProofWrong = isSigned && PROOF_CODES.includes(record.code) && !isOfCredential;
  const { rotated } = materialFacts[held?.credential.material.kind === 'public-key' ? 'public-key' : 'shared-secret'];
  const code = codeOf(record.code);
  const mistakes = [
    ...(isOfCredential ? [callerMistake(fault)] : []),
    ...(isOfCredential || isProofWrong || code === null
      ? []
      : [refusalMistake({ refused: code, detail: record.detail }, fault)]),
    ...(isProofWrong && givenSecret === 'other' ? [SECRET_NOT_STORED] : []),
    ...(isProofWrong && givenSecret === 'retiring' && !isFormerLive(held, atSeconds) ? [FORMER_SECRET] : []),
  ];
  return {
    mistakes: mistakes.map((mistake) => adviseOn(mistake, subject)),
    needsRequest: isProofWrong && record.endpointId !== null,
    notes: [
      ...(held === null && !isUnmatched ? [`The credential ${record.credentialId} is no longer there.`] : []),
      ...(record.endpointId !== null && endpoint === null
        ? [`The endpoint ${record.endpointId} is no longer there.`]
        : []),
      ...(fault !== null && !isOfCredential ? [`Today, ${fault.detail}.`] : []),
      ...(rotation !== null && (isProofWrong || isOfCredential)
        ? [describeRotation(rotation, rotated, atSeconds)]
        : []),
      ...(isChangedSince ? ['The credential or its consumer was changed after the refusal.'] : []),
      ...(isProofWrong && givenSecret === 'current'
        ? [RIGHT_SECRET[record.endpointId === null ? 'sent' : 'signed']]
        : []),
    ],
  };
}

const PROOF_CODES: readonly string[] = ['AUTHENTICATION_FAILED', 'invalid_client'];

const RIGHT_SECRET = {
  signed:
    'The App Secret given is the right one: if the partner uses this one, the text that was signed is another than the gateway builds.',
  sent: 'The App Secret given is the right one: if the partner has this one, it is changed on its way, such as by encoding or white space.',
} as const;

/** A partner who goes on with what a rotation replaced is refused once that has ended. */
function describeRotation(
  { atSeconds, formerEndsAt, successorId }: KeptRotation,
  what: string,
  refusedAt: number,
): string {
  const former = successorId === null ? `former ${what}` : 'App Key';
  const rotated = atSeconds === null ? 'the' : `the credential was rotated at ${declareTime(atSeconds)}, and its`;
  const follows = successorId === null ? '' : `; ${successorId} follows it`;
  const end = declareTime(formerEndsAt);
  return refusedAt < formerEndsAt
    ? `Before the refusal, ${rotated} ${former} worked until ${end}${follows}.`
    : `Before the refusal, ${rotated} ${former} ended at ${end}${follows}: a partner who goes on with the former one is refused like this.`;
}

function isFormerLive(held: HeldCredential | null, atSeconds: number): boolean {
  const formerEnd = held === null ? null : formerEndOf(held.credential.material);
  return formerEnd !== null && atSeconds < formerEnd;
}

/** The code of a check that says the same; null for another error of the OAuth2 endpoints. */
function codeOf(code: string): RefusalCode | null {
  if (code === 'unauthorized_client') return 'ADDRESS_NOT_ALLOWED';
  return isRefusalCode(code) ? code : null;
}

function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(refusalAnswers, code);
}
