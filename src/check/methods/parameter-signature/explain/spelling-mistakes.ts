import { isDeepStrictEqual } from 'node:util';
import { RESERVED_NAMES } from '../parameters.ts';
import { bodyVariants } from '../../explanation/body-variants.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { bytesOf, decodeEscapes, escapeByte, gbkEncoder, textOf } from '../../explanation/text-encoding.ts';
import {
  type Pair,
  type ParameterCase,
  type ParameterRecipe,
  parseObject,
  plainParameter,
  type SentParameter,
  wrapperParameters,
} from './case.ts';

const DECODED_FIX = 'Sign names and values as they are before they are percent-encoded for the URL or form';
const RAW_FIX = 'Sign names and values exactly as they stand in the URL or form, percent-encoded';

/** What goes wrong with how names and values are written in the string to sign. */
export function spellingMistakes({ options }: ParameterCase): readonly Hypothesis<ParameterRecipe>[] {
  const isRaw = options.parameterEncoding === 'raw';
  const fix = isRaw ? RAW_FIX : DECODED_FIX;
  const encodeGbk = gbkEncoder();
  const asGbk = (bytes: string): string => encodeGbk(textOf(bytes))?.toString('latin1') ?? bytes;
  const spellingMistake = (
    name: string,
    what: string,
    fix: string,
    ways: readonly ((parameter: SentParameter) => Pair)[],
  ): Hypothesis<ParameterRecipe> => ({
    name,
    what,
    fix,
    vary: ({ parameters, spell }) =>
      ways
        .filter((way) => parameters.some((parameter) => !isDeepStrictEqual(way(parameter), spell(parameter))))
        .map((way) => ({ spell: way })),
  });
  const values =
    (change: (value: string) => string) =>
    ({ name, value }: SentParameter): Pair => [name, change(value)];
  return [
    spellingMistake(
      'values-percent-decoded',
      'values were signed decoded, but have to be signed as they are sent',
      fix,
      isRaw ? [({ name, value }) => [name, value]] : [],
    ),
    spellingMistake(
      'values-percent-encoded',
      `values were signed percent-encoded${isRaw ? ' in another way than they were sent' : ''}`,
      fix,
      [
        ({ rawName, rawValue }) => [rawName, rawValue],
        values(encode),
        values(encodeStrictly),
        values(encodeAsForm),
        values((value) => lowerEscapes(encodeStrictly(value))),
        values((value) => lowerEscapes(encodeAsForm(value))),
        ({ name, value }) => [encode(name), encode(value)],
        ({ name, value }) => [encodeAsForm(name), encodeAsForm(value)],
      ],
    ),
    spellingMistake(
      'plus-or-%20',
      'a blank was signed as "+", or a "+" as a blank',
      isRaw ? RAW_FIX : 'A "+" in a URL or form is a blank: sign it as a blank, and send a real plus as %2B',
      [
        ({ rawName, rawValue }) => [decodeEscapes(rawName), decodeEscapes(rawValue)],
        values((value) => value.replaceAll(' ', '+')),
        values((value) => value.replaceAll('+', ' ')),
        values((value) => value.replaceAll(' ', '%20')),
        ({ rawName, rawValue }) => [rawName.replaceAll('+', '%20'), rawValue.replaceAll('+', '%20')],
        ({ rawName, rawValue }) => [rawName.replaceAll('%20', '+'), rawValue.replaceAll('%20', '+')],
      ],
    ),
    spellingMistake('values-encoded-twice', 'values were percent-encoded twice before they were signed', fix, [
      ({ rawName, rawValue }) => [rawName, encode(rawValue)],
      values((value) => encode(encode(value))),
      values((value) => encodeAsForm(encodeAsForm(value))),
    ]),
    spellingMistake(
      'values-sent-encoded-twice',
      'values were percent-encoded twice when they were sent, but signed as they are',
      'Percent-encode each value once: your HTTP client already does it',
      [values(decodeEscapes), values((value) => decodeEscapes(value.replaceAll('+', ' ')))],
    ),
    spellingMistake(
      'name-case',
      'names were changed to lower or upper case before signing',
      'Sign names as they are sent',
      [
        ({ name, value }) => [RESERVED_NAMES.some((reserved) => reserved === name) ? name : name.toLowerCase(), value],
        ({ name, value }) => [name.toLowerCase(), value],
        ({ name, value }) => [name.toUpperCase(), value],
      ],
    ),
    spellingMistake(
      'text-encoding',
      'the text was signed in another character encoding than UTF-8',
      'Sign the UTF-8 bytes',
      [
        values((value) => Buffer.from(textOf(value), 'latin1').toString('latin1')),
        values(bytesOf),
        ({ name, value }) => [asGbk(name), asGbk(value)],
      ],
    ),
  ];
}

