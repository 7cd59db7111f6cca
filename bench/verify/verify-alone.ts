import { createPublicKey, verify } from 'node:crypto';
import { measureAlone } from './measure-alone.ts';
import type { SignatureCase } from './signature-case.ts';

/**
 * `crypto.verify` and nothing else, one signature after the other: the part of a check that is cryptography. Takes the
 * arguments of bench/peers/go/verify, and prints the same.
 */
interface Signed {
  readonly hash: string | null;
  readonly base: Buffer;
  readonly key: Parameters<typeof verify>[2];
  readonly signature: Buffer;
}

function readCase(message: Buffer): Signed {
  const { algorithm, key, base, signature } = JSON.parse(message.toString('utf8')) as SignatureCase;
  const object = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  return {
    hash: algorithm.hash,
    base: Buffer.from(base, 'base64'),
    key: { ...algorithm.options, key: object },
    signature: Buffer.from(signature, 'base64'),
  };
}

measureAlone(readCase, ({ hash, base, key, signature }) => verify(hash, base, key, signature));
