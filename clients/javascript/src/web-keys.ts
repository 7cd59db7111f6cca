import type { Bytes } from './bytes.ts';
import type { HashName } from './hash.ts';
import type { Algorithm } from './key-algorithms.ts';
import type { PrivateKey } from './private-key.ts';
import { PosternProblem } from './problem.ts';
import { subtle } from './web-hashes.ts';

const CURVES = { p256: 'P-256', p384: 'P-384' } as const;
const PADDINGS = { pss: 'RSA-PSS', pkcs1: 'RSASSA-PKCS1-v1_5' } as const;

/** Signs by WebCrypto. The key is imported with the first signature, which may throw `INVALID_CREDENTIAL`. */
export function webKeySigner(key: PrivateKey | CryptoKey, algorithm: Algorithm): (bytes: Bytes) => Promise<Bytes> {
  const parameters = parametersOf(algorithm);
  let imported: Promise<CryptoKey> | null = 'usages' in key ? Promise.resolve(key) : null;
  return async (bytes) => {
    imported ??= importKey(key as PrivateKey, parameters);
    return new Uint8Array(await subtle().sign(parameters, await imported, bytes));
  };
}

/** The algorithm of a `CryptoKey`; null when it is one that the gateway does not take. */
export function webKeyAlgorithm({ algorithm }: CryptoKey): Algorithm | null {
  const { name, namedCurve, hash } = algorithm as Partial<EcKeyAlgorithm & RsaHashedKeyAlgorithm>;
  if (name === 'Ed25519') return { kind: 'ed25519', hash: null, padding: null };
  if (name === 'ECDSA' && namedCurve === CURVES.p256) return { kind: 'p256', hash: 'SHA-256', padding: null };
  if (name === 'ECDSA' && namedCurve === CURVES.p384) return { kind: 'p384', hash: 'SHA-384', padding: null };
  const padding = (['pss', 'pkcs1'] as const).find((each) => PADDINGS[each] === name);
  return padding === undefined ? null : { kind: 'rsa', hash: (hash?.name ?? null) as HashName | null, padding };
}

type Parameters = EcKeyImportParams & EcdsaParams & RsaHashedImportParams & RsaPssParams;

function parametersOf({ kind, hash, padding }: Algorithm): Parameters {
  const name = padding !== null ? PADDINGS[padding] : kind === 'ed25519' ? 'Ed25519' : 'ECDSA';
  const bits = hash === null ? 0 : Number(hash.slice('SHA-'.length));
  const parameters = {
    name,
    ...(hash === null ? {} : { hash }),
    ...(kind === 'p256' || kind === 'p384' ? { namedCurve: CURVES[kind] } : {}),
    ...(padding === 'pss' ? { saltLength: bits / 8 } : {}),
  };
  return parameters as Parameters;
}

async function importKey(key: PrivateKey, parameters: Parameters): Promise<CryptoKey> {
  const web = subtle();
  try {
    return 'jwk' in key
      ? await web.importKey('jwk', key.jwk, parameters, false, ['sign'])
      : await web.importKey('pkcs8', key.pkcs8, parameters, false, ['sign']);
  } catch (error) {
    const isUnknown = error instanceof Error && error.name === 'NotSupportedError';
    const why = isUnknown ? 'is of a kind that this environment does not know' : 'cannot be imported';
    throw new PosternProblem('INVALID_CREDENTIAL', `the setting privateKey ${why}`);
  }
}
