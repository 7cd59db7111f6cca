import { parseHmac } from '../../methods/hmac/signature.ts';
import { SIGNED_HTTP_VERSION } from '../../methods/hmac/string-to-sign.ts';
import type { HmacOptions } from '../../model/endpoint.ts';
import { isRefusal } from '../../refusal.ts';
import { type ClientRequest, signableRequest } from '../../signing/client-request.ts';
import { parseImfFixdate } from '../../signing/signed-time.ts';
import { findDigestMistakes } from './digest-mistakes.ts';
import { type ExplainInput, type Finding, type Hypothesis, told, withoutSignature } from '../explanation.ts';
import { explainTime, otherAppKey, secretMistakes } from '../signing-mistakes.ts';
import { searchSignature } from '../search.ts';
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
    readSentHmac(sent),
    (recipe) => recipe.mac(signedText(recipe), recipe.secret),
    stringToSign.length,
  );
  return {
    mistakes: [...mistakes, ...(found?.mistakes ?? []), ...(spelling === null ? [] : [spelling])],
    isOld: time.isOld,
    stringToSign,
    search,
    signed: found === null ? null : signedText(found.recipe),
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
