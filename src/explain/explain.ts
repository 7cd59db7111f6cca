import type { PartnerEndpointOf } from '../model/endpoint.ts';
import { refuse, type Refusal, type RefusalCode } from '../refusal.ts';
import { refusalAnswers } from '../respond/refusal-answers.ts';
import { compileEndpointTable } from '../route/endpoint-table.ts';
import { parseAuthority } from '../route/host.ts';
import { parseTarget } from '../route/path.ts';
import type { ClientRequest } from '../signature/client-request.ts';
import { findDifference } from './difference.ts';
import { explainKey } from './explain-key.ts';
import type { Answer, ExplainInput, Explanation, Verdict } from './explanation.ts';
import type { Finding } from './finding.ts';
import { explainHmac } from './hmac/explain-hmac.ts';
import type { Mistake } from './mistake.ts';
import { OTHER_APP_KEY } from './other-app-key.ts';
import { explainParameters } from './parameters/explain-parameters.ts';
import { SHOWN_SECRET } from './parameters/parameter-recipe.ts';
import { refusalMistake } from './refusal-mistake.ts';

const UNAUTHENTICATED = 401;
/** Refusals for many reasons, which are mistakes of their own. */
const SAID_BY_MISTAKES: readonly RefusalCode[] = ['MALFORMED_REQUEST', 'MALFORMED_WRAPPER', 'BODY_NOT_VERIFIABLE'];

/** An endpoint whose requests can be explained: its callers present what can be checked without a store. */
export type ExplainableEndpoint =
  | PartnerEndpointOf<'key'>
  | PartnerEndpointOf<'hmac'>
  | PartnerEndpointOf<'parameter-signature'>;

/**
 * Explains what the gateway makes of a request: what it would answer, which mistakes were made, and where the string
 * that was signed parts from the one that it builds. Pure; the same input gives the same explanation.
 */
export function explain(request: ClientRequest, endpoint: ExplainableEndpoint, input: ExplainInput): Explanation {
  const finding = explainMethod(request, endpoint, input);
  const before = refuseBefore(request, endpoint);
  const refusal = before ?? finding.refusal;
  const mistakes = uniqueMistakes([
    ...(refusal === null || !saysEnough(refusal, finding.mistakes) ? [] : [refusalMistake(refusal)]),
    ...finding.mistakes,
  ]);
  const fitsNothing = finding.search !== null && !finding.search.isExplained;
  // What is refused for another reason is explained by that reason.
  const isUnexplained =
    fitsNothing && (mistakes.length === 0 || isAboutSignature(refusal)) && !mistakes.some(isOtherAppKey);
  const isOnlyOld = refusal?.refused === 'REQUEST_EXPIRED' && finding.isOld && mistakes.length === 0;
  const verdict: Verdict =
    refusal === null ? 'right' : isOnlyOld ? 'right-but-old' : isUnexplained ? 'unexplained' : 'wrong';
  const { stringToSign, signed, search } = finding;
  const secret = Buffer.from(input.secret, 'utf8');
  return {
    verdict,
    authentication: endpoint.authentication,
    answer: answerOf(refusal),
    mistakes: verdict === 'right' ? [] : mistakes,
    difference: stringToSign === null || signed === null ? null : differenceOf(endpoint, stringToSign, signed, secret),
    stringToSign: stringToSign === null ? null : masked(stringToSign, secret),
    checked: isUnexplained ? (search?.checked ?? []) : [],
    notes: [
      ...notesOf(finding, refusal),
      ...(fitsNothing && !isUnexplained
        ? ['The signature fits no known mistake; mend this first, and try again.']
        : []),
    ],
  };
}

function explainMethod(request: ClientRequest, endpoint: ExplainableEndpoint, input: ExplainInput): Finding {
  switch (endpoint.authentication) {
    case 'key':
      return explainKey(request, endpoint.options, input);
    case 'hmac':
      return explainHmac(request, endpoint.options, input);
    case 'parameter-signature':
      return explainParameters(request, endpoint.options, input);
  }
}

