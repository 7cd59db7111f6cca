import { createHash } from 'node:crypto';
import { type BodyForm, chooseBodyForm } from '../body-form.ts';
import type { ParameterSignatureOptions } from '../../../../model/endpoint.ts';
import { type ClientRequest, headerOf, signableRequest } from '../../../signing/client-request.ts';
import { formDecodeInto } from '../../../../base/text/form-decoding.ts';
import { queryOf } from '../../../signing/signable-request.ts';
import type { WithSecret } from '../../explanation/signing-mistakes.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../../model/document/json.ts';
import { bytesOf } from '../../explanation/text-encoding.ts';

/** A request to a parameter-signature endpoint, as the mistakes look at it. */
export interface ParameterCase {
  readonly request: ClientRequest;
  readonly options: ParameterSignatureOptions;
  /** Null when the body is of a kind that is not verified. */
  readonly form: BodyForm | null;
  /** Where the gateway looks for them, read as leniently as can be. */
  readonly parameters: readonly SentParameter[];
  readonly query: readonly SentParameter[];
  /** The JSON object in the body, if it is one. */
  readonly wrapper: JsonObject | null;
  /** The first value of a header by its lower-case name; null when there is none. */
  readonly header: (name: string) => string | null;
}

/** Prepares a request for looking at its mistakes. */
export function parameterCase(request: ClientRequest, options: ParameterSignatureOptions): ParameterCase {
  const chosen = chooseBodyForm(signableRequest(request), options.unsignedBody);
  const form = typeof chosen === 'string' ? chosen : null;
  const query = splitParameters(queryOf(request.path));
  const wrapper = parseObject(request.body);
  const inBody = form === 'form' ? splitParameters(request.body.toString('latin1')) : wrapperParameters(wrapper);
  return {
    request,
    options,
    form,
    query,
    wrapper,
    parameters: form === 'url' || form === null ? query : inBody,
    header: (name) => headerOf(request, name),
  };
}

/** The fields of a JSON object as parameters. */
export function wrapperParameters(wrapper: JsonObject | null): readonly SentParameter[] {
  return Object.entries(wrapper ?? {}).map(([name, value]) =>
    plainParameter(bytesOf(name), bytesOf(typeof value === 'string' ? value : JSON.stringify(value))),
  );
}

/** The JSON object in a body; null for other bodies. */
export function parseObject(body: Buffer): JsonObject | null {
  const value = parseJson(body.toString('utf8'));
  return isJsonObject(value) ? value : null;
}

/** A parameter as it was sent, one character a byte: decoded, and as it stands on the wire. */
export interface SentParameter {
  readonly name: string;
  readonly value: string;
  readonly rawName: string;
  readonly rawValue: string;
}

/** Splits a query or form as leniently as can be: what cannot be decoded stays as it is. */
function splitParameters(text: string): readonly SentParameter[] {
  return text.split('&').flatMap((segment) => {
    if (segment === '') return [];
    const equals = segment.indexOf('=');
    const rawName = equals === -1 ? segment : segment.slice(0, equals);
    const rawValue = equals === -1 ? '' : segment.slice(equals + 1);
    return [{ name: decode(rawName), value: decode(rawValue), rawName, rawValue }];
  });
}

/** The value of the first parameter of a name; null when there is none. */
export function valueOf({ parameters }: Pick<ParameterCase, 'parameters'>, wanted: string): string | null {
  return parameters.find(({ name }) => name === wanted)?.value ?? null;
}

/** A parameter that is sent as it is, without escapes. */
export function plainParameter(name: string, value: string): SentParameter {
  return { name, value, rawName: name, rawValue: value };
}

function decode(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const out = Buffer.alloc(bytes.length);
  const end = formDecodeInto(out, 0, bytes, 0, bytes.length);
  return end === -1 ? text : out.toString('latin1', 0, end);
}

/** Stands for the App Secret in a text that is one character a byte. */
export const SECRET_MARK = '\ue000';
/** What stands in a shown string to sign where the App Secret is. */
export const SHOWN_SECRET = Buffer.from('[App Secret]');

/** A name and value as they enter the string to sign. */
export type Pair = readonly [name: string, value: string];

/** What is hashed: with the secret at its place, and without it. */
interface Message {
  readonly whole: Buffer;
  readonly text: Buffer;
}

/** How a `sign` is made, in parts of which each can go wrong alone. Text is one character a byte. */
export interface ParameterRecipe extends WithSecret {
  /** In the order on the wire, without `sign`. */
  readonly parameters: readonly SentParameter[];
  readonly spell: (parameter: SentParameter) => Pair;
  /** Null leaves them as they are on the wire. */
  readonly compare: ((left: Pair, right: Pair) => number) | null;
  readonly equals: string;
  readonly joiner: string;
  /** Puts the joined text and {@link SECRET_MARK} together. */
  readonly frame: (text: string) => string;
  readonly mac: (message: Message, secret: Buffer) => Buffer;
}

/** The text of a recipe, with {@link SECRET_MARK} where the secret goes. */
export function parameterTextOf(recipe: ParameterRecipe): string {
  const pairs = recipe.parameters.map(recipe.spell);
  if (recipe.compare !== null) pairs.sort(recipe.compare);
  return recipe.frame(pairs.map(([name, value]) => `${name}${recipe.equals}${value}`).join(recipe.joiner));
}

/** The signature that a recipe leads to. */
export function signOf(recipe: ParameterRecipe): Buffer {
  const text = parameterTextOf(recipe);
  const secret = recipe.secret.toString('latin1');
  const whole = Buffer.from(
    text.replaceAll(SECRET_MARK, () => secret),
    'latin1',
  );
  return recipe.mac({ whole, text: Buffer.from(text.replaceAll(SECRET_MARK, ''), 'latin1') }, recipe.secret);
}

/** A text with something to read in the place of the secret. */
export function shownText(text: string): Buffer {
  return Buffer.from(text.replaceAll(SECRET_MARK, SHOWN_SECRET.toString('latin1')), 'latin1');
}

/** Ascending order of bytes, equal names as on the wire. */
export function byName([left]: Pair, [right]: Pair): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A plain hash over text and secret, as a recipe's `mac`. */
export function hashWith(name: string): ParameterRecipe['mac'] {
  return ({ whole }) => createHash(name).update(whole).digest();
}
