import { parseParameterRequest } from '../../methods/parameter-signature/request.ts';
import type { ParameterSignatureOptions } from '../../model/endpoint.ts';
import { isRefusal } from '../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../signing/client-request.ts';
import { equal } from '../../signing/equal.ts';
import { checkTime, parseApiTimestamp } from '../../signing/signed-time.ts';
import { type ExplainInput, type Finding, type Hypothesis, type Mistake, told } from '../explanation.ts';
import { findTimeMistake, otherAppKey, secretMistakes } from '../signing-mistakes.ts';
import { searchRecipe, triesFor } from '../search.ts';
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
  textOf,
} from './parameter-case.ts';
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
  const mistakes: Mistake[] = parameterFaults.filter((fault) => fault.isMade(context)).map(told);
  const valueOf = (wanted: string): string | null =>
    context.parameters.find(({ name }) => name === wanted)?.value ?? null;
  const appKey = valueOf('appKey');
  if (appKey !== null && appKey !== '' && input.appKey !== null && textOf(appKey) !== input.appKey) {
    mistakes.push(otherAppKey(textOf(appKey), input.appKey));
  }
  const timestamp = parseApiTimestamp(Buffer.from(valueOf('apiTimestamp') ?? '', 'latin1'));
  const late = timestamp === null ? null : checkTime(timestamp, input.nowSeconds, options.clockSkewSeconds);
  const isMilliseconds = mistakes.some(({ name }) => name === 'timestamp-milliseconds');
  const time =
    timestamp === null || late === null || isMilliseconds
      ? null
      : findTimeMistake('apiTimestamp', timestamp, input.nowSeconds, input.isTimeKnown);
  if (time !== null) mistakes.push(time);

  const sent = valueOf('sign');
  const isOld = late !== null && time === null && !isMilliseconds;
  const common = { isOld, stringToSign: null, search: null, signed: null };
  if (isRefusal(parsed)) return { ...common, mistakes };
  const base = baseRecipe(context, input);
  const expected = Buffer.concat([...parsed.shownText()]);
  if (sent === null || sent === '' || input.secret === null) return { ...common, mistakes, stringToSign: expected };
  const signs = readSentSign(sent);
  const hypotheses = parameterHypotheses(context, input);
  const search = searchRecipe(
    base,
    hypotheses,
    (recipe) => {
      const mac = signOf(recipe);
      return signs.find(({ bytes }) => equal(bytes, mac)) ?? null;
    },
    triesFor(expected.length),
  );
  const spelling = search.found?.fit.mistake ?? null;
  // The length of sign follows from the hash that was taken.
  const isOtherHash = search.found !== null && search.found.mistakes.length > 0 && spelling?.name === 'sign-length';
  return {
    ...common,
    mistakes: [
      ...mistakes,
      ...(isVerified ? [] : (search.found?.mistakes ?? [])),
      ...(spelling === null || isOtherHash ? [] : [spelling]),
    ],
    stringToSign: expected,
    search: {
      isExplained: isVerified || search.found !== null,
      isCut: search.isCut,
      checked: [...new Set(hypotheses.map(({ name }) => name))],
    },
    signed: isVerified || search.found === null ? null : shownText(parameterTextOf(search.found.recipe)),
  };
}

/** Everything that a parameter signature is tried against, likely mistakes first. */
export function parameterHypotheses(
  context: ParameterCase,
  { appKey }: ExplainInput,
): readonly Hypothesis<ParameterRecipe>[] {
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
