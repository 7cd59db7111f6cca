import type { ParameterSignatureOptions } from '../../model/endpoint.ts';
import { type BodyForm, chooseBodyForm } from '../../methods/parameter-signature/body-form.ts';
import { type ClientRequest, signableRequest } from '../../signing/client-request.ts';
import { queryOf } from '../../signing/signable-request.ts';
import { plainParameter, type SentParameter, splitParameters } from './sent-parameters.ts';

type JsonObject = Readonly<Record<string, unknown>>;

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
    header: (wanted) => request.headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null,
  };
}

function wrapperParameters(wrapper: JsonObject | null): readonly SentParameter[] {
  return Object.entries(wrapper ?? {}).map(([name, value]) =>
    plainParameter(bytesOf(name), bytesOf(typeof value === 'string' ? value : JSON.stringify(value))),
  );
}

/** Text as its UTF-8 bytes, one character a byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Bytes, one character each, as the UTF-8 text that they are. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The JSON object that a body is; null when it is none. */
export function parseObject(body: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
