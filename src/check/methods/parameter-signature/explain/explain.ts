import type { ParameterEncoding, ParameterSignatureOptions } from '../../../../model/endpoint.ts';
import { isRefusal, type Refusal } from '../../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../../signing/client-request.ts';
import { parseMediaType } from '../../../../base/text/media-type.ts';
import { parseApiTimestamp } from '../../../signing/signed-time.ts';
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
import { textOf } from '../../explanation/text-encoding.ts';
import { isVerifiedType } from '../body-form.ts';
import { type ParameterRequest, parseParameterRequest } from '../request.ts';
import { bytesOf } from '../string-to-sign.ts';
import {
  byName,
  hashWith,
  type ParameterCase,
  parameterCase,
  type ParameterRecipe,
  parameterTextOf,
  SECRET_MARK,
  SHOWN_SECRET,
  shownText,
  signOf,
  valueOf,
} from './case.ts';
import { parameterFaults } from './faults.ts';
import { framingMistakes } from './framing-mistakes.ts';
import { orderMistakes, selectionMistakes } from './selection-mistakes.ts';
import { dataMistakes, spellingMistakes } from './spelling-mistakes.ts';

/** What callers get wrong who sign the parameters of a request (spec §3.3). */
export const parameterExplainer: Explainer<'parameter-signature'> = {
  findSentIdentity: (request, options) => {
    const context = parameterCase(request, options);
    return { ...unknownSender, appKey: sentAppKey(context), signedSeconds: sentTimestamp(context) };
  },
  credentialHeaders: () => [],
  bodyBears: ({ headers }, { unsignedBody }) => {
    const types = headers.flatMap(([name, value]) => (name.toLowerCase() === 'content-type' ? [value] : []));
    const isOther = types.length === 1 && !isVerifiedType(parseMediaType(types[0] ?? ''));
    return isOther && unsignedBody === 'forward' ? 'nothing' : 'credentials';
  },
  authenticateWithoutDigest: null,
  explain,
};

/** `isVerified` says that the signature is right: with the encoding `auto`, several texts are. */
function explain(
  request: ClientRequest,
  options: ParameterSignatureOptions,
  input: ExplainInput,
  isVerified: boolean,
): Finding {
  const parsed = parseParameterRequest(signableRequest(request), options);
  const context = parameterCase(request, { ...options, parameterEncoding: wantedEncoding(parsed, options) });
  const faults = parameterFaults.filter((fault) => fault.isMade(context)).map(mistakeOf);
  const isMilliseconds = faults.some(({ name }) => name === 'timestamp-milliseconds');
  const time = explainTime(
    'apiTimestamp',
    isMilliseconds ? null : sentTimestamp(context),
    options.clockSkewSeconds,
    input,
  );
  const mistakes = [...faults, ...otherAppKey(sentAppKey(context), input.appKey), ...time.mistakes];
  const unsearched = { ...withoutSignature(mistakes), isOld: time.isOld };
  if (isRefusal(parsed)) return unsearched;
  const stringToSign = bytesOf((parsed.texts[0] ?? parsed.shownText)());
  const sent = valueOf(context, 'sign') ?? '';
  if (sent === '' || input.secret === null) return { ...unsearched, stringToSign };
  const { found, spelling, search } = searchSignature(
    baseRecipe(context, input),
    parameterHypotheses(context, input),
    readSent(sent),
    signOf,
    stringToSign.length,
  );
  return {
    ...unsearched,
    mistakes: [...mistakes, ...(isVerified ? [] : (found?.mistakes ?? [])), ...(spelling === null ? [] : [spelling])],
    stringToSign,
    search: { ...search, isExplained: isVerified || search.isExplained },
    compared:
      isVerified || found === null
        ? null
        : {
            expected: Buffer.concat([stringToSign, SHOWN_SECRET]),
            signed: shownText(parameterTextOf(found.recipe)),
          },
  };
}

/** What can be read in two ways is taken as it is sent only, also where both are taken. */
function wantedEncoding(
  parsed: ParameterRequest | Refusal,
  { parameterEncoding }: ParameterSignatureOptions,
): ParameterEncoding {
  if (parameterEncoding !== 'auto' || isRefusal(parsed) || parsed.form === 'json') return parameterEncoding;
  return parsed.texts.length === 1 ? 'raw' : 'auto';
}

function sentAppKey(context: ParameterCase): string | null {
  const appKey = valueOf(context, 'appKey') ?? '';
  return appKey === '' ? null : textOf(appKey);
}

function sentTimestamp(context: ParameterCase): number | null {
  return parseApiTimestamp(Buffer.from(valueOf(context, 'apiTimestamp') ?? '', 'latin1'));
}

/** Everything that a parameter signature is tried against, likely mistakes first. */
function parameterHypotheses(context: ParameterCase, { appKey }: ExplainInput): readonly Hypothesis<ParameterRecipe>[] {
  return [
    ...dataMistakes(context),
    ...spellingMistakes(context),
    ...orderMistakes,
    ...framingMistakes(context),
    ...secretMistakes(appKey),
    ...selectionMistakes(context),
  ];
}

function baseRecipe({ parameters, options }: ParameterCase, { secret }: ExplainInput): ParameterRecipe {
  const isRaw = options.parameterEncoding === 'raw';
  return {
    parameters: parameters.filter(({ name }) => name !== 'sign'),
    spell: isRaw ? ({ rawName, rawValue }) => [rawName, rawValue] : ({ name, value }) => [name, value],
    compare: byName,
    equals: '=',
    joiner: '&',
    frame: (text) => text + SECRET_MARK,
    mac: hashWith('sha512'),
    secret: Buffer.from(secret ?? '', 'utf8'),
  };
}

const SIGN_FIX = 'Send the bytes of the SHA-512 as 128 lower-case hexadecimal digits';

/** Wrong ways to write `sign`. */
const spellings: readonly Spelling[] = [
  spelling('sign-upper-case', 'sign is written with upper-case hexadecimal digits', (text) =>
    /[A-F]/.test(text) ? bytesOfHex(text) : null,
  ),
  spelling('sign-white-space', 'sign has white space around it', (text) =>
    text.trim() === text ? null : bytesOfHex(text.trim()),
  ),
  spelling('sign-base64-of-hex', 'sign is the base64 of the hex digits', (text) =>
    bytesOfHex(Buffer.from(text, 'base64').toString('latin1')),
  ),
  spelling('sign-base64', 'sign is written in base64', (text) => {
    if (bytesOfHex(text) !== null || !/^[\w\-+/ ]+={0,2}$/.test(text)) return null;
    // A "+" that was not percent-encoded arrives as a blank.
    return Buffer.from(text.replaceAll(' ', '+'), 'base64');
  }),
];

function spelling(name: string, what: string, read: Spelling['read']): Spelling {
  return { name, what, fix: SIGN_FIX, read };
}

/** The length of `sign` follows from the hash that was taken. */
function readSent(text: string): readonly SentMac[] {
  return readSentMac(text, /[A-F]/.test(text) ? null : bytesOfHex(text), spellings);
}
