import { decodeFormText } from '../../../../base/text/form-decoding.ts';
import { queryOf } from '../../../signing/signable-request.ts';
import { bodyVariants } from '../../explanation/body-variants.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { bytesOf, escapeByte } from '../../explanation/text-encoding.ts';
import type { Component } from '../components.ts';
import { contentDigestOf } from '../content-digest.ts';
import { DIGEST_FIELD } from '../coverage.ts';
import type { HttpCase } from './case.ts';
import type { HttpRecipe } from './recipe.ts';

/** Fields are looked at up to this many: each is one more mistake to pair with others. */
const MAX_FIELDS = 8;

/** What goes wrong with the values of fields and of parameters of the query. */
export function fieldMistakes(context: HttpCase, components: readonly Component[]): readonly Hypothesis<HttpRecipe>[] {
  const { request } = context;
  const fields = components.filter((component) => component.kind === 'field' && component.form === 'plain');
  return [
    ...queryParameterMistakes(request.path, components),
    ...fields
      .filter(({ identifier }) => identifier !== `"${DIGEST_FIELD}"`)
      .slice(0, MAX_FIELDS)
      .flatMap((component) => ofField(component)),
    ...fields
      .filter(({ identifier }) => identifier === `"${DIGEST_FIELD}"`)
      .map(({ identifier }) => ({
        name: 'digest-signed-otherwise',
        what: 'the content-digest that was signed is another than the one that was sent',
        fix: 'Sign the value of Content-Digest as it is sent; let nothing on the way write it anew',
        vary: ({ values }: HttpRecipe) =>
          otherDigests(request.body).map((digest) => ({ values: new Map(values).set(identifier, digest) })),
      })),
  ];
}

function ofField({ identifier }: Component): readonly Hypothesis<HttpRecipe>[] {
  const shown = identifier.replaceAll('"', '');
  const vary =
    (change: (value: string) => readonly string[]): Hypothesis<HttpRecipe>['vary'] =>
    ({ values }) => {
      const value = values.get(identifier);
      return value === undefined
        ? []
        : change(value).map((other) => ({ values: new Map(values).set(identifier, other) }));
    };
  return [
    {
      name: 'value-not-trimmed',
      what: `the value of ${shown} was signed with white space around it`,
      fix: `Remove the blanks at both ends of ${shown} before it is signed`,
      vary: vary((value) => [` ${value}`, `${value} `, ` ${value} `, `${value}\n`]),
    },
    {
      name: 'lines-joined-otherwise',
      what: `the values of ${shown} were not joined by ", "`,
      fix: `Send ${shown} in one line, and sign it as it is sent`,
      vary: vary((value) => [value.replace(/,\s*/g, ','), value.replace(/,\s*/g, ', '), value.replace(/,\s*/g, '\n')]),
    },
    {
      name: 'value-changed',
      what: `${shown} was signed with another value than the one that arrived: something on the way changed it`,
      fix: `Do not cover ${shown}, or send it in the form in which it arrives`,
      vary: vary((value) => [
        value.toLowerCase(),
        value.replace(/\s*;.*$/, ''),
        ...['; charset=utf-8', ';charset=utf-8', ';charset=UTF-8', '; charset=UTF-8'].map(
          (charset) => value.replace(/\s*;.*$/, '') + charset,
        ),
        '',
      ]),
    },
  ];
}

function otherDigests(body: Buffer): readonly string[] {
  const bodies = [body, ...bodyVariants(body).map(({ bytes }) => bytes)];
  return bodies.flatMap((each) => [contentDigestOf(each), contentDigestOf(each, 'sha-512')]);
}

/** Parameters of the query, which libraries encode in five ways; each of them does it alike for all. */
function queryParameterMistakes(path: string, components: readonly Component[]): readonly Hypothesis<HttpRecipe>[] {
  const covered = components.filter((component) => component.kind === 'query-param');
  if (covered.length === 0) return [];
  const segments = queryOf(path).split('&');
  const rawOf = (parameter: string): string => {
    const segment = segments.find((each) => decodeName(each) === decodeFormText(parameter)) ?? '';
    return segment.includes('=') ? segment.slice(segment.indexOf('=') + 1) : '';
  };
  return [
    {
      name: 'query-param-encoding',
      what: 'the values of @query-param were encoded in another way than RFC 9421 says',
      fix: 'Cover @query instead of @query-param: libraries encode parameters in five ways, and the query in one',
      vary: ({ values }) =>
        spellings.map((spell) => ({
          values: new Map([
            ...values,
            ...covered.map(({ identifier, parameter }) => [identifier, spell(rawOf(parameter))] as const),
          ]),
        })),
    },
  ];
}

function decodeName(segment: string): string | null {
  const [name = ''] = segment.split('=', 1);
  return decodeFormText(name);
}

/** From the value on the wire: as it is, decoded, as a form, as a component of a URI, all but letters and digits. */
const spellings: readonly ((raw: string) => string)[] = [
  (raw) => raw,
  (raw) => bytesOf(decoded(raw)),
  (raw) => new URLSearchParams([['', decoded(raw)]]).toString().slice(1),
  (raw) => encodeURIComponent(decoded(raw)),
  (raw) => bytesOf(decoded(raw)).replace(/[^A-Za-z0-9\-._~]/g, escapeByte),
  (raw) => bytesOf(decoded(raw)).replace(/[^A-Za-z0-9\-._~]/g, (byte) => escapeByte(byte).toLowerCase()),
];

function decoded(raw: string): string {
  return decodeFormText(raw) ?? raw;
}
