import type { HmacOptions } from '../../../model/endpoint.ts';
import { isRefusal } from '../../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../../signing/client-request.ts';
import { parseImfFixdate } from '../../../signing/signed-time.ts';
import {
  type Explainer,
  type ExplainInput,
  type Finding,
  type Hypothesis,
  nobody,
  told,
  withoutSignature,
} from '../../explanation/explainer.ts';
import { bytesOfHex, readSentMac, searchSignature, type SentMac, type Spelling } from '../../explanation/search.ts';
import { explainTime, otherAppKey, secretMistakes } from '../../explanation/signing-mistakes.ts';
import { decodeEscapes } from '../../explanation/text-encoding.ts';
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
    return { ...nobody, appKey: authorization.appKey, signedSeconds: parseImfFixdate(header('date') ?? '') };
  },
  explain,
};

function explain(request: ClientRequest, options: HmacOptions, input: ExplainInput): Finding {
  const context = hmacCase(request, options);
  const parsed = parseHmac(signableRequest(request), options);
  const faults = [...authorizationFaults, ...dateFaults].filter((fault) => fault.isMade(context)).map(told);
  const { appKey, signature: sent } = context.authorization;
  const claimed = context.header('digest');
  const date = parseImfFixdate(context.header('date') ?? '');
  const time = explainTime('Date', date, options.clockSkewSeconds, input);
  const mistakes = [
    ...faults,
    ...otherAppKey(appKey, input.appKey),
    ...(claimed === null ? [] : findDigestMistakes(claimed, request.body)),
    ...time.mistakes,
  ];
  if (sent === null) return { ...withoutSignature(mistakes), isOld: time.isOld };
  const base = baseRecipe(context, input);
  const stringToSign = isRefusal(parsed) ? hmacTextOf(base) : (parsed.texts[0] ?? Buffer.alloc(0));
  if (input.secret === null) return { ...withoutSignature(mistakes), isOld: time.isOld, stringToSign };
  const signedText = (recipe: HmacRecipe): Buffer => recipe.encodeText(hmacTextOf(recipe));
  const { found, spelling, search } = searchSignature(
    base,
    hmacHypotheses(context, input),
    readSent(sent),
    (recipe) => recipe.mac(signedText(recipe), recipe.secret),
    stringToSign.length,
  );
  return {
    mistakes: [...mistakes, ...(found?.mistakes ?? []), ...(spelling === null ? [] : [spelling])],
    isOld: time.isOld,
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
    ...secretMistakes<HmacRecipe>(appKey),
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
  { name: 'signature-hex', what: 'the signature is written in hex', fix: SIGNATURE_FIX, read: bytesOfHex },
  {
    name: 'signature-url-safe',
    what: 'the signature is in URL-safe base64',
    fix: SIGNATURE_FIX,
    read: (text) => (/^[\w-]+={0,2}$/.test(text) && /[-_]/.test(text) ? Buffer.from(text, 'base64url') : null),
  },
  {
    name: 'signature-base64-of-hex',
    what: 'the signature is the base64 of the hex digits, not of the bytes',
    fix: SIGNATURE_FIX,
    read: (text) => bytesOfHex(Buffer.from(text, 'base64').toString('latin1')),
  },
  {
    name: 'signature-not-padded',
    what: 'the signature lacks the = that pads base64',
    fix: SIGNATURE_FIX,
    read: (text) => (text.endsWith('=') ? null : ofBase64(text)),
  },
  {
    name: 'signature-percent-encoded',
    what: 'the signature is percent-encoded',
    fix: 'Put the signature into the header as it is; only URLs are percent-encoded',
    read: (text) => (text.includes('%') ? ofBase64(decodeEscapes(text)) : null),
  },
  {
    name: 'signature-white-space',
    what: 'the signature has white space or line ends in it',
    fix: 'Switch off the line breaks of your base64 encoder (base64 -w0), and take off what is left',
    read: (text) => (/\s|\\n/.test(text) ? ofBase64(text.replace(/\s|\\n|\\r/g, '')) : null),
  },
];

function readSent(text: string): readonly SentMac[] {
  const bytes = Buffer.from(text, 'base64');
  return readSentMac(text, bytes.toString('base64') === text ? bytes : null, spellings);
}

function ofBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}
