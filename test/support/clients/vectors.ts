import { readFileSync } from 'node:fs';
import { type BodyText, type ClientRequest, type ClientSettings, type SecretMethod } from './protocol.ts';

/** A case of clients/vectors.json that is about a request. */
export interface SigningVector {
  readonly name: string;
  readonly client: ClientSettings & { readonly method: SecretMethod };
  readonly now: number;
  readonly nonce?: string;
  readonly request: ClientRequest;
  readonly signed?: {
    readonly target: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    /** Absent when it did not change. */
    readonly body?: BodyText | { readonly sha256: string; readonly length: number };
  };
  readonly problem?: string;
}

interface VectorFile {
  readonly format: number;
  readonly cases: readonly (SigningVector | { readonly name: string; readonly parameters: unknown })[];
}

/** Every case that a driver can be asked to sign; those about writing a query have no question in the protocol. */
export function signingVectors(): readonly SigningVector[] {
  const url = new URL('../../../clients/vectors.json', import.meta.url);
  const { format, cases } = JSON.parse(readFileSync(url, 'utf8')) as VectorFile;
  if (format !== 1) throw new Error(`clients/vectors.json has format ${String(format)}, which these tests do not read`);
  return cases.filter((each) => 'request' in each);
}
