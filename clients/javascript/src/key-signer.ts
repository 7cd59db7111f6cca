import type { Bytes } from './bytes.ts';
import { joinedSignature } from './der.ts';
import { type Algorithm, CURVE_BYTES, type KeyKind } from './key-algorithms.ts';
import { nodeKeySigner } from './node-keys.ts';
import { type KeyFault, type PrivateKey, readPem, readPrivateJwk } from './private-key.ts';
import { PosternProblem } from './problem.ts';
import { webKeyAlgorithm, webKeySigner } from './web-keys.ts';

/** What signs bytes with a key that the client does not have. An ECDSA signature is r and s, or DER. */
export type SignBytes = (bytes: Uint8Array) => Uint8Array | ArrayBuffer | PromiseLike<Uint8Array | ArrayBuffer>;
/** A private key: PEM (PKCS#8), a JWK, a `CryptoKey` that may sign, or what signs with one elsewhere. */
export type PrivateKeySetting = string | JsonWebKey | CryptoKey | SignBytes;

/** Signs with one key and one algorithm. */
export interface KeySigner<Name extends string> {
  readonly algorithm: Name;
  /** May throw a {@link PosternProblem} with `SIGNER_FAILED`. */
  readonly sign: (bytes: Bytes) => Bytes | Promise<Bytes>;
}

/**
 * Makes the signer of a setting. `algorithms` are those of the method, by their names; of each kind of key the first is
 * the default. Throws a {@link PosternProblem} with `INVALID_CREDENTIAL`, which never shows a part of the key.
 */
export function createKeySigner<Name extends string>(
  setting: unknown,
  wanted: unknown,
  algorithms: Readonly<Record<Name, Algorithm>>,
): KeySigner<Name> {
  if (wanted !== undefined && !(typeof wanted === 'string' && Object.hasOwn(algorithms, wanted))) {
    throw invalid(`algorithm must be one of ${Object.keys(algorithms).join(', ')}`);
  }
  const named = wanted as Name | undefined;
  if (typeof setting === 'function') {
    if (named === undefined) throw invalid('algorithm is missing: a function that signs does not say its own');
    return { algorithm: named, sign: asked(setting as SignBytes, algorithms[named]) };
  }
  if (isCryptoKey(setting)) {
    const own = webKeyAlgorithm(setting);
    const fitting = namesOf(algorithms).find((name) => isSame(algorithms[name], own));
    const isRight = setting.type === 'private' && setting.usages.includes('sign');
    if (!isRight || fitting === undefined) throw invalid('privateKey is no CryptoKey that signs by this method');
    if (named !== undefined && !isSame(algorithms[named], own)) throw invalid(`algorithm does not fit the private key`);
    return { algorithm: named ?? fitting, sign: webKeySigner(setting, algorithms[fitting]) };
  }
  const key = readKey(setting);
  if ('fault' in key) throw invalid(`privateKey ${key.fault}`);
  const algorithm = named ?? namesOf(algorithms).find((name) => algorithms[name].kind === key.kind);
  if (algorithm === undefined || algorithms[algorithm].kind !== key.kind) {
    throw invalid('algorithm does not fit the private key');
  }
  return { algorithm, sign: keySigner(key, algorithms[algorithm]) };
}

function readKey(setting: unknown): PrivateKey | KeyFault {
  if (typeof setting === 'string') return readPem(setting);
  if (typeof setting === 'object' && setting !== null) return readPrivateJwk(setting);
  return { fault: 'must be PEM, a JWK, a CryptoKey or a function that signs' };
}

function keySigner(key: PrivateKey, algorithm: Algorithm): KeySigner<string>['sign'] {
  try {
    return nodeKeySigner(key, algorithm) ?? webKeySigner(key, algorithm);
  } catch {
    // What OpenSSL says of a key might quote it.
    throw invalid('privateKey cannot be imported: its numbers do not fit together');
  }
}

/** What somebody else's function signs, checked. */
function asked(sign: SignBytes, { kind }: Algorithm): KeySigner<string>['sign'] {
  return async (bytes) => {
    let given: unknown;
    try {
      given = await sign(bytes.slice());
    } catch (cause) {
      throw new PosternProblem('SIGNER_FAILED', 'the function of privateKey failed; its error is the cause', { cause });
    }
    const isBytes = given instanceof Uint8Array || given instanceof ArrayBuffer;
    const signature = isBytes ? checked(new Uint8Array(given as ArrayBuffer), kind) : null;
    if (signature !== null) return signature;
    throw new PosternProblem('SIGNER_FAILED', 'the function of privateKey gave no signature of the algorithm');
  };
}

function checked(signature: Bytes, kind: KeyKind): Bytes | null {
  if (kind === 'ed25519') return signature.length === 64 ? signature : null;
  if (kind === 'rsa') return signature.length >= 256 && signature.length <= 1024 ? signature : null;
  return joinedSignature(signature, CURVE_BYTES[kind]);
}

function isCryptoKey(setting: unknown): setting is CryptoKey {
  return typeof CryptoKey === 'function' && setting instanceof CryptoKey;
}

function isSame(one: Algorithm, other: Algorithm | null): boolean {
  return one.kind === other?.kind && one.hash === other.hash && one.padding === other.padding;
}

function namesOf<Name extends string>(algorithms: Readonly<Record<Name, Algorithm>>): readonly Name[] {
  return Object.keys(algorithms) as Name[];
}

function invalid(message: string): PosternProblem {
  return new PosternProblem('INVALID_CREDENTIAL', `the setting ${message}`);
}
