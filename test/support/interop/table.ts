import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../docs/documents.ts';
import { type SignatureAlgorithm } from './signing-keys.ts';

export type HttpVersion = '1.1' | '2';
export type RequestKind = 'GET' | 'POST';

/** A folder of `interop/`. */
export type ProgramFolder = 'go' | 'java' | 'javascript' | 'python' | 'rust';

/**
 * What becomes of a signed request: `verified`; a refusal code, `: ` and the detail of the log; or `not signed: ` and
 * what the library says.
 */
export type Outcome = string;

/** A request as a library signs it. */
export interface SignedCase extends Readonly<Partial<Record<HttpVersion, Outcome>>> {
  /** The components that are covered, in the order in which they are sent; null where no RFC 9421 signature is sent. */
  readonly covers: string | null;
}

/** A library that signs by RFC 9421. */
export interface SignerRow {
  /** As its registry names it. */
  readonly library: string;
  readonly registry: string;
  readonly version: string;
  readonly program: ProgramFolder;
  /** The HTTP client that sends what it signed. */
  readonly client: string;
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Algorithms with which it makes signatures that fit no request. */
  readonly misfits: readonly SignatureAlgorithm[];
  /** The key's name: `any` text of the caller, a `URL`, the key's `thumbprint`, or of the library's `own` making. */
  readonly keyid: 'any' | 'URL' | 'thumbprint' | 'own';
  /** What it does without being told what to cover. */
  readonly byDefault: Readonly<Record<RequestKind, SignedCase>>;
  /** What it does when it is told; null where it takes no wishes. */
  readonly told: Readonly<Record<RequestKind, SignedCase>> | null;
  /** What becomes of a GET where each signature works once, which needs a nonce. */
  readonly once: Outcome;
  /** What its user has to do, for the documents. */
  readonly advice: string;
}

/** A client that gets access tokens by `private_key_jwt`. */
export interface TokenClientRow {
  readonly library: string;
  /** What it is told besides, where that matters; null for nothing. */
  readonly setting: string | null;
  readonly registry: string;
  readonly version: string;
  readonly program: ProgramFolder;
  readonly algorithms: readonly string[];
  readonly audience: 'issuer' | 'token endpoint';
  /** Seconds. */
  readonly lifetime: number;
  readonly sendsClientId: boolean;
  /** Requests for one token. */
  readonly requests: number;
  /** What becomes of a second token right after the first: `a token`, or the error, `: ` and how its description begins. */
  readonly again: string;
  /** What its user has to do, for the documents. */
  readonly advice: string;
}

export interface InteropTable {
  readonly signers: readonly SignerRow[];
  readonly tokenClients: readonly TokenClientRow[];
}

/** Reads interop/table.json. */
export function readInteropTable(): InteropTable {
  return JSON.parse(readFileSync(join(projectRoot, 'interop/table.json'), 'utf8')) as InteropTable;
}
