import { createHash } from 'node:crypto';
import type { HmacAlgorithm } from '../../../../model/options/hmac-algorithms.ts';
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
      vary: () => ['\n', '\r\n', '\r'].map((ending) => ({ ending })),
    },
    {
      name: 'crlf',
      what: 'the lines of the string to sign were joined with CRLF',
      fix: 'Join the lines with a single line feed, 0x0a, on every system',
      vary: () => [{ lineBreak: '\r\n' }, { lineBreak: '\r\n', ending: '\r\n' }],
    },
    {
      name: 'line-separator',
      what: 'the lines of the string to sign were joined with something else than a line feed',
      fix: 'Join the lines with a single line feed, the byte 0x0a, not the two characters "\\n"',
      vary: () => ['\\n', '', ' ', ', ', ',', '&', '\r', ';'].map((lineBreak) => ({ lineBreak })),
    },
    {
      name: 'no-blank-after-colon',
      what: 'header lines were written "name:value", without a blank',
      fix: 'Write each header as "name: value", with one blank after the colon',
      vary: () => [{ colon: ':' }],
    },
    {
      name: 'name-separator',
      what: 'header lines were not written as "name: value"',
      fix: 'Write each header as "name: value", with one blank after the colon',
      vary: () => [...['=', ' : ', ' ', ':  ', ' = '].map((colon) => ({ colon })), { colon: '', spellName: () => '' }],
    },
    {
      name: 'header-names-not-lower-case',
      what: 'header names were not written in lower case',
      fix: 'Write header names in lower case in the string to sign: "date: …", not "Date: …"',
      vary: () => [
        { spellName: titleCase },
        { spellName: (name) => sentSpelling.get(name) ?? name },
        { spellName: (name) => name.toUpperCase() },
      ],
    },
    {
      name: 'text-encoding',
      what: 'the string to sign was encoded in another way than as it is sent',
      fix: 'Sign the bytes that are sent: UTF-8 without a byte order mark',
      vary: () =>
        [
          (text: Buffer) => Buffer.concat([BYTE_ORDER_MARK, text]),
          (text: Buffer) => Buffer.from(text.toString('utf8'), 'utf16le'),
          (text: Buffer) => Buffer.from(text.toString('latin1'), 'utf8'),
          (text: Buffer) => Buffer.from(text.toString('utf8'), 'latin1'),
          (text: Buffer) => encodeGbk(text.toString('utf8')) ?? text,
        ].map((encodeText) => ({ encodeText })),
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
  const mistake = (name: string, what: string, macs: readonly MacFunction[]): Hypothesis<HmacRecipe> => ({
    name,
    what,
    fix,
    vary: () => macs.map((mac) => ({ mac })),
  });
  return [
    mistake(
      'wrong-algorithm',
      'the HMAC was made with another hash than the algorithm parameter says',
      HASHES.filter((other) => other !== hash).map(hmacWith),
    ),
    mistake(
      'plain-hash',
      'a plain hash of text and secret was taken instead of an HMAC',
      HASHES.flatMap((name) => [
        (text, key) => digest(name, text, key),
        (text, key) => digest(name, key, text),
        (text, key) => digest(name, text, Buffer.from('\n'), key),
        (text) => digest(name, text),
      ]),
    ),
    mistake('key-and-text-swapped', 'the string to sign was used as the key, and the App Secret as the message', [
      (text, key) => hmacWith(hash)(key, text),
    ]),
    mistake('hashed-twice', 'a hash of the string to sign was signed instead of the string itself', [
      (text, key) => hmacWith(hash)(digest(hash, text), key),
      (text, key) => hmacWith(hash)(Buffer.from(digest(hash, text).toString('hex')), key),
      (text, key) => hmacWith(hash)(text, digest(hash, key)),
      (text, key) => hmacWith(hash)(text, Buffer.from(digest(hash, key).toString('hex'))),
    ]),
  ];
}

function digest(name: string, ...parts: readonly Buffer[]): Buffer {
  return parts.reduce((hash, part) => hash.update(part), createHash(name)).digest();
}
