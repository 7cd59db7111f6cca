import {
  type ExplainInput,
  type Finding,
  type Mistake,
  type SentIdentity,
  withoutSignature,
} from '../../check/methods/explanation/explainer.ts';
import { type EndpointExplainer, loadExplainer } from '../../check/methods/explanation/load-explainer.ts';
import { OTHER_APP_KEY } from '../../check/methods/explanation/signing-mistakes.ts';
import { proofOf } from '../../check/methods/methods.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { observableStatuses, type Refusal, refusalAnswers, type RefusalCode } from '../../check/refusal.ts';
import type { ClientRequest } from '../../check/signing/client-request.ts';
import { maskSecrets } from '../../check/signing/mask-secrets.ts';
import { adviseOn } from './advice.ts';
import { findDifference } from './difference.ts';
import type { Answer, Explanation, KnownCaller, Verdict } from './explanation.ts';
import { findHiddenParts, type HiddenParts, withSomeBody } from './hidden-parts.ts';
import { type Judgement, judgeRequest, type Known } from './judge-request.ts';
import { type LeftOut, nothingLeftOut } from './read/left-out.ts';
import { callerMistake, FORMER_SECRET, refusalMistake, SECRET_NOT_STORED } from './refusal-mistakes.ts';

const UNAUTHENTICATED = 401;
/** Refusals for many reasons, which are mistakes of their own. */
const SAID_BY_MISTAKES: readonly RefusalCode[] = ['MALFORMED_REQUEST', 'MALFORMED_WRAPPER', 'BODY_NOT_VERIFIABLE'];

/** What the gateway makes of a request, and by what. */
interface Judged extends Known {
  readonly judgement: Judgement;
}

/**
 * Explains what the gateway makes of a request: what it answers, which mistakes were made, and where the string that
 * was signed parts from the one that it builds. The same input gives the same explanation.
 *
 * @param endpoint the one that the request is meant for
 * @param know finds what is known of the caller that the request names
 */
export async function explain(
  request: ClientRequest,
  endpoint: Endpoint,
  asked: Asked,
  know: (sent: SentIdentity) => Known | Promise<Known>,
): Promise<Explanation> {
  const explainer = await loadExplainer(endpoint);
  const sent = explainer.findSentIdentity(request);
  const known = await know(sent);
  const { nowSeconds } = asked;
  const judgedAt = { nowSeconds, signedSeconds: sent.signedSeconds };
  const judged = { ...known, judgement: await judgeRequest(request, known, judgedAt) };
  const input = { ...asked, secret: known.secret, publicKeys: known.publicKeys ?? [] };
  const whole = explainJudged(explainer, judged, explainSignature(request, explainer, input, judged));
  if (whole.mistakes.length === 0 && whole.verdict !== 'unexplained') return whole;
  const hidden = findHiddenParts(request, explainer, sent, asked.leftOut ?? nothingLeftOut);
  if (hidden === null) return whole;
  if (hidden.hasCredentials)
    return withHidden(explainJudged(explainer, withoutCredentials(judged), NOT_LOOKED_INTO), hidden);
  const sentRequest = withSomeBody(request);
  const { authenticateWithoutDigest } = explainer;
  const rest = { ...known, judgement: await judgeRequest(sentRequest, known, judgedAt, authenticateWithoutDigest) };
  const finding = explainSignature(sentRequest, explainer, { ...input, isBodyLeftOut: true }, rest);
  return withHidden(explainJudged(explainer, rest, finding), hidden);
}

/** What is asked of a request besides what is known of its caller. */
export interface Asked extends Omit<ExplainInput, 'secret' | 'publicKeys' | 'isBodyLeftOut'> {
  /** What its text does not show; without it, nothing. */
  readonly leftOut?: LeftOut;
}

/** What is found where credentials are not looked into. */
const NOT_LOOKED_INTO = { finding: withoutSignature([]), secrets: [] } as const;

/** What was judged before the credentials: where the request leads. */
function withoutCredentials(judged: Judged): Judged {
  const { judgement } = judged;
  if (judgement.endpoint === null) return { ...judged, caller: null };
  return { ...judged, caller: null, judgement: { ...judgement, refusal: null, refusalWhenMade: null } };
}

