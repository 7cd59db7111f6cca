import type { PublicKey } from '../../../../model/public-key/public-key.ts';
import { queryOf } from '../../../signing/signable-request.ts';
import type { ExplainInput } from '../../explanation/explainer.ts';
import { ComponentValues } from '../component-values.ts';
import type { Component } from '../components.ts';
import { contentDigestOf } from '../content-digest.ts';
import { DIGEST_FIELD } from '../coverage.ts';
import { derivedValue } from '../derived-values.ts';
import { type Check, checkOf } from '../verify.ts';
import type { HttpCase } from './case.ts';

/** How a signature is made, in parts of which each can go wrong alone. Text is one character a byte. */
export interface HttpRecipe {
  readonly components: readonly Component[];
  /** The values of fields and of parameters of the query, by identifier. */
  readonly values: ReadonlyMap<string, string>;
  readonly method: string;
  readonly scheme: string;
  /** As `@authority` has it. */
  readonly authority: string;
  /** As `@target-uri` has it. */
  readonly uriAuthority: string;
  readonly path: string;
  /** As `@target-uri` and `@request-target` have it: with its mark, or empty. */
  readonly query: string;
  /** The value of `@query`. */
  readonly queryValue: string;
  /** What stands behind the last colon. */
  readonly parameters: string;
  readonly spellName: (identifier: string) => string;
  readonly colon: string;
  readonly lineBreak: string;
  readonly ending: string;
  /** What the text is made into before it is signed, rightly itself. */
  readonly encodeText: (text: Buffer) => Buffer;
  readonly bytes: Buffer;
  /** The public keys of which one has to fit. */
  readonly keys: readonly PublicKey[];
  /** How it is verified by each of them. */
  readonly check: Check;
}

/** The right way to sign what a request covers; `bytes` are those of its signature. */
export function baseRecipe(
  { request, signable, options, sent }: HttpCase,
  components: readonly Component[],
  bytes: Buffer,
  { publicKeys = [] }: ExplainInput,
): HttpRecipe {
  const { scheme } = options;
  const { method, path: target, authority } = request;
  const values = new ComponentValues(signable, scheme);
  const known = components.flatMap((component): readonly (readonly [string, string])[] => {
    if (component.kind === 'derived') return [];
    const value = values.of(component);
    const guessed = component.kind === 'field' && component.name === DIGEST_FIELD ? contentDigestOf(request.body) : '';
    return [[component.identifier, typeof value === 'string' ? value : guessed]];
  });
  return {
    components,
    values: new Map(known),
    method,
    scheme,
    authority: derivedValue(signable, '@authority', scheme),
    uriAuthority: authority,
    path: derivedValue(signable, '@path', scheme),
    query: target.includes('?') ? `?${queryOf(target)}` : '',
    queryValue: derivedValue(signable, '@query', scheme),
    parameters: sent?.text ?? '',
    spellName: (identifier) => identifier,
    colon: ': ',
    lineBreak: '\n',
    ending: '',
    encodeText: (text) => text,
    bytes,
    keys: publicKeys.filter(({ mistake }) => mistake === null).map(({ publicKey }) => publicKey),
    check: checkOf(options.algorithms),
  };
}

/** What is signed by a recipe, before `encodeText`. */
export function baseOf(recipe: HttpRecipe): Buffer {
  const { components, spellName, colon, lineBreak, ending, parameters } = recipe;
  const lines = components.map((component) => {
    return `${spellName(component.identifier)}${colon}${valueOf(component, recipe)}`;
  });
  lines.push(`${spellName('"@signature-params"')}${colon}${parameters}`);
  return Buffer.from(lines.join(lineBreak) + ending, 'latin1');
}

function valueOf(component: Component, recipe: HttpRecipe): string {
  if (component.kind !== 'derived') return recipe.values.get(component.identifier) ?? '';
  const { method, scheme, authority, uriAuthority, path, query, queryValue } = recipe;
  switch (component.name) {
    case '@method':
      return method;
    case '@target-uri':
      return `${scheme}://${uriAuthority}${path}${query}`;
    case '@authority':
      return authority;
    case '@scheme':
      return scheme;
    case '@request-target':
      return path + query;
    case '@path':
      return path;
    case '@query':
      return queryValue;
  }
}

/** Whether a signature is the one that a recipe leads to. */
export function isSignedBy(recipe: HttpRecipe): boolean {
  const text = recipe.encodeText(baseOf(recipe));
  return recipe.keys.some((key) => recipe.check(text, key, recipe.bytes));
}

/** Whether one of these derived components is covered. */
export function covers({ components }: HttpRecipe, ...names: readonly string[]): boolean {
  return components.some((component) => component.kind === 'derived' && names.includes(component.name));
}
