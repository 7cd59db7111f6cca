import { APP_KEY_PATTERN } from '../../../model/app-key.ts';
import type { TextRule } from './document-reader.ts';

const ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;
const HASH_PATTERN = /^[0-9a-f]{64}$/;

/** Ids of endpoints, consumers and credentials (spec §1). */
export const idRule: TextRule = {
  test: (text) => ID_PATTERN.test(text),
  words: '1 to 63 of the characters a-z, 0-9 and "-", beginning with a letter or digit',
};

export const appKeyRule: TextRule = {
  test: (text) => APP_KEY_PATTERN.test(text),
  words: '1 to 128 of the characters A-Z, a-z, 0-9, ".", "_" and "-"',
};

export const appKeyHashRule: TextRule = {
  test: (text) => HASH_PATTERN.test(text),
  words: 'the SHA-256 of an App Key: 64 of the characters 0-9 and a-f',
};

/** The consumer's name goes into a request header, so that its length is bounded. */
export const nameRule: TextRule = {
  test: (text) => text.trim() !== '' && text.length <= 256,
  words: 'a text of 1 to 256 characters that are not all blanks',
};

export const textRule: TextRule = { test: () => true, words: 'a text' };

/** What a sealed secret is made of; whether it opens is for the key ring to tell. */
export const sealedPartRule: TextRule = {
  test: (text) => text !== '' && text.length <= 8192,
  words: 'a text that is not empty',
};
