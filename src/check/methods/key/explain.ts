import { carrierNames, describeCarrier, type KeyCarrier } from '../../../model/options/key-carrier.ts';
import { type ClientRequest, headerOf } from '../../signing/client-request.ts';
import { equal } from '../../../base/text/equal.ts';
import { decodeFormText } from '../../../base/text/form-decoding.ts';
import { queryOf } from '../../signing/signable-request.ts';
import { type Explainer, type Mistake, mistakeOf, unknownSender, withoutSignature } from '../explanation/explainer.ts';
import { findParameter } from '../query-parameters.ts';
import { carrierHeaders, sentKeys } from './carriers.ts';
import { findSchemeWord } from './scheme-word.ts';

const FIX_VALUE = 'Send the App Key exactly as it was issued';

/** A way to send another text than the App Key that is meant. */
interface Reading extends Mistake {
  /** Gives back what was meant. */
  readonly read: (value: string) => string;
  /** The App Key that is meant has to be read in this way too before the two are compared. */
  readonly ofBoth?: true;
}

const readings: readonly Reading[] = [
  {
    name: 'key-white-space',
    what: 'has white space in or around it',
    fix: `${FIX_VALUE}, without blanks and line ends`,
    read: (value) => value.replace(/\s/g, ''),
    ofBoth: true,
  },
  {
    name: 'key-case',
    what: 'differs in upper and lower case',
    fix: FIX_VALUE,
    read: (value) => value.toLowerCase(),
    ofBoth: true,
  },
  {
    name: 'key-quoted',
    what: 'has quotes around it',
    fix: `${FIX_VALUE}, without the quotes`,
    read: (value) => value.replace(/^(["'])(.*)\1$/s, '$2'),
  },
  {
    name: 'key-scheme',
    what: 'has a scheme word before it',
    fix: `${FIX_VALUE}, with nothing before it; or set keyNames to { header: …, scheme: … } with that word`,
    read: (value) => (findSchemeWord(value) === null ? value : value.replace(/^\S+ +/, '')),
  },
  {
    name: 'key-encoded',
    what: 'is percent-encoded once too often',
    fix: `${FIX_VALUE}; a query is percent-encoded once, a header never`,
    read: (value) => decodeFormText(value) ?? '',
  },
  {
    name: 'key-base64',
    what: 'is base64-encoded',
    fix: FIX_VALUE,
    read: (value) => Buffer.from(value, 'base64').toString('utf8'),
  },
];

/** What callers get wrong who send an App Key as it is (spec §3.1). No text of it holds an App Key. */
export const keyExplainer: Explainer<'key'> = {
  findSentIdentity: (request, { keyNames }) => {
    // The first place that holds one decides.
    const [value = '', ...later] = keyNames.flatMap((carrier) => sentKeys(request, carrier));
    if (value === '') return unknownSender;
    const meant = [...readings.map(({ read }) => read(value)), value.toUpperCase()];
    const meantAppKeys = [...new Set(meant)].filter((text) => text !== value && text !== '');
    return { ...unknownSender, appKey: value, meantAppKeys: [...meantAppKeys, ...later] };
  },
  credentialHeaders: ({ keyNames }) => carrierHeaders(keyNames),
  bodyBears: () => 'nothing',
  authenticateWithoutDigest: null,
  explain: (request, { keyNames }, { secret }) => {
    const carrier = keyNames.find((each) => sentKeys(request, each).length > 0);
    if (carrier === undefined) return withoutSignature([findMissing(request, keyNames)]);
    const mistake = findWrong(request, keyNames, carrier, secret);
    if (mistake === null) return withoutSignature([]);
    return { ...withoutSignature([mistakeOf(mistake)]), explainsAppKey: mistake.isForeign !== true };
  },
};

/** What is wrong with an App Key that was sent. */
interface WrongKey extends Mistake {
  /** It is one of another method or caller, not the right one misspelt. */
  readonly isForeign?: true;
}

/** What is wrong with what a carrier holds; null when it is the App Key, or when that is not known. */
function findWrong(
  request: ClientRequest,
  keyNames: readonly KeyCarrier[],
  carrier: KeyCarrier,
  key: string | null,
): WrongKey | null {
  const place = describeCarrier(carrier);
  const [value = '', second] = sentKeys(request, carrier);
  if (second !== undefined) {
    return { name: 'key-twice', what: `the App Key appears more than once in ${place}`, fix: 'Send it once' };
  }
  if (value === '') {
    const fix = 'See where your program takes the App Key from: it was empty';
    return { name: 'key-empty', what: `${place} is empty`, fix };
  }
  if (key === null || isSameText(value, key)) return null;
  const later = keyNames.slice(keyNames.indexOf(carrier) + 1);
  if (later.some((other) => sentKeys(request, other).some((text) => isSameText(text, key)))) {
    return {
      name: 'key-in-a-later-place',
      what: `${place} holds another App Key and decides, although a later place holds the right one`,
      fix: `Send the App Key in one place, ${place}`,
    };
  }
  const wrong = findDifference(request, value, key);
  return { ...wrong, what: `the App Key in ${place} ${wrong.what}` };
}

/** In words that follow the App Key. */
function findDifference(request: ClientRequest, value: string, key: string): WrongKey {
  const reading = readings.find(({ read, ofBoth }) => isSameText(read(value), ofBoth === true ? read(key) : key));
  if (reading !== undefined) return reading;
  if (value.length < key.length && isSameText(value, key.slice(0, value.length))) {
    return { name: 'key-cut', what: 'is only the beginning of the right one', fix: FIX_VALUE };
  }
  if (findParameter(queryOf(request.path), 'sign') !== null) {
    return {
      name: 'parameter-signature-for-key',
      what: 'comes with a signature: it may be one for a signature endpoint',
      fix: 'Send the App Key of a credential of method key',
      isForeign: true,
    };
  }
  return {
    name: 'other-key',
    what: 'is another one than the one given',
    fix: `${FIX_VALUE}; see whether it is one for key authentication`,
    isForeign: true,
  };
}

/** Names of headers, in lower case and with hyphens, that callers mistake for that of the App Key. */
const LIKELY_HEADERS = ['appkey', 'app-key', 'x-appkey', 'x-api-key', 'apikey', 'api-key', 'x-app-id'];

function findMissing(request: ClientRequest, keyNames: readonly KeyCarrier[]): Mistake {
  const fix = `Send the App Key as ${keyNames.map((each) => describeCarrier(each)).join(' or ')}`;
  const mistake = (name: string, what: string): Mistake => ({ name, what, fix });
  const query = queryOf(request.path).split('&');
  const queryNames = carrierNames(keyNames, 'query');
  const headerNames = carrierNames(keyNames, 'header').map((name) => name.toLowerCase());
  const segmentNames = query.map((segment) => segment.split('=', 1)[0] ?? '');
  if (query.some((segment) => queryNames.includes(segment))) {
    return mistake('key-without-value', 'the parameter of the App Key has no "=" and no value');
  }
  if (segmentNames.some((name) => queryNames.some((known) => fold(known) === fold(name)))) {
    return mistake('key-name-case', 'the parameter of the App Key is misspelt: upper and lower case count');
  }
  if (segmentNames.some((name) => headerNames.includes(name.toLowerCase()))) {
    return mistake('key-in-query', 'the App Key is in the query under the name of the header');
  }
  const scheme = (headerOf(request, 'authorization') ?? '').split(' ', 1)[0]?.toLowerCase() ?? '';
  if (scheme !== '') {
    const name =
      { hmac: 'hmac-for-key', basic: 'basic-authentication', bearer: 'bearer-token' }[scheme] ?? 'key-in-authorization';
    const what = headerNames.includes('authorization')
      ? 'the Authorization header has another scheme word than the endpoint takes'
      : 'the request has an Authorization header, at which this endpoint does not look: "keyNames" does not name it';
    return mistake(name, what);
  }
  const likely = [...LIKELY_HEADERS, ...queryNames.map((name) => name.toLowerCase())];
  if (request.headers.some(([name]) => likely.includes(name.toLowerCase().replaceAll('_', '-')))) {
    return mistake('key-header-name', 'the App Key is in a header of another name');
  }
  if (/(?:^|[&"])"?app_?key"?[=:]/i.test(request.body.toString('latin1', 0, 65_536))) {
    return mistake('key-in-body', 'the App Key is in the body');
  }
  return mistake('key-missing', 'the request carries no App Key');
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

function isSameText(left: string, right: string): boolean {
  return equal(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}
