import type { HmacOptions } from '../../../../model/endpoint.ts';
import { isRefusal } from '../../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../../signing/client-request.ts';
import { parseImfFixdate } from '../../../signing/signed-time.ts';
import {
  type Explainer,
  type ExplainInput,
  type Finding,
  type Hypothesis,
  unknownSender,
  mistakeOf,
  withoutSignature,
} from '../../explanation/explainer.ts';
import { bytesOfHex, readSentMac, searchSignature, type SentMac, type Spelling } from '../../explanation/search.ts';
import { explainTime, otherAppKey, secretMistakes } from '../../explanation/signing-mistakes.ts';
import { decodeEscapes } from '../../explanation/text-encoding.ts';
import { authenticateSigner } from '../../authenticate-signer.ts';
import { hmacStrategy } from '../authenticate.ts';
import { parseHmac } from '../signature.ts';
import { SIGNED_HTTP_VERSION } from '../string-to-sign.ts';
import { type HmacCase, hmacCase, type HmacRecipe, hmacTextOf, hmacWith } from './case.ts';
import { findDigestMistakes } from './digest-mistakes.ts';
import { authorizationFaults, dateFaults, knownAlgorithm } from './faults.ts';
import { headerMistakes } from './header-mistakes.ts';
import { requestLineMistakes } from './request-line-mistakes.ts';
import { algorithmMistakes, textMistakes } from './text-mistakes.ts';

/** What callers get wrong who sign by an HMAC over headers and request line (spec §3.2). */
export const hmacExplainer: Explainer<'hmac'> = {
  findSentIdentity: (request, options) => {
    const { authorization, header } = hmacCase(request, options);
    return { ...unknownSender, appKey: authorization.appKey, signedSeconds: parseImfFixdate(header('date') ?? '') };
  },
  credentialHeaders: () => ['authorization'],
  bodyBears: () => 'digest',
  authenticateWithoutDigest: (routed, options, ports) => authenticateSigner(withoutDigest, routed, options, ports),
  explain,
};

const withoutDigest: typeof hmacStrategy = { ...hmacStrategy, checkBody: () => null };

function explain(request: ClientRequest, options: HmacOptions, input: ExplainInput): Finding {
  const context = hmacCase(request, options);
  const parsed = parseHmac(signableRequest(request), options);
  const faults = [...authorizationFaults, ...dateFaults].filter((fault) => fault.isMade(context)).map(mistakeOf);
  const { appKey, signature: sent } = context.authorization;
  const claimed = context.header('digest');
  const date = parseImfFixdate(context.header('date') ?? '');
  const time = explainTime('Date', date, options.clockSkewSeconds, input);
  const mistakes = [
    ...faults,
    ...otherAppKey(appKey, input.appKey),
    ...(claimed === null || input.isBodyLeftOut === true ? [] : findDigestMistakes(claimed, request.body)),
    ...time.mistakes,
  ];
  const unsearched = { ...withoutSignature(mistakes), isOld: time.isOld };
  if (sent === null) return unsearched;
  const base = baseRecipe(context, input);
  const stringToSign = isRefusal(parsed) ? hmacTextOf(base) : Buffer.from(parsed.texts[0] ?? '', 'latin1');
  if (input.secret === null) return { ...unsearched, stringToSign };
  const signedText = (recipe: HmacRecipe): Buffer => recipe.encodeText(hmacTextOf(recipe));
  const { found, spelling, search } = searchSignature(
    base,
    hmacHypotheses(context, input),
    readSent(sent),
    (recipe) => recipe.mac(signedText(recipe), recipe.secret),
    stringToSign.length,
  );
  return {
    ...unsearched,
    mistakes: [...mistakes, ...(found?.mistakes ?? []), ...(spelling === null ? [] : [spelling])],
    stringToSign,
    search,
    compared: found === null ? null : { expected: stringToSign, signed: signedText(found.recipe) },
  };
}

/** Everything that an hmac signature is tried against, likely mistakes first. */
function hmacHypotheses(context: HmacCase, { appKey }: ExplainInput): readonly Hypothesis<HmacRecipe>[] {
  return [
    ...requestLineMistakes(context),
    ...textMistakes(context),
    ...secretMistakes(appKey),
    ...algorithmMistakes(algorithmOf(context)),
    ...headerMistakes(context),
  ];
}

function baseRecipe(context: HmacCase, { secret }: ExplainInput): HmacRecipe {
  const { request, names } = context;
  const values = new Map<string, string>();
  for (const [name, value] of request.headers) {
    const former = values.get(name.toLowerCase());
    values.set(name.toLowerCase(), former === undefined ? value : `${former}, ${value}`);
  }
  values.set('host', request.authority);
  return {
    names,
    values,
    method: request.method,
    target: request.path,
    version: SIGNED_HTTP_VERSION,
    requestLineLabel: '',
    spellName: (name) => name,
    colon: ': ',
    lineBreak: '\n',
    ending: '',
    encodeText: (text) => text,
    mac: hmacWith(algorithmOf(context).replace('hmac-', '')),
    secret: Buffer.from(secret ?? '', 'utf8'),
  };
}

function algorithmOf({ authorization, options }: HmacCase): HmacOptions['algorithms'][number] {
  return knownAlgorithm(authorization.algorithm) ?? options.algorithms[0] ?? 'hmac-sha256';
}

const SIGNATURE_FIX = 'Send the base64 of the bytes of the HMAC, padded, with + and /';

/** Wrong ways to write the `signature` of an `Authorization` header. */
const spellings: readonly Spelling[] = [
  spelling('signature-hex', 'the signature is written in hex', bytesOfHex),
  spelling('signature-url-safe', 'the signature is in URL-safe base64', (text) =>
    /^[\w-]+={0,2}$/.test(text) && /[-_]/.test(text) ? Buffer.from(text, 'base64url') : null,
  ),
  spelling('signature-base64-of-hex', 'the signature is the base64 of the hex digits, not of the bytes', (text) =>
    bytesOfHex(Buffer.from(text, 'base64').toString('latin1')),
  ),
  spelling('signature-not-padded', 'the signature lacks the = that pads base64', (text) =>
    text.endsWith('=') ? null : ofBase64(text),
  ),
  spelling(
    'signature-percent-encoded',
    'the signature is percent-encoded',
    (text) => (text.includes('%') ? ofBase64(decodeEscapes(text)) : null),
    'Put the signature into the header as it is; only URLs are percent-encoded',
  ),
  spelling(
    'signature-white-space',
    'the signature has white space or line ends in it',
    (text) => (/\s|\\n/.test(text) ? ofBase64(text.replace(/\s|\\n|\\r/g, '')) : null),
    'Switch off the line breaks of your base64 encoder (base64 -w0), and remove what is left',
  ),
];

function spelling(name: string, what: string, read: Spelling['read'], fix = SIGNATURE_FIX): Spelling {
  return { name, what, fix, read };
}

function readSent(text: string): readonly SentMac[] {
  const bytes = Buffer.from(text, 'base64');
  return readSentMac(text, bytes.toString('base64') === text ? bytes : null, spellings);
}

function ofBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}
