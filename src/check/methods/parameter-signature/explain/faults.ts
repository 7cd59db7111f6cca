import { isUtf8 } from 'node:buffer';
import { parseMediaType } from '../../../../base/text/media-type.ts';
import type { Fault } from '../../explanation/explainer.ts';
import { isUtf8Type, isVerifiedType } from '../body-form.ts';
import { type ParameterCase, valueOf } from './case.ts';

const NOT_CREDENTIALS = 'Send appKey and sign as parameters, beside the others';
const RESERVED = ['appKey', 'sign', 'apiTimestamp'];
const WRAPPER = '{"data":"…","appKey":"…","sign":"…","apiTimestamp":1795228800}';

/** What can be seen to be wrong with a request to a parameter-signature endpoint. */
export const parameterFaults: readonly Fault<ParameterCase>[] = [
  {
    name: 'hmac-for-parameter-signature',
    what: 'the request carries an hmac Authorization, but the endpoint wants a parameter signature',
    fix: NOT_CREDENTIALS,
    isMade: (context) => !has(context, 'sign') && schemeOf(context) === 'hmac',
  },
  {
    name: 'basic-authentication',
    what: 'the request carries an Authorization of the Basic scheme, but the endpoint wants a parameter signature',
    fix: `${NOT_CREDENTIALS}; the App Secret itself is never sent`,
    isMade: (context) => !has(context, 'sign') && schemeOf(context) === 'basic',
  },
  {
    name: 'bearer-token',
    what: 'the request carries a token, but the endpoint wants a parameter signature',
    fix: NOT_CREDENTIALS,
    isMade: (context) => !has(context, 'sign') && schemeOf(context) === 'bearer',
  },
  {
    name: 'app-key-in-header',
    what: 'the App Key is in a header, as for key authentication',
    fix: NOT_CREDENTIALS,
    isMade: (context) => !has(context, 'appKey') && context.header('x-app-key') !== null,
  },
  {
    name: 'app-key-name',
    what: 'the App Key has another name than appKey, or other upper and lower case',
    fix: 'Name the parameter appKey, in just these letters',
    isMade: (context) => !has(context, 'appKey') && hasLike(context, /^(?:app_?key|app-key|app_?id|key)$/i),
  },
  {
    name: 'app-key-missing',
    what: 'there is no appKey',
    fix: NOT_CREDENTIALS,
    isMade: (context) =>
      isReadable(context) &&
      !has(context, 'appKey') &&
      context.header('x-app-key') === null &&
      !hasLike(context, /^(?:app_?key|app-key|app_?id|key)$/i),
  },
  {
    name: 'sign-name',
    what: 'the signature has another name than sign, or other upper and lower case',
    fix: 'Name the parameter sign, in lower case',
    isMade: (context) => !has(context, 'sign') && hasLike(context, /^(?:sign|signature|sig)$/i),
  },
  {
    name: 'sign-missing',
    what: 'there is no sign',
    fix: 'Sign the parameters, and send the signature as sign',
    isMade: (context) => isReadable(context) && !has(context, 'sign') && !hasLike(context, /^(?:sign|signature|sig)$/i),
  },
  {
    name: 'repeated-parameter',
    what: 'appKey, sign or apiTimestamp appears more than once',
    fix: 'Send each of them once',
    isMade: ({ parameters }) =>
      RESERVED.some((reserved) => parameters.filter(({ name }) => name === reserved).length > 1),
  },
  {
    name: 'empty-parameter',
    what: 'appKey, sign or apiTimestamp is empty',
    fix: 'Check where your program takes it from: it was empty',
    isMade: ({ parameters }) => parameters.some(({ name, value }) => RESERVED.includes(name) && value === ''),
  },
  {
    name: 'timestamp-milliseconds',
    what: 'apiTimestamp is in milliseconds',
    fix: 'Divide it by 1000 and round down: apiTimestamp is in seconds',
    isMade: (context) => /^\d{12,14}$/.test(valueOf(context, 'apiTimestamp') ?? ''),
  },
  {
    name: 'timestamp-format',
    what: 'apiTimestamp is not a whole number of seconds in digits',
    fix: 'Write apiTimestamp as the seconds since 1970-01-01T00:00:00Z, digits only',
    isMade: (context) => !/^\d*$/.test(valueOf(context, 'apiTimestamp') ?? ''),
  },
  {
    name: 'timestamp-missing',
    what: 'there is no apiTimestamp, and the endpoint requires it',
    fix: 'Send apiTimestamp, in seconds, and sign it with the other parameters',
    isMade: (context) => context.options.requireTimestamp && isReadable(context) && !has(context, 'apiTimestamp'),
  },
  {
    name: 'timestamp-name',
    what: 'the timestamp has another name than apiTimestamp',
    fix: 'Name the parameter apiTimestamp, in just these letters',
    isMade: (context) =>
      context.options.requireTimestamp &&
      !has(context, 'apiTimestamp') &&
      hasLike(context, /^(?:timestamp|ts|api_timestamp|apitimestamp)$/i),
  },
  {
    name: 'json-not-wrapped',
    what: 'the JSON body is not in its wrapper',
    fix: `Send ${WRAPPER}, where data is the whole JSON text as a string`,
    isMade: ({ form, wrapper, request }) =>
      form === 'json' &&
      (wrapper === null ? /^\s*\[/.test(request.body.toString('latin1', 0, 64)) : !('data' in wrapper)),
  },
  {
    name: 'data-not-a-string',
    what: 'data is JSON itself, not a string that holds JSON',
    fix: 'Make data a string: JSON.stringify({ data: JSON.stringify(order), … })',
    isMade: ({ form, wrapper }) =>
      form === 'json' && wrapper !== null && 'data' in wrapper && typeof wrapper['data'] !== 'string',
  },
  {
    name: 'wrapper-keys',
    what: 'the JSON wrapper has other keys than data, appKey, sign and apiTimestamp',
    fix: `Send ${WRAPPER} and nothing else; what belongs to the API goes into data`,
    isMade: ({ form, wrapper }) =>
      form === 'json' &&
      wrapper !== null &&
      'data' in wrapper &&
      Object.keys(wrapper).some((name) => !['data', ...RESERVED].includes(name)),
  },
  {
    name: 'wrapper-no-json',
    what: 'the body is sent as application/json, but it is no JSON object',
    fix: `Send ${WRAPPER}`,
    isMade: ({ form, wrapper, request }) =>
      form === 'json' && wrapper === null && !/^\s*\[/.test(request.body.toString('latin1', 0, 64)),
  },
  {
    name: 'json-sent-as-form',
    what: 'the body is JSON, but Content-Type says that it is a form',
    fix: 'Send Content-Type: application/json (curl -d says form unless you say otherwise)',
    isMade: ({ form, request }) => form === 'form' && /^\s*\{/.test(request.body.toString('latin1', 0, 64)),
  },
  {
    name: 'form-sent-as-json',
    what: 'the body is a form, but Content-Type says that it is JSON',
    fix: 'Send Content-Type: application/x-www-form-urlencoded',
    isMade: ({ form, request }) => form === 'json' && /^[\w%.~+-]+=/.test(request.body.toString('latin1', 0, 256)),
  },
  {
    name: 'content-type-missing',
    what: 'the request has a body but no Content-Type',
    fix: 'Send Content-Type: application/json or application/x-www-form-urlencoded',
    isMade: ({ form, header, request }) => form === null && request.body.length > 0 && header('content-type') === null,
  },
  {
    name: 'content-type',
    what: 'the body is of a type that cannot be verified',
    fix: 'Send a form (application/x-www-form-urlencoded) or JSON (application/json)',
    isMade: ({ form, header }) =>
      form === null && header('content-type') !== null && !isVerifiedType(parseMediaType(header('content-type') ?? '')),
  },
  {
    name: 'charset',
    what: 'the body has a charset other than UTF-8, or Content-Type is not well formed',
    fix: 'Send the body in UTF-8, and say no charset or charset=utf-8',
    isMade: ({ form, header }: ParameterCase): boolean => {
      const type = parseMediaType(header('content-type') ?? '');
      return form === null && isVerifiedType(type) && !isUtf8Type(type);
    },
  },
  {
    name: 'compressed',
    what: 'the body is compressed',
    fix: 'Send the body without Content-Encoding',
    isMade: ({ form, header }) => form === null && header('content-encoding') !== null,
  },
  {
    name: 'parameters-in-the-url',
    what: 'the URL has parameters beside a body, and nothing signs them',
    fix: 'Put all parameters into the body; only an appKey equal to the one in the body may stand in the URL',
    isMade: ({ form, query, parameters, options }) =>
      options.unsignedQuery !== 'forward' &&
      (form === 'form' || form === 'json') &&
      (query.length > 1 ||
        query.some(
          ({ name, value }) => name !== 'appKey' || value !== parameters.find((one) => one.name === 'appKey')?.value,
        )),
  },
  {
    name: 'percent-encoding',
    what: 'a "%" in the parameters is not followed by two hexadecimal digits',
    fix: 'Percent-encode names and values before they are sent; a percent sign itself is %25',
    isMade: (context) =>
      context.form !== 'json' &&
      context.parameters.some(({ rawName, rawValue }) => /%(?![0-9A-Fa-f]{2})/.test(`${rawName}=${rawValue}`)),
  },
  {
    name: 'not-utf-8',
    what: 'the parameters are not UTF-8',
    fix: 'Take the UTF-8 bytes of names and values, and percent-encode these',
    isMade: ({ form, parameters }) =>
      form !== 'json' && parameters.some(({ name, value }) => !isUtf8(Buffer.from(`${name}=${value}`, 'latin1'))),
  },
];

function has({ parameters }: ParameterCase, wanted: string): boolean {
  return parameters.some(({ name }) => name === wanted);
}

function hasLike({ parameters }: ParameterCase, pattern: RegExp): boolean {
  return parameters.some(({ name }) => pattern.test(name));
}

/** Whether there is a place to look for parameters: a body in the wrong form says nothing about them. */
function isReadable({ form, wrapper }: ParameterCase): boolean {
  return form === 'url' || form === 'form' || (form === 'json' && wrapper !== null && 'data' in wrapper);
}

function schemeOf({ header }: ParameterCase): string {
  return (header('authorization') ?? '').split(' ', 1)[0]?.toLowerCase() ?? '';
}