/** A request is not right, and no more than right so far, where a part of it was not looked at. */
function withHidden(explanation: Explanation, { parts, notes }: HiddenParts): Explanation {
  if (parts.length === 0) return explanation;
  const { verdict, answer } = explanation;
  const detail = 'a part of the request is not in the text';
  return {
    ...explanation,
    verdict: verdict === 'right' ? 'unjudged' : verdict,
    answer: answer.code === 'ALLOWED' ? { ...answer, code: null, detail } : answer,
    hidden: parts,
    notes: [...explanation.notes, ...notes],
  };
}

function explainJudged(
  explainer: EndpointExplainer,
  judged: Judged,
  { finding, secrets }: ReturnType<typeof explainSignature>,
): Explanation {
  const { endpoint } = explainer;
  const { judgement, caller, tokens } = judged;
  const { refusal } = judgement;
  const mistakes = uniqueMistakes([
    ...refusalMistakes(judgement, finding.mistakes, caller),
    ...(caller === null || finding.explainsAppKey ? [] : callerMistakes(caller, judgement)),
    ...misroutedMistakes(endpoint, judgement),
    ...finding.mistakes,
  ]);
  const fitsNothing = finding.search !== null && !finding.search.isExplained;
  // What is refused for another reason is explained by that reason.
  const isUnexplained =
    fitsNothing && (mistakes.length === 0 || isAboutSignature(refusal)) && !mistakes.some(isAboutCaller);
  const isOnlyOld = refusal?.refused === 'REQUEST_EXPIRED' && finding.isOld && mistakes.length === 0;
  const isRight = refusal === null && judgement.endpoint?.id === endpoint.id;
  const proof = refusal === null ? proofOf(judgement.endpoint) : null;
  const goesByToken = proof === 'token';
  const lacksIssuerKeys = proof === 'issuer-token' && judged.hasIssuerKeys !== true;
  const unknown = lacksIssuerKeys
    ? 'the issuer signed'
    : goesByToken && tokens.ring === null
      ? 'the gateway issued'
      : null;
  const right = unknown !== null || caller?.lacksAddress === true ? 'unjudged' : 'right';
  const verdict: Verdict = isRight ? right : isOnlyOld ? 'right-but-old' : isUnexplained ? 'unexplained' : 'wrong';
  const { stringToSign, compared, search } = finding;
  return {
    verdict,
    authentication: endpoint.authentication,
    answer: answerOf(judged, unknown),
    mistakes: isRight ? [] : mistakes.map((mistake) => adviseOn(mistake, caller?.subject ?? null)),
    // The texts are compared as they are shown: with the App Secret masked wherever else it may stand.
    difference:
      compared === null
        ? null
        : findDifference(maskSecrets(compared.expected, secrets), maskSecrets(compared.signed, secrets)),
    stringToSign: stringToSign === null ? null : maskSecrets(stringToSign, secrets),
    hidden: isRight && caller?.lacksAddress === true ? ['address of the caller'] : [],
    checked: isUnexplained ? (search?.checked ?? []) : [],
    notes: [
      ...notesOf(finding, refusal),
      ...(fitsNothing && !isUnexplained && !isRight
        ? ['The signature fits no known mistake; fix this first, and try again.']
        : []),
      ...endpointNotes(endpoint, refusal),
      ...(goesByToken ? tokens.notes : []),
      ...(lacksIssuerKeys ? [LACKS_ISSUER_KEYS] : []),
      ...(caller?.lacksAddress === true ? [LACKS_ADDRESS] : []),
    ],
  };
}

const LACKS_ISSUER_KEYS =
  'The signature of the token was not verified: the keys of its issuer are not here, and nothing is fetched to explain a request.';

const LACKS_ADDRESS =
  'Where the request came from is not in its text, and consumer or credential have an allowFrom: --from ADDRESS judges it.';

