import { REQUEST_LINE } from '../signed-headers.ts';
import { isSignableHeader } from '../../../../model/signable-headers.ts';
import { hmacAlgorithms } from '../../../../model/options/hmac-algorithms.ts';
import { queryOf } from '../../../signing/signable-request.ts';
import { parseImfFixdate } from '../../../signing/signed-time.ts';
import type { Fault } from '../../explanation/explainer.ts';
import { countHeader, type HmacCase, isRequestLineName } from './case.ts';

const SHAPE = 'Authorization: hmac appkey="…", algorithm="hmac-sha256", headers="date request-line", signature="…"';
const PARAMETERS = ['appkey', 'algorithm', 'headers', 'signature'];

/** What is wrong with how the credentials are sent to an hmac endpoint. */
export const authorizationFaults: readonly Fault<HmacCase>[] = [
  {
    name: 'key-for-hmac',
    what: 'the request carries an App Key as for key authentication, but the endpoint wants an HMAC signature',
    fix: `Sign the request and send ${SHAPE}`,
    isMade: ({ request, header }) =>
      header('authorization') === null &&
      (header('x-app-key') !== null || hasParameter(request.path, 'appKey')) &&
      !hasParameter(request.path, 'sign'),
  },
  {
    name: 'parameter-signature-for-hmac',
    what: 'the request carries a parameter signature (sign), but the endpoint wants an HMAC signature',
    fix: `Sign the request and send ${SHAPE}`,
    isMade: ({ request, header }) => header('authorization') === null && hasParameter(request.path, 'sign'),
  },
  {
    name: 'authorization-missing',
    what: 'the request has no Authorization header',
    fix: `Send ${SHAPE}; clients drop it on a redirect to another host`,
    isMade: ({ request, header }) =>
      header('authorization') === null &&
      header('x-app-key') === null &&
      !hasParameter(request.path, 'appKey') &&
      !hasParameter(request.path, 'sign'),
  },
  {
    name: 'basic-authentication',
    what: 'the Authorization header is of the Basic scheme: a name and a password',
    fix: `Sign the request and send ${SHAPE}; the App Secret itself is never sent`,
    isMade: ({ authorization }) => authorization.scheme.toLowerCase() === 'basic',
  },
  {
    name: 'bearer-token',
    what: 'the Authorization header is of the Bearer scheme: a token, as for an oauth2 endpoint',
    fix: `Sign the request and send ${SHAPE}`,
    isMade: ({ authorization }) => authorization.scheme.toLowerCase() === 'bearer',
  },
  {
    name: 'other-scheme',
    what: 'the Authorization header does not begin with "hmac "',
    fix: `Send ${SHAPE}`,
    isMade: ({ header, authorization }) =>
      header('authorization') !== null && !['hmac', 'basic', 'bearer'].includes(authorization.scheme.toLowerCase()),
  },
  {
    name: 'authorization-twice',
    what: 'the request has more than one Authorization header',
    fix: 'Send one',
    isMade: ({ request }) => countHeader(request, 'authorization') > 1,
  },
  {
    name: 'authorization-parameters',
    what: 'the parameters of Authorization are not the four wanted ones, once each and in lower case',
    fix: `Send ${SHAPE}`,
    isMade: ({ authorization: { scheme, written } }) =>
      scheme.toLowerCase() === 'hmac' && [...written].sort().join() !== [...PARAMETERS].sort().join(),
  },
  {
    name: 'authorization-grammar',
    what: 'Authorization is not written as one blank after hmac and then name="value", joined by commas',
    fix: `Send ${SHAPE}, with double quotes and no blank around "="`,
    isMade: ({ header, authorization }) =>
      authorization.scheme.toLowerCase() === 'hmac' &&
      !/^\w+ [\w-]+="[^"\\]*"(?:[ \t]*,[ \t]*[\w-]+="[^"\\]*")*$/.test(header('authorization') ?? ''),
  },
  {
    name: 'algorithm-not-allowed',
    what: 'the endpoint does not take this algorithm',
    fix: 'Write algorithm="hmac-sha256", in lower case, unless the operator named another one',
    isMade: ({ authorization: { algorithm }, options }) =>
      algorithm !== null && !options.algorithms.some((allowed) => allowed === algorithm),
  },
  {
    name: 'list-not-lower-case',
    what: 'headers="…" has names that are not in lower case',
    fix: 'Write the names in headers="…" in lower case',
    isMade: ({ authorization: { headers } }) => headers !== null && headers !== headers.toLowerCase(),
  },
  {
    name: 'list-separators',
    what: 'headers="…" does not have single blanks between its names',
    fix: 'Separate the names in headers="…" by one blank each, with none at the ends',
    isMade: ({ authorization: { headers } }) => headers !== null && !/^[^\s,;]+(?: [^\s,;]+)*$/.test(headers),
  },
  {
    name: 'list-request-target',
    what: 'headers="…" lists the request line under the name that another scheme has for it',
    fix: 'List it as request-line, and write the line as "POST /orders HTTP/1.1"',
    isMade: ({ authorization: { headers } }) =>
      (headers ?? '')
        .toLowerCase()
        .split(/[\s,;]+/)
        .some(isRequestLineName),
  },
  {
    name: 'date-not-listed',
    what: 'headers="…" does not list date',
    fix: 'Sign the Date header: add date to headers="…" and its line to the string to sign',
    isMade: ({ authorization: { headers }, names }) => headers !== null && !names.includes('date'),
  },
  {
    name: 'request-line-not-listed',
    what: 'headers="…" does not list request-line',
    fix: 'Sign the request line: add request-line to headers="…" and its line to the string to sign',
    isMade: ({ authorization: { headers }, names }) => headers !== null && !names.includes(REQUEST_LINE),
  },
  {
    name: 'listed-twice',
    what: 'headers="…" lists a name twice',
    fix: 'List each name once',
    isMade: ({ names }) => new Set(names).size !== names.length,
  },
  {
    name: 'unsignable-header',
    what: 'headers="…" lists a header that cannot be signed, because it is changed on the way',
    fix: 'Do not sign authorization, connection, keep-alive, te, transfer-encoding, x-request-id, x-forwarded-*, x-envoy-* and the identity headers',
    isMade: ({ names }) => names.some((name) => !isSignableHeader(name)),
  },
  {
    name: 'listed-header-absent',
    what: 'headers="…" lists a header that the request does not have',
    fix: 'Send every header that is listed, and check whether your client or a proxy drops it',
    isMade: ({ names, header, request }) =>
      names.some(
        (name) =>
          ![REQUEST_LINE, 'date', 'digest'].includes(name) &&
          (name === 'host' ? request.authority === '' : header(name) === null),
      ),
  },
  {
    name: 'digest-missing',
    what: 'the request has a body, but no Digest header',
    fix: 'Send Digest: SHA-256= and the base64 of the SHA-256 of the body, and sign it',
    isMade: ({ request, header }) => request.body.length > 0 && header('digest') === null,
  },
  {
    name: 'digest-not-signed',
    what: 'the request has a body and a Digest, but headers="…" does not list digest',
    fix: 'Add digest to headers="…" and its line to the string to sign',
    isMade: ({ request, header, names, authorization }) =>
      request.body.length > 0 &&
      header('digest') !== null &&
      authorization.headers !== null &&
      !names.includes('digest'),
  },
  {
    name: 'digest-twice',
    what: 'the request has more than one Digest header',
    fix: 'Send one',
    isMade: ({ request }) => countHeader(request, 'digest') > 1,
  },
];

