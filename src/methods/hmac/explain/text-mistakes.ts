import { createHash } from 'node:crypto';
import type { HmacAlgorithm } from '../../../model/endpoint.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { gbkEncoder } from '../../explanation/text-encoding.ts';
import { type HmacCase, type HmacRecipe, hmacWith, type MacFunction } from './case.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** What goes wrong when the lines are written and joined. */
export function textMistakes({ request }: HmacCase): readonly Hypothesis<HmacRecipe>[] {
  const encodeGbk = gbkEncoder();
  const sentSpelling = new Map(request.headers.map(([name]) => [name.toLowerCase(), name]));
  return [
    {
      name: 'line-feed-at-the-end',
      what: 'the string to sign ended with a line feed',
      fix: 'Join the lines with line feeds and put none after the last one (printf or echo -n, not echo)',
      vary: (recipe) => ['\n', '\r\n', '\r'].map((ending) => ({ ...recipe, ending })),
    },
    {
      name: 'crlf',
      what: 'the lines of the string to sign were joined with CRLF',
      fix: 'Join the lines with a single line feed, 0x0a, on every system',
      vary: (recipe) => [
        { ...recipe, lineBreak: '\r\n' },
        { ...recipe, lineBreak: '\r\n', ending: '\r\n' },
      ],
    },
    {
      name: 'line-separator',
      what: 'the lines of the string to sign were joined with something else than a line feed',
      fix: 'Join the lines with a single line feed, the byte 0x0a, not the two characters "\\n"',
      vary: (recipe) => ['\\n', '', ' ', ', ', ',', '&', '\r', ';'].map((lineBreak) => ({ ...recipe, lineBreak })),
    },
    {
      name: 'no-blank-after-colon',
      what: 'header lines were written "name:value", without a blank',
      fix: 'Write each header as "name: value", with one blank after the colon',
      vary: (recipe) => [{ ...recipe, colon: ':' }],
    },
    {
      name: 'name-separator',
      what: 'header lines were not written as "name: value"',
      fix: 'Write each header as "name: value", with one blank after the colon',
      vary: (recipe) => [
        ...['=', ' : ', ' ', ':  ', ' = '].map((colon) => ({ ...recipe, colon })),
        { ...recipe, colon: '', spellName: () => '' },
      ],
    },
    {
      name: 'header-names-not-lower-case',
      what: 'header names were not written in lower case',
      fix: 'Write header names in lower case in the string to sign: "date: …", not "Date: …"',
      vary: (recipe) => [
        { ...recipe, spellName: titleCase },
        { ...recipe, spellName: (name) => sentSpelling.get(name) ?? name },
        { ...recipe, spellName: (name) => name.toUpperCase() },
      ],
    },
    {
      name: 'text-encoding',
      what: 'the string to sign was encoded in another way than as it is sent',
      fix: 'Sign the bytes that are sent: UTF-8 without a byte order mark, and no further encoding',
      vary: (recipe) =>
        [
          (text: Buffer) => Buffer.concat([BYTE_ORDER_MARK, text]),
          (text: Buffer) => Buffer.from(text.toString('utf8'), 'utf16le'),
          (text: Buffer) => Buffer.from(text.toString('base64'), 'latin1'),
          (text: Buffer) => Buffer.from(encodeURIComponent(text.toString('utf8')), 'latin1'),
          (text: Buffer) => Buffer.from(text.toString('latin1'), 'utf8'),
          (text: Buffer) => Buffer.from(text.toString('utf8'), 'latin1'),
          (text: Buffer) => encodeGbk(text.toString('utf8')) ?? text,
        ].map((encodeText) => ({ ...recipe, encodeText })),
    },
  ];
}

function titleCase(name: string): string {
  return name.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase());
}

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
