import type { HttpSignatureOptions } from '../../../../model/endpoint.ts';
import type { PublicKeyKind } from '../../../../model/public-key/public-key.ts';
import { type ClientRequest, headerOf } from '../../../signing/client-request.ts';
import { authenticateSigner } from '../../authenticate-signer.ts';
import {
  type Explainer,
  type ExplainInput,
  type Finding,
  mistakeOf,
  type Mistake,
  unknownSender,
  withoutSignature,
} from '../../explanation/explainer.ts';
import { searchRecipe } from '../../explanation/search.ts';
import { otherAppKey } from '../../explanation/signing-mistakes.ts';
import { httpSignatureStrategy } from '../authenticate.ts';
import { DIGEST_FIELD } from '../coverage.ts';
import { SIGNATURE, SIGNATURE_INPUT } from '../message-signature.ts';
import { AHEAD_SECONDS, checkSignatureTime } from '../signature-time.ts';
import { addressMistakes } from './address-mistakes.ts';
import { baseMistakes } from './base-mistakes.ts';
import { type HttpCase, httpCase } from './case.ts';
import { findDigestMistakes } from './digest-mistakes.ts';
import { isInMilliseconds, signatureFaults, wishFaults } from './faults.ts';
import { fieldMistakes } from './field-mistakes.ts';
import { keyMistakes } from './key-mistakes.ts';
import { baseOf, baseRecipe, isSignedBy } from './recipe.ts';

/** What callers get wrong who sign by RFC 9421 (spec §3.5). No secret is needed: a public key tells. */
export const httpSignatureExplainer: Explainer<'http-message-signature'> = {
  findSentIdentity: (request, options) => {
    const { sent } = httpCase(request, options, null);
    if (sent === null) return unknownSender;
    return { ...unknownSender, appKey: sent.parameters.keyid, signedSeconds: sent.parameters.created };
  },
  credentialHeaders: () => [SIGNATURE_INPUT, SIGNATURE],
  bodyBears: (request) => (headerOf(request, DIGEST_FIELD) === null ? 'nothing' : 'digest'),
  authenticateWithoutDigest: (routed, options, ports) => authenticateSigner(withoutDigest, routed, options, ports),
  explain,
};

const withoutDigest: typeof httpSignatureStrategy = { ...httpSignatureStrategy, checkBody: () => null };

const MAX_TRIES = 8000;
/**
 * How many signatures are verified at most, each of which takes 50 to 150 µs, on P-384 ten times as long: less than a
 * second in all.
 */
const maxTries: Readonly<Record<PublicKeyKind, number>> = {
  ed25519: MAX_TRIES,
  'p-256': MAX_TRIES,
  'p-384': 2000,
  rsa: MAX_TRIES,
};

function explain(
  request: ClientRequest,
  options: HttpSignatureOptions,
  input: ExplainInput,
  isVerified: boolean,
): Finding {
  const context = httpCase(request, options, input.appKey);
  const { sent, components } = context;
  const keys = (input.publicKeys ?? []).filter(({ mistake }) => mistake === null).map(({ publicKey }) => publicKey);
  const time = explainTime(context, input);
  const digest = context.header(DIGEST_FIELD);
  const mistakes = [
    ...signatureFaults.filter((fault) => fault.isMade(context)).map(mistakeOf),
    ...wishFaults(context, keys),
    ...otherAppKey(sent?.parameters.keyid ?? null, input.appKey),
    ...(digest === null || input.isBodyLeftOut === true ? [] : findDigestMistakes(digest, request.body)),
    ...time.mistakes,
  ];
  const unsearched = { ...withoutSignature(mistakes), isOld: time.isOld };
  const bytes = sent?.bytes ?? sent?.otherBytes[0] ?? null;
  if (bytes === null || typeof components === 'string') return unsearched;
  const base = baseRecipe(context, components, bytes, input);
  const stringToSign = baseOf(base);
  if (isVerified) {
    return { ...unsearched, stringToSign, search: { isExplained: true, isCut: false, checked: [] } };
  }
  if ((input.publicKeys ?? []).length === 0) return { ...unsearched, stringToSign };
  const hypotheses = [
    ...keyMistakes(context, input),
    ...addressMistakes(context),
    ...fieldMistakes(context, components),
    ...baseMistakes(context),
  ];
  const most = Math.min(MAX_TRIES, ...keys.map(({ kind }) => maxTries[kind]));
  const { found, search } = searchRecipe(base, hypotheses, (recipe) => (isSignedBy(recipe) ? recipe : null), most);
  return {
    ...unsearched,
    mistakes: [...mistakes, ...(found?.mistakes ?? [])],
    explainsAppKey: explainsAppKey(found?.mistakes ?? [], input),
    stringToSign,
    search,
    compared: found === null ? null : { expected: stringToSign, signed: found.recipe.encodeText(baseOf(found.recipe)) },
  };
}

function explainsAppKey(found: readonly Mistake[], { publicKeys = [] }: ExplainInput): boolean {
  return publicKeys.some(
    ({ mistake, explainsAppKey }) => explainsAppKey && found.some(({ name }) => name === mistake?.name),
  );
}

/** What is wrong with when it was signed, and whether it may just be an old request. */
function explainTime(
  { sent, options }: HttpCase,
  { nowSeconds, isTimeKnown }: ExplainInput,
): { readonly isOld: boolean; readonly mistakes: readonly Mistake[] } {
  const { created = null, expires = null } = sent?.parameters ?? {};
  const late = created === null ? null : checkSignatureTime({ created, expires }, nowSeconds, options.clockSkewSeconds);
  if (created === null || late === null || isInMilliseconds(created)) return { isOld: false, mistakes: [] };
  const isPast = created <= nowSeconds + AHEAD_SECONDS;
  if (isPast && !isTimeKnown && (expires === null || expires > created)) return { isOld: true, mistakes: [] };
  return {
    isOld: false,
    mistakes: [
      {
        name: 'outside-the-window',
        what: late.detail,
        fix: 'Set the clock of your machine (NTP), and sign each request just before it is sent, also when it is tried again',
      },
    ],
  };
}
