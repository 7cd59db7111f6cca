import { parseImfFixdate } from '../../signing/signed-time.ts';
import type { Fault } from '../mistake.ts';
import { countHeader, type HmacCase } from './hmac-case.ts';

const FIX = 'Write Date as in "Sat, 07 Nov 2026 02:40:00 GMT": English names, two-digit day, GMT';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
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
  ['date-iso', 'Date is in the form of ISO 8601', /^\d{4}-?\d\d-?\d\d/],
  ['date-rfc-850', 'Date is in the obsolete form of RFC 850', /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-/],
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
    fix: 'Send one; an HTTP client that adds its own must be told not to',
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
