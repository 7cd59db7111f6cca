import type { KeyCarrier } from '../../model/endpoint.ts';
import { type ClientRequest, headerOf } from '../../signing/client-request.ts';
import { equal } from '../../signing/equal.ts';
import { decodeFormText } from '../../signing/form-decoding.ts';
import { queryOf } from '../../signing/signable-request.ts';
import { type Explainer, type Mistake, nobody, withoutSignature } from '../explanation/explainer.ts';
import { findParameter } from '../query-parameters.ts';
import { carrierNames, describeCarrier, sentKeys } from './carriers.ts';

const FIX_VALUE = 'Send the App Key exactly as it was issued';
const QUOTED = /^(["'])(.*)\1$/s;
const SCHEME_WORD = /^(?:Bearer|Key|ApiKey|Token) +/i;

/** What callers get wrong who send an App Key as it is (spec §3.1). No text of it holds an App Key. */
export const keyExplainer: Explainer<'key'> = {
  findSentIdentity: (request, { keyNames }) => {
    // The first place that holds one decides.
    const [value = '', ...later] = keyNames.flatMap((carrier) => sentKeys(request, carrier));
    return value === '' ? nobody : { ...nobody, appKey: value, meantAppKeys: [...meantKeys(value), ...later] };
  },
  explain: (request, { keyNames }, { secret }) =>
    withoutSignature(findMistakes(request, keyNames, firstPresent(request, keyNames), secret)),
};

/** The App Keys that a caller may have meant who sent another text: those that the difference to can be named. */
function meantKeys(value: string): readonly string[] {
  const meant = [
    value.replace(/\s/g, ''),
    value.toLowerCase(),
    value.toUpperCase(),
    value.replace(QUOTED, '$2'),
    value.replace(SCHEME_WORD, ''),
    decodeFormText(value) ?? '',
    Buffer.from(value, 'base64').toString('utf8'),
  ];
  return [...new Set(meant)].filter((text) => text !== value && text !== '');
}

/** The carrier that decides, and what it holds: one text or more. */
interface Carried {
  readonly carrier: KeyCarrier;
  readonly values: readonly string[];
}

function firstPresent(request: ClientRequest, keyNames: readonly KeyCarrier[]): Carried | null {
  for (const carrier of keyNames) {
    const values = sentKeys(request, carrier);
    if (values.length > 0) return { carrier, values };
  }
  return null;
}

function findMistakes(
  request: ClientRequest,
  keyNames: readonly KeyCarrier[],
  found: Carried | null,
  key: string | null,
): readonly Mistake[] {
  const places = keyNames.map(describeCarrier).join(' or ');
  if (found === null) return [findMissing(request, keyNames, places)];
  const place = describeCarrier(found.carrier);
  const [value = ''] = found.values;
  if (found.values.length > 1) {
    return [{ name: 'key-twice', what: `the App Key stands more than once in ${place}`, fix: 'Send it once' }];
  }
  if (value === '') {
    return [
      {
        name: 'key-empty',
        what: `${place} is empty`,
        fix: 'See where your program takes the App Key from: it was empty',
      },
    ];
  }
  // Which App Key is the right one is not always known.
  if (key === null || isSameText(value, key)) return [];
  const later = keyNames.slice(keyNames.indexOf(found.carrier) + 1);
  if (later.some((carrier) => sentKeys(request, carrier).some((other) => isSameText(other, key)))) {
    return [
      {
        name: 'key-in-a-later-place',
        what: `${place} holds another App Key and decides, although a later place holds the right one`,
        fix: `Send the App Key in one place, ${place}`,
      },
    ];
  }
  return [findDifferentValue(request, value, key, place)];
}

function findDifferentValue(request: ClientRequest, value: string, key: string, place: string): Mistake {
  const mistake = (name: string, what: string, fix: string): Mistake => ({
    name,
    what: `the App Key in ${place} ${what}`,
    fix,
  });
  if (isSameText(value.replace(/\s/g, ''), key.replace(/\s/g, ''))) {
    return mistake('key-white-space', 'has white space in or around it', `${FIX_VALUE}, without blanks and line ends`);
  }
  if (isSameText(value.toLowerCase(), key.toLowerCase())) {
    return mistake('key-case', 'differs in upper and lower case', FIX_VALUE);
  }
  if (isSameText(value.replace(QUOTED, '$2'), key)) {
    return mistake('key-quoted', 'has quotes around it', `${FIX_VALUE}, without the quotes`);
  }
  if (isSameText(value.replace(SCHEME_WORD, ''), key)) {
    return mistake('key-scheme', 'has a scheme word before it', `${FIX_VALUE}, with nothing before it`);
  }
  if (isSameText(decodeFormText(value) ?? '', key)) {
    return mistake(
      'key-encoded',
      'is percent-encoded once too often',
      `${FIX_VALUE}; a query is percent-encoded once, a header never`,
    );
  }
  if (isSameText(Buffer.from(value, 'base64').toString('utf8'), key))
    return mistake('key-base64', 'is base64-encoded', FIX_VALUE);
  if (value.length < key.length && isSameText(value, key.slice(0, value.length))) {
    return mistake('key-cut', 'is only the beginning of the right one', FIX_VALUE);
  }
  const hasSignature = findParameter(queryOf(request.path), 'sign') !== null;
  if (hasSignature) {
    return mistake(
      'parameter-signature-for-key',
      'comes with a signature: it may be one for a signature endpoint',
      'Send the App Key of a credential of method key',
    );
  }
  return mistake(
    'other-key',
    'is another one than the one given',
    `${FIX_VALUE}; see whether it is one for key authentication`,
  );
}

function findMissing(request: ClientRequest, keyNames: readonly KeyCarrier[], places: string): Mistake {
  const fix = `Send the App Key as ${places}`;
  const query = queryOf(request.path).split('&');
  const queryNames = carrierNames(keyNames, 'query');
  const headerNames = carrierNames(keyNames, 'header').map((name) => name.toLowerCase());
  const segmentNames = query.map((segment) => segment.split('=', 1)[0] ?? '');
  if (query.some((segment) => queryNames.includes(segment))) {
    return { name: 'key-without-value', what: 'the parameter of the App Key has no "=" and no value', fix };
  }
  if (segmentNames.some((name) => queryNames.some((known) => fold(known) === fold(name)))) {
    return {
      name: 'key-name-case',
      what: 'the parameter of the App Key is not spelt as it must be: upper and lower case count',
      fix,
    };
  }
  if (segmentNames.some((name) => headerNames.includes(name.toLowerCase()))) {
    return { name: 'key-in-query', what: 'the App Key is in the query under the name of the header', fix };
  }
  const scheme = (headerOf(request, 'authorization') ?? '').split(' ', 1)[0]?.toLowerCase() ?? '';
  if (scheme !== '') {
    const name =
      { hmac: 'hmac-for-key', basic: 'basic-authentication', bearer: 'bearer-token' }[scheme] ?? 'key-in-authorization';
    return { name, what: 'the request has an Authorization header, which key authentication does not look at', fix };
  }
  const likely = [
    'appkey',
    'app-key',
    'x-appkey',
    'x-api-key',
    'apikey',
    'api-key',
    'x-app-id',
    ...queryNames.map((name) => name.toLowerCase()),
  ];
  if (request.headers.some(([name]) => likely.includes(name.toLowerCase().replaceAll('_', '-')))) {
    return { name: 'key-header-name', what: 'the App Key is in a header of another name', fix };
  }
  if (/(?:^|[&"])"?app_?key"?[=:]/i.test(request.body.toString('latin1', 0, 65_536))) {
    return { name: 'key-in-body', what: 'the App Key is in the body', fix };
  }
  return { name: 'key-missing', what: 'the request carries no App Key', fix };
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

function isSameText(left: string, right: string): boolean {
  return equal(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}
