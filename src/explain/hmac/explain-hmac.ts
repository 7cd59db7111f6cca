import { parseHmac } from '../../methods/hmac/signature.ts';
import { SIGNED_HTTP_VERSION } from '../../methods/hmac/string-to-sign.ts';
import type { HmacOptions } from '../../model/endpoint.ts';
import { isRefusal } from '../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../signing/client-request.ts';
import { equal } from '../../signing/equal.ts';
import { checkTime, parseImfFixdate } from '../../signing/signed-time.ts';
import { findDigestMistakes } from './digest-mistakes.ts';
import { type ExplainInput, type Finding, type Hypothesis, type Mistake, told } from '../explanation.ts';
import { findTimeMistake, otherAppKey, secretMistakes } from '../signing-mistakes.ts';
import { searchRecipe, triesFor } from '../search.ts';
import { readSentHmac } from '../sent-mac.ts';
import { algorithmMistakes, textMistakes } from './text-mistakes.ts';
import { authorizationFaults, dateFaults, knownAlgorithm } from './hmac-faults.ts';
import { headerMistakes } from './header-mistakes.ts';
import { type HmacCase, hmacCase, type HmacRecipe, hmacTextOf, hmacWith } from './hmac-case.ts';
import { requestLineMistakes } from './request-line-mistakes.ts';

/** Finds out what is wrong with a request to an hmac endpoint (spec §3.2). */
export function explainHmac(request: ClientRequest, options: HmacOptions, input: ExplainInput): Finding {
  const context = hmacCase(request, options);
  const parsed = parseHmac(signableRequest(request), options);
  const mistakes: Mistake[] = [...authorizationFaults, ...dateFaults]
    .filter((fault) => fault.isMade(context))
    .map(told);
  const { appKey } = context.authorization;
  if (appKey !== null && input.appKey !== null && appKey !== input.appKey)
    mistakes.push(otherAppKey(appKey, input.appKey));
  const claimed = context.header('digest');
  if (claimed !== null) mistakes.push(...findDigestMistakes(claimed, request.body));
  const dateSeconds = parseImfFixdate(context.header('date') ?? '');
  const late = dateSeconds === null ? null : checkTime(dateSeconds, input.nowSeconds, options.clockSkewSeconds);
  const time =
    dateSeconds === null || late === null
      ? null
      : findTimeMistake('Date', dateSeconds, input.nowSeconds, input.isTimeKnown);
  if (time !== null) mistakes.push(time);

  const { signature: sent } = context.authorization;
  const base = baseRecipe(context, input);
  const expected = isRefusal(parsed) ? hmacTextOf(base) : (parsed.texts[0] ?? Buffer.alloc(0));
  const common = { isOld: late !== null && time === null, stringToSign: sent === null ? null : expected };
  if (sent === null || input.secret === null) return { ...common, mistakes, search: null, signed: null };
  const macs = readSentHmac(sent);
  const hypotheses = hmacHypotheses(context, input);
  const search = searchRecipe(
    base,
    hypotheses,
    (recipe) => {
      const mac = recipe.mac(recipe.encodeText(hmacTextOf(recipe)), recipe.secret);
      return macs.find(({ bytes }) => equal(bytes, mac)) ?? null;
    },
    triesFor(expected.length),
  );
  const spelling = search.found?.fit.mistake ?? null;
  return {
    ...common,
    mistakes: [...mistakes, ...(search.found?.mistakes ?? []), ...(spelling === null ? [] : [spelling])],
    search: {
      isExplained: search.found !== null,
      isCut: search.isCut,
      checked: [...new Set(hypotheses.map(({ name }) => name))],
    },
    signed: search.found === null ? null : search.found.recipe.encodeText(hmacTextOf(search.found.recipe)),
  };
}

/** Everything that an hmac signature is tried against, likely mistakes first. */
export function hmacHypotheses(context: HmacCase, { appKey }: ExplainInput): readonly Hypothesis<HmacRecipe>[] {
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
