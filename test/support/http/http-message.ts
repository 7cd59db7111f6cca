/** Header fields in order, names and repeats as they were on the wire. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** An answer as a client saw it. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Fields;
  readonly body: Buffer;
  readonly trailers: Fields;
  /** Status codes of the interim answers before it, such as 100. */
  readonly interim: readonly number[];
}

/** A request as a back end got it. */
export interface RecordedRequest {
  readonly protocol: 'HTTP/1.1' | 'HTTP/2';
  readonly method: string;
  /** The request target byte for byte, one character per byte. */
  readonly target: string;
  readonly authority: string;
  /** Without pseudo-headers. */
  readonly headers: Fields;
  readonly body: Buffer;
  readonly trailers: Fields;
}

/** Every value of a header field, in order; names compare without case. */
export function fieldValues(fields: Fields, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return fields.filter(([found]) => found.toLowerCase() === wanted).map(([, value]) => value);
}

/** The one value of a header field, or null when it is absent; two are a failure. */
export function fieldValue(fields: Fields, name: string): string | null {
  const values = fieldValues(fields, name);
  if (values.length > 1) throw new Error(`${name} stands there ${String(values.length)} times: ${values.join(' | ')}`);
  return values[0] ?? null;
}

/** The body of an answer as JSON. */
export function jsonBody(answer: HttpAnswer): unknown {
  return JSON.parse(answer.body.toString('utf8'));
}

/** Fields from a flat list of names and values, the form in which Node.js gives them. */
export function fieldsOf(raw: readonly string[]): Fields {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}