/** Looks into the signature with the App Secret, and then with the one before it, where that explains it. */
function explainSignature(
  request: ClientRequest,
  explainer: EndpointExplainer,
  input: ExplainInput,
  { judgement: { refusal }, caller }: Judged,
): { readonly finding: Finding; readonly secrets: readonly Buffer[] } {
  const isVerified = refusal === null || refusal.refused === 'REQUEST_EXPIRED';
  const finding = explainer.explain(request, input, isVerified);
  const formerSecret = caller?.formerSecret ?? null;
  const secrets = [input.secret, formerSecret].flatMap((text) =>
    text === null || text === '' ? [] : [Buffer.from(text, 'utf8')],
  );
  if (caller === null || formerSecret === null || finding.search?.isExplained !== false) return { finding, secrets };
  const former = explainer.explain(request, { ...input, secret: formerSecret }, isVerified);
  if (former.search?.isExplained !== true) return { finding, secrets };
  const mistakes = caller.isFormerLive ? former.mistakes : [FORMER_SECRET, ...former.mistakes];
  return { finding: { ...former, mistakes }, secrets };
}

/** What the gateway refuses the request with, now or when it was made, where that says what is wrong. */
function refusalMistakes(
  { refusal, refusalWhenMade }: Judgement,
  found: readonly Mistake[],
  caller: KnownCaller | null,
): readonly Mistake[] {
  return [refusal, refusalWhenMade].flatMap((one) =>
    one !== null && saysEnough(one, found) ? [refusalMistake(one, caller?.fault ?? null)] : [],
  );
}

function callerMistakes({ fault, isOtherSecret }: KnownCaller, { refusal }: Judgement): readonly Mistake[] {
  if (fault !== null) return [callerMistake(fault)];
  return isOtherSecret && isAboutSignature(refusal) ? [SECRET_NOT_STORED] : [];
}

function misroutedMistakes({ id }: Endpoint, { endpoint }: Judgement): readonly Mistake[] {
  if (endpoint === null || endpoint.id === id) return [];
  return [
    {
      name: 'another-endpoint',
      what: `host, path and method match the endpoint ${endpoint.id}, not ${id}`,
      fix: 'Check that host, path and method are those of this API, and that --endpoint names the right endpoint (an Envoy route may also name it)',
    },
  ];
}

function answerOf({ judgement: { refusal, endpoint }, caller }: Judged, unknown: string | null): Answer {
  const isAccessChecked = caller !== null;
  if (unknown !== null) {
    return { status: null, code: null, detail: `whether ${unknown} the token is not known`, isAccessChecked };
  }
  if (refusal !== null) {
    const { status } = refusalAnswers[refusal.refused];
    return { status, code: refusal.refused, detail: refusal.detail, isAccessChecked };
  }
  if (caller?.lacksAddress === true) {
    return { status: null, code: null, detail: 'whether allowFrom holds its address is not known', isAccessChecked };
  }
  const isOpen = endpoint?.scenario === 'open';
  const detail = isOpen
    ? 'nothing is authenticated, and no grant is needed'
    : `the credentials are right${isAccessChecked ? ', and the access condition is met' : ''}`;
  return { status: null, code: 'ALLOWED', detail, isAccessChecked };
}

function endpointNotes({ options }: Endpoint, refusal: Refusal | null): readonly string[] {
  if (refusal === null) {
    const isGuarded = 'replayProtection' in options && options.replayProtection;
    return isGuarded ? ['Each signature passes once here; whether this one was used before is not known.'] : [];
  }
  if (options.mode !== 'observe' || !observableStatuses.has(refusalAnswers[refusal.refused].status)) return [];
  return ['The endpoint only observes: the refusal is logged, and the request goes through.'];
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

/** Whether a refusal is a mistake of its own: it is not about credentials, and no mistake says it more exactly. */
function saysEnough({ refused }: Refusal, mistakes: readonly Mistake[]): boolean {
  if (refusalAnswers[refused].status === UNAUTHENTICATED) {
    return mistakes.length === 0 && refused !== 'AUTHENTICATION_FAILED' && refused !== 'REQUEST_EXPIRED';
  }
  return mistakes.length === 0 || !SAID_BY_MISTAKES.includes(refused);
}

function isAboutSignature(refusal: Refusal | null): boolean {
  return refusal?.refused === 'AUTHENTICATION_FAILED';
}

/** Whether the signature is that of a secret which is not looked into. */
function isAboutCaller({ name }: Mistake): boolean {
  return [OTHER_APP_KEY, 'app-key-unknown', SECRET_NOT_STORED.name].includes(name);
}

function uniqueMistakes(mistakes: readonly Mistake[]): readonly Mistake[] {
  return [...new Map(mistakes.map((mistake) => [`${mistake.name} ${mistake.what}`, mistake])).values()];
}
