import { parseParameterRequest } from '../../methods/parameter-signature/request.ts';
import type { ParameterSignatureOptions } from '../../model/endpoint.ts';
import { isRefusal } from '../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../signing/client-request.ts';
import { parseApiTimestamp } from '../../signing/signed-time.ts';
import { type ExplainInput, type Finding, type Hypothesis, told, withoutSignature } from '../explanation.ts';
import { explainTime, otherAppKey, secretMistakes } from '../signing-mistakes.ts';
import { searchSignature } from '../search.ts';
import { readSentSign } from '../sent-mac.ts';
import { dataMistakes, spellingMistakes } from './spelling-mistakes.ts';
import { framingMistakes } from './framing-mistakes.ts';
import { orderMistakes, selectionMistakes } from './selection-mistakes.ts';
import {
  byName,
  hashWith,
  type ParameterCase,
  parameterCase,
  type ParameterRecipe,
  parameterTextOf,
  SECRET_MARK,
  shownText,
  signOf,
  valueOf,
} from './parameter-case.ts';
import { textOf } from '../text-encoding.ts';
import { parameterFaults } from './parameter-faults.ts';

/**
 * Finds out what is wrong with a request to a parameter-signature endpoint (spec §3.3).
 *
 * @param isVerified whether the gateway found the signature right: in the form `auto`, several texts are
 */
export function explainParameters(
  request: ClientRequest,
  options: ParameterSignatureOptions,
  input: ExplainInput,
  isVerified: boolean,
): Finding {
  const context = parameterCase(request, options);
  const parsed = parseParameterRequest(signableRequest(request), options);
  const faults = parameterFaults.filter((fault) => fault.isMade(context)).map(told);
  const appKey = valueOf(context, 'appKey') ?? '';
  const timestamp = parseApiTimestamp(Buffer.from(valueOf(context, 'apiTimestamp') ?? '', 'latin1'));
  const isMilliseconds = faults.some(({ name }) => name === 'timestamp-milliseconds');
  const time = explainTime('apiTimestamp', isMilliseconds ? null : timestamp, options.clockSkewSeconds, input);
  const mistakes = [...faults, ...otherAppKey(appKey === '' ? null : textOf(appKey), input.appKey), ...time.mistakes];
  const unsearched = { ...withoutSignature(mistakes), isOld: time.isOld };
  if (isRefusal(parsed)) return unsearched;
  const stringToSign = Buffer.concat([...parsed.shownText()]);
  const sent = valueOf(context, 'sign') ?? '';
  if (sent === '' || input.secret === null) return { ...unsearched, stringToSign };
  const { found, spelling, search } = searchSignature(
    baseRecipe(context, input),
    parameterHypotheses(context, input),
    readSentSign(sent),
    signOf,
    stringToSign.length,
  );
  // The length of sign follows from the hash that was taken.
  const isOtherHash = found !== null && found.mistakes.length > 0 && spelling?.name === 'sign-length';
  return {
    mistakes: [
      ...mistakes,
      ...(isVerified ? [] : (found?.mistakes ?? [])),
      ...(spelling === null || isOtherHash ? [] : [spelling]),
    ],
    isOld: time.isOld,
    stringToSign,
    search: { ...search, isExplained: isVerified || search.isExplained },
    signed: isVerified || found === null ? null : shownText(parameterTextOf(found.recipe)),
  };
}

/** Everything that a parameter signature is tried against, likely mistakes first. */
function parameterHypotheses(context: ParameterCase, { appKey }: ExplainInput): readonly Hypothesis<ParameterRecipe>[] {
  return [
    ...dataMistakes(context),
    ...spellingMistakes(context),
    ...orderMistakes,
    ...framingMistakes(context),
    ...secretMistakes<ParameterRecipe>(appKey),
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