/** As encodeURIComponent does. */
function encode(bytes: string): string {
  const text = textOf(bytes);
  // The native function is much faster, but knows text only, not any bytes.
  return text.includes('\ufffd') ? bytes.replace(/[^A-Za-z0-9\-_.!~*'()]/g, escapeByte) : encodeURIComponent(text);
}

/** All but the unreserved characters of RFC 3986. */
function encodeStrictly(bytes: string): string {
  return encode(bytes).replace(/[!*'()]/g, escapeByte);
}

/** As forms are encoded. */
function encodeAsForm(bytes: string): string {
  return encode(bytes)
    .replace(/[!~'()]/g, escapeByte)
    .replaceAll('%20', '+');
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
}

/** What goes wrong with `data` of the JSON form. */
export function dataMistakes({ form }: ParameterCase): readonly Hypothesis<ParameterRecipe>[] {
  if (form !== 'json') return [];
  const dataOf = ({ parameters }: ParameterRecipe): SentParameter | undefined =>
    parameters.find(({ name }) => name === 'data');
  const data = (change: (value: string) => readonly string[]) => (recipe: ParameterRecipe) => {
    const sent = dataOf(recipe);
    if (sent === undefined) return [];
    return change(sent.value)
      .filter((value) => value !== sent.value)
      .map((value) => replaceIn(recipe, sent, [plainParameter('data', value)]));
  };
  // The same data is looked at for many recipes.
  const known = new Map<string, readonly string[]>();
  const variantsOf = (value: string): readonly string[] => {
    const found =
      known.get(value) ?? bodyVariants(Buffer.from(value, 'latin1')).map(({ bytes }) => bytes.toString('latin1'));
    known.set(value, found);
    return found;
  };
  return [
    {
      name: 'data-reserialised',
      what: 'data was signed as another text than it was sent: it was written again, with other blanks, line ends, escapes or order',
      fix: 'Write the JSON once, sign this text, and put the very same text into data; never write it again',
      vary: data(variantsOf),
    },
    {
      name: 'data-escaped',
      what: 'data was signed with the backslashes that it has inside the JSON wrapper',
      fix: 'Sign the text as it is before it is put into the wrapper as a JSON string',
      vary: data((value) => {
        const escaped = bytesOf(JSON.stringify(textOf(value)));
        return [escaped.slice(1, -1), escaped];
      }),
    },
    {
      name: 'data-fields-signed',
      what: 'the fields inside data were signed as parameters of their own',
      fix: 'Sign data as one parameter: its value is the whole original JSON text',
      vary: (recipe) => {
        const sent = dataOf(recipe);
        const fields = sent === undefined ? null : parseObject(Buffer.from(sent.value, 'latin1'));
        return sent === undefined || fields === null ? [] : [replaceIn(recipe, sent, wrapperParameters(fields))];
      },
    },
  ];
}

function replaceIn(
  { parameters }: ParameterRecipe,
  one: SentParameter,
  others: readonly SentParameter[],
): Pick<ParameterRecipe, 'parameters'> {
  return { parameters: parameters.flatMap((parameter) => (parameter === one ? others : [parameter])) };
}
