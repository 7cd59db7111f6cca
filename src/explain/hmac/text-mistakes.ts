import { gbkEncoder } from '../gbk.ts';
import type { Hypothesis } from '../mistake.ts';
import type { HmacCase } from './hmac-case.ts';
import type { HmacRecipe } from './hmac-recipe.ts';

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