/** Whether an algorithm is one that some endpoint may take. */
export function knownAlgorithm(text: string | null): (typeof hmacAlgorithms)[number] | null {
  return hmacAlgorithms.find((name) => name === text) ?? null;
}

function hasParameter(path: string, name: string): boolean {
  return queryOf(path)
    .split('&')
    .some((segment) => segment.startsWith(`${name}=`));
}

const FIX = 'Write Date as in "Sat, 07 Nov 2026 02:40:00 GMT": English names, two-digit day, GMT';
const DAYS = ['Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur', 'Sun'];
const DAY = `(?:${DAYS.map((name) => name.slice(0, 3)).join('|')})`;
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';

const FORMS: readonly (readonly [name: string, what: string, form: RegExp])[] = [
  ['one-digit-day', 'the day of Date has one digit', new RegExp(`^${DAY}, \\d ${MONTH} \\d{4} `)],
  ['zone-offset', 'Date has a zone offset instead of GMT', /[+-]\d\d:?\d\d$/],
  [
    'zone-name',
    'Date has another zone than GMT',
    new RegExp(`^${DAY}, \\d\\d ${MONTH} \\d{4} \\d\\d:\\d\\d:\\d\\d(?: (?!GMT$)\\w+)?$`),
  ],
  ['date-asctime', 'Date is in the form of asctime', new RegExp(`^${DAY} ${MONTH} [ \\d]?\\d `)],
  ['date-iso', 'Date is in the form of ISO 8601', /^\d{4}-?\d\d-?\d\d(?!\d*$)/],
  ['date-rfc-850', 'Date is in the obsolete form of RFC 850', new RegExp(`^(?:${DAYS.join('|')})day, \\d\\d-`)],
  ['date-number', 'Date is a number of seconds or milliseconds', /^\d+$/],
];

/** What is wrong with the form of `Date`. */
export const dateFaults: readonly Fault<HmacCase>[] = [
  {
    name: 'x-date',
    what: 'the request has X-Date, but no Date',
    fix: 'Send the time as Date; X-Date is not looked at',
    isMade: ({ header }: HmacCase): boolean => header('date') === null && header('x-date') !== null,
  },
  {
    name: 'date-missing',
    what: 'the request has no Date header',
    fix: `${FIX}, and list date in headers="…"; browsers do not let a page set Date`,
    isMade: ({ header }: HmacCase): boolean => header('date') === null && header('x-date') === null,
  },
  {
    name: 'date-twice',
    what: 'the request has more than one Date header',
    fix: 'Send one; stop an HTTP client that adds its own',
    isMade: ({ request }: HmacCase): boolean => countHeader(request, 'date') > 1,
  },
  ...FORMS.map(([name, what, form]) => ({
    name,
    what,
    fix: FIX,
    isMade: ({ header }: HmacCase): boolean =>
      form.test(header('date') ?? '') && parseImfFixdate(header('date') ?? '') === null,
  })),
  {
    name: 'date-format',
    what: 'Date is not in the form of HTTP',
    fix: FIX,
    isMade: ({ header }: HmacCase): boolean => {
      const date = header('date');
      return date !== null && parseImfFixdate(date) === null && !FORMS.some(([, , form]) => form.test(date));
    },
  },
];
