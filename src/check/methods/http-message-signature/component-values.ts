import { parseDictionary, parseItem, parseList } from '../../../base/structured-fields/parse-field.ts';
import type { FieldSyntaxFault, Member } from '../../../base/structured-fields/values.ts';
import { writeBytes, writeDictionary, writeList, writeValue } from '../../../base/structured-fields/write-field.ts';
import type { Refusal } from '../../refusal.ts';
import { headerLines, headerText, refuseUnsignableText } from '../../signing/header-text.ts';
import { queryOf, type SignableRequest } from '../../signing/signable-request.ts';
import type { Component, FieldForm } from './components.ts';
import { derivedValue, type Scheme } from './derived-values.ts';
import { queryParameterValues } from './query-parameter-values.ts';

/** Why a request has no value of a component, in words that follow its name. */
export interface NoValue {
  readonly why: string;
}

const ABSENT: NoValue = { why: 'which is not in the request' };
const NOT_ONCE: NoValue = { why: 'whose name is not in the query exactly once' };
const JOINED: NoValue = { why: 'whose lines Envoy may have joined' };
const UNREADABLE: NoValue = { why: 'which cannot be read as a structured field for certain' };

/** A field of a request: its text, and why that cannot be signed; null for none. */
interface FieldText {
  readonly text: string | null;
  readonly unsignable: Refusal | null;
}

/**
 * The values of the parts of one request, as the signature base has them (RFC 9421 §2). Whatever is asked, by however
 * many signatures, the work is linear in the request: each field, dictionary and component, and the query, is read
 * once.
 */
export class ComponentValues {
  readonly request: SignableRequest;
  readonly scheme: Scheme;
  readonly #values = new Map<string, string | NoValue>();
  readonly #fields = new Map<string, FieldText>();
  readonly #dictionaries = new Map<string, ReadonlyMap<string, Member> | FieldSyntaxFault>();
  #parameters: ReadonlyMap<string, string | null> | null = null;

  constructor(request: SignableRequest, scheme: Scheme) {
    this.request = request;
    this.scheme = scheme;
  }

  /** What is absent has no value: it is not taken as empty, and never computed. */
  of(component: Component): string | NoValue {
    let value = this.#values.get(component.identifier);
    if (value === undefined) {
      value = this.#read(component);
      this.#values.set(component.identifier, value);
    }
    return value;
  }

  /** Why a field cannot be signed (`MALFORMED_REQUEST`): a line break or lost bytes; null when it can. */
  findUnsignable(name: string): Refusal | null {
    return this.#fieldOf(name).unsignable;
  }

  #read(component: Component): string | NoValue {
    switch (component.kind) {
      case 'derived':
        return derivedValue(this.request, component.name, this.scheme);
      case 'field':
        return this.#ofField(component.name, component.form);
      case 'query-param':
        this.#parameters ??= queryParameterValues(queryOf(this.request.path));
        return this.#parameters.get(component.parameter) ?? NOT_ONCE;
    }
  }

  #fieldOf(name: string): FieldText {
    let field = this.#fields.get(name);
    if (field === undefined) {
      const text = headerText(this.request, name);
      field = { text, unsignable: text === null ? null : refuseUnsignableText(this.request, name, text) };
      this.#fields.set(name, field);
    }
    return field;
  }

  #ofField(name: string, form: FieldForm): string | NoValue {
    if (form === 'bs') return this.#linesInBase64(name);
    const { text } = this.#fieldOf(name);
    if (text === null) return ABSENT;
    if (form === 'plain') return text;
    return form === 'sf' ? inOneSpelling(text) : this.#memberOf(name, text, form.key);
  }

  #linesInBase64(name: string): string | NoValue {
    const lines = headerLines(this.request, name);
    if (lines.length === 0) return ABSENT;
    if (!this.request.headers.isRaw && lines.some((line) => line.includes(','))) return JOINED;
    return lines.map((line) => writeBytes(Buffer.from(line, 'latin1'))).join(', ');
  }

  #memberOf(name: string, text: string, key: string): string | NoValue {
    const known = this.#dictionaries.get(name);
    const members = known ?? parseDictionary(text);
    if (known === undefined) this.#dictionaries.set(name, members);
    if ('fault' in members) return UNREADABLE;
    const member = members.get(key);
    return member === undefined ? { why: 'which has no member of that key' } : writeValue(member.value);
  }
}

/**
 * A structured field in its one spelling (RFC 8941 §4.1). Which of the three types a field has, only its definition
 * says: all are tried, and those that can read it must agree, as they do but for repeated keys.
 */
function inOneSpelling(text: string): string | NoValue {
  const spellings = new Set<string>();
  const item = parseItem(text);
  if (!('fault' in item)) spellings.add(writeValue(item));
  const list = parseList(text);
  if (!('fault' in list)) spellings.add(writeList(list));
  const dictionary = parseDictionary(text);
  if (!('fault' in dictionary)) spellings.add(writeDictionary(dictionary));
  const [spelling, other] = spellings;
  return spelling === undefined || other !== undefined ? UNREADABLE : spelling;
}