/** What is refused before credentials are looked at (spec §2, §3 "Order of checks"). */
function refuseBefore(request: ClientRequest, endpoint: ExplainableEndpoint): Refusal | null {
  const target = parseTarget(request.path);
  if ('reason' in target) return refuse('PATH_NOT_NORMAL', target.reason);
  const host = parseAuthority(request.authority);
  if (host === null) return refuse('MALFORMED_REQUEST', 'the authority is not host[:port]');
  if (!endpoint.enabled) return refuse('ENDPOINT_NOT_FOUND', `the endpoint ${endpoint.id} is disabled`);
  const table = compileEndpointTable([endpoint]);
  if (table.find(host, target.comparable, request.method) === null) {
    return refuse('ENDPOINT_NOT_FOUND', `host, path or method do not lead to the endpoint ${endpoint.id}`);
  }
  if (endpoint.authentication === 'key') return null;
  return refuseUndelivered(request);
}

function refuseUndelivered({ headers, body }: ClientRequest): Refusal | null {
  const has = (wanted: string): string | undefined => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (has('upgrade') !== undefined) {
    return refuse('BODY_TOO_LARGE', 'the request asks for an upgrade, after which nothing can be verified');
  }
  const length = has('content-length');
  if (length === undefined || /^0+$/.test(length) || body.length > 0) return null;
  return refuse('BODY_TOO_LARGE', 'Content-Length says that there is a body, but there is none');
}

function answerOf(refusal: Refusal | null): Answer {
  if (refusal === null) return { status: null, code: 'ALLOWED', detail: 'the credentials are right' };
  return { status: refusalAnswers[refusal.refused].status, code: refusal.refused, detail: refusal.detail };
}

/** The texts are compared as they are shown: with the App Secret masked wherever else it may stand. */
function differenceOf(
  { authentication }: ExplainableEndpoint,
  expected: Buffer,
  signed: Buffer,
  secret: Buffer,
): Explanation['difference'] {
  const whole = authentication === 'hmac' ? expected : Buffer.concat([expected, SHOWN_SECRET]);
  return findDifference(masked(whole, secret), masked(signed, secret));
}

/** As many asterisks in place of a secret, so that offsets stay. */
function masked(text: Buffer, secret: Buffer): Buffer {
  if (secret.length === 0 || !text.includes(secret)) return text;
  const all = Buffer.from(text);
  for (let at = all.indexOf(secret); at !== -1; at = all.indexOf(secret, at)) all.fill('*', at, at + secret.length);
  return all;
}

function notesOf({ search, isOld, mistakes }: Finding, refusal: Refusal | null): readonly string[] {
  const notes: string[] = [];
  if (search?.isCut === true) notes.push('The body is large, so not every pair of mistakes was tried.');
  if (isOld && mistakes.length > 0) notes.push('The request is too old by now. --at TIME says when it was made.');
  if (search?.isExplained === true && refusal?.refused === 'CREDENTIALS_MALFORMED') {
    notes.push('The gateway refuses the request before it checks the signature.');
  }
  return notes;
}

/** Whether a refusal is a mistake by itself: it is not about credentials, and no mistake says it more exactly. */
function saysEnough({ refused }: Refusal, mistakes: readonly Mistake[]): boolean {
  if (refusalAnswers[refused].status === UNAUTHENTICATED) {
    return mistakes.length === 0 && refused !== 'AUTHENTICATION_FAILED' && refused !== 'REQUEST_EXPIRED';
  }
  return mistakes.length === 0 || !SAID_BY_MISTAKES.includes(refused);
}

function isAboutSignature(refusal: Refusal | null): boolean {
  return refusal?.refused === 'AUTHENTICATION_FAILED';
}

function isOtherAppKey({ name }: Mistake): boolean {
  return name === OTHER_APP_KEY;
}

function uniqueMistakes(mistakes: readonly Mistake[]): readonly Mistake[] {
  return [...new Map(mistakes.map((mistake) => [`${mistake.name} ${mistake.what}`, mistake])).values()];
}
