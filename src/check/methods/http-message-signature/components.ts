import type { BareItem, Item, Parameters } from '../../../base/structured-fields/values.ts';
import { writeString } from '../../../base/structured-fields/write-field.ts';
import { isLowerCaseToken } from '../../../base/text/http-grammar.ts';
import {
  type DerivedComponent,
  derivedComponents,
  isCoverableField,
} from '../../../model/options/covered-components.ts';
import { shownName } from '../../signing/header-text.ts';

/** A part of a request that a signature covers (RFC 9421 §2), with how the signature base names it. */
export type Component = { readonly identifier: string } & (
  | { readonly kind: 'derived'; readonly name: DerivedComponent }
  | { readonly kind: 'query-param'; readonly parameter: string }
  | { readonly kind: 'field'; readonly name: string; readonly form: FieldForm }
);

/**
 * How the value of a field is written: as received, as a structured field in its one spelling (`sf`), each line in
 * base64 (`bs`), or one member of a dictionary.
 */
export type FieldForm = 'plain' | 'sf' | 'bs' | { readonly key: string };

/**
 * Reads what a signature covers (spec §3.5), each of them once. A string says what is wrong, in words for a log: only
 * names are in it that are tokens.
 */
export function readComponents(items: readonly Item[]): readonly Component[] | string {
  const components: Component[] = [];
  const identifiers = new Set<string>();
  for (const { bare, parameters } of items) {
    const component = readComponent(String(bare.value), parameters);
    if (typeof component === 'string') return component;
    // Whatever order its parameters have, it is the same part of the request.
    const meaning = component.kind === 'field' ? meaningOf(component.name, component.form) : component.identifier;
    if (identifiers.has(meaning)) return `the signature covers ${shownName(nameOf(component))} twice`;
    identifiers.add(meaning);
    components.push(component);
  }
  return components;
}

/** The name of a component without its parameters. */
export function nameOf(component: Component): string {
  return component.kind === 'query-param' ? QUERY_PARAM : component.name;
}

const QUERY_PARAM = '@query-param';

function readComponent(name: string, parameters: Parameters): Component | string {
  if (name === QUERY_PARAM) return readQueryParameter(parameters);
  const derived = derivedComponents.find((known) => known === name);
  if (derived !== undefined) {
    if (parameters.size > 0) return `the signature covers ${derived} with a parameter`;
    return { kind: 'derived', name: derived, identifier: `"${derived}"` };
  }
  if (name.startsWith('@')) return 'the signature covers a derived component that requests do not have';
  return readField(name, parameters);
}

function readQueryParameter(parameters: Parameters): Component | string {
  const name = parameters.get('name');
  if (name?.type !== 'string' || parameters.size > 1) {
    return 'the signature covers @query-param without the name of a parameter, or with more than that';
  }
  const identifier = `"${QUERY_PARAM}";name=${writeString(name.value)}`;
  return { kind: 'query-param', parameter: name.value, identifier };
}

function readField(name: string, parameters: Parameters): Component | string {
  if (!isLowerCaseToken(name)) return 'the signature covers a field whose name is no lower-case token';
  if (!isCoverableField(name)) return `the field ${shownName(name)} cannot be signed`;
  const form = parameters.size === 0 ? 'plain' : readForm(parameters);
  if (form === null) return `the signature covers ${shownName(name)} with parameters that requests do not have`;
  let identifier = `"${name}"`;
  for (const [key, { value }] of parameters)
    identifier += value === true ? `;${key}` : `;key=${writeString(String(value))}`;
  return { kind: 'field', name, form, identifier };
}

/** Null for parameters that are unknown, or do not go together (RFC 9421 §2.1). */
function readForm(parameters: Parameters): FieldForm | null {
  let form: FieldForm | null = null;
  for (const [key, value] of parameters) {
    if (key === 'key' && value.type === 'string' && form !== 'bs') form = { key: value.value };
    else if (key === 'sf' && isTrue(value) && form !== 'bs') form ??= 'sf';
    else if (key === 'bs' && isTrue(value) && form === null) form = 'bs';
    else return null;
  }
  return form;
}

function isTrue({ value }: BareItem): boolean {
  return value === true;
}

function meaningOf(name: string, form: FieldForm): string {
  return typeof form === 'string' ? `${name} ${form}` : `${name} key ${form.key}`;
}
