import { createHash } from 'node:crypto';
import type { HmacAlgorithm } from '../../model/endpoint.ts';
import type { Hypothesis } from '../mistake.ts';
import { type HmacRecipe, hmacWith, type MacFunction } from './hmac-recipe.ts';

const HASHES = ['sha256', 'sha512', 'sha1', 'sha384', 'md5', 'sha224', 'sha3-256'];

/** What goes wrong when the string to sign is signed. */
export function algorithmMistakes(algorithm: HmacAlgorithm): readonly Hypothesis<HmacRecipe>[] {
  const hash = algorithm.replace('hmac-', '');
  const fix = `Use HMAC with ${hash.toUpperCase().replace('SHA', 'SHA-')}: the App Secret is the key, the string to sign the message`;
  const macs = (functions: readonly MacFunction[]) => (recipe: HmacRecipe) =>
    functions.map((mac) => ({ ...recipe, mac }));
  return [
    {
      name: 'wrong-algorithm',
      what: 'the HMAC was made with another hash than the algorithm parameter says',
      fix,
      vary: macs(HASHES.filter((other) => other !== hash).map(hmacWith)),
    },
    {
      name: 'plain-hash',
      what: 'a plain hash of text and secret was taken instead of an HMAC',
      fix,
      vary: macs(
        HASHES.flatMap((name) => [
          (text, key) => digest(name, text, key),
          (text, key) => digest(name, key, text),
          (text, key) => digest(name, text, Buffer.from('\n'), key),
          (text) => digest(name, text),
        ]),
      ),
    },
    {
      name: 'key-and-text-swapped',
      what: 'the string to sign was used as the key, and the App Secret as the message',
      fix,
      vary: macs([(text, key) => hmacWith(hash)(key, text)]),
    },
    {
      name: 'hashed-twice',
      what: 'a hash of the string to sign was signed instead of the string itself',
      fix,
      vary: macs([
        (text, key) => hmacWith(hash)(digest(hash, text), key),
        (text, key) => hmacWith(hash)(Buffer.from(digest(hash, text).toString('hex')), key),
        (text, key) => hmacWith(hash)(text, digest(hash, key)),
        (text, key) => hmacWith(hash)(text, Buffer.from(digest(hash, key).toString('hex'))),
      ]),
    },
  ];
}

function digest(name: string, ...parts: readonly Buffer[]): Buffer {
  return parts.reduce((hash, part) => hash.update(part), createHash(name)).digest();
}
