import { REQUEST_LINE } from '../signed-headers.ts';
import { formatImfFixdate, parseImfFixdate } from '../../../signing/signed-time.ts';
import { digestSpellings } from './digest-mistakes.ts';
import { bodyVariants } from '../../explanation/body-variants.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { permutationsOf } from '../../explanation/search.ts';
import type { HmacCase, HmacRecipe } from './case.ts';

/** Orders are tried up to this many names: their number grows with the factorial. */
const MAX_ORDERED_NAMES = 5;
/** How far apart two readings of the clock for one request may be. */
const CLOCK_READINGS_SECONDS = [1, -1, 2, -2, 3, -3];
const EMPTY_DIGEST = 'SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
const HALF_HOURS = 28;
const HALF_HOUR_SECONDS = 1800;
/** Tried as signed although they are not listed. */
const OFTEN_SIGNED = ['digest', 'host', 'date', 'content-type', 'content-length', 'accept', REQUEST_LINE];

/** What goes wrong with the lines of headers: their order, which there are, and their values. */
export function headerMistakes(context: HmacCase): readonly Hypothesis<HmacRecipe>[] {
  return [
    ...valueMistakes(context),
    {
      name: 'header-order',
      what: 'the lines were signed in another order than the headers parameter lists them in',
      fix: 'List the names in headers="…" in the very order of the lines',
      vary: (recipe) => ordersOf(recipe.names).map((names) => ({ names })),
    },
    {
      name: 'empty-digest-signed',
      what: 'the digest of an empty body was signed, but is neither listed in headers="…" nor sent',
      fix: 'Leave the line of digest out where there is no body, or send Digest and list it',
      vary: (recipe) =>
        context.request.body.length > 0 || context.header('digest') !== null || recipe.names.includes('digest')
          ? []
          : withName(recipe, 'digest').map((change) => ({
              ...change,
              values: new Map(recipe.values).set('digest', EMPTY_DIGEST),
            })),
    },
    ...context.names.map((name) => ({
      name: 'listed-but-not-signed',
      what: `${name} is listed in headers="…", but has no line in the string that was signed`,
      fix: `Add the line of ${name} to the string to sign, at its place in the list`,
      vary: ({ names }: HmacRecipe) => (names.length > 1 ? [{ names: names.filter((other) => other !== name) }] : []),
    })),
    ...OFTEN_SIGNED.filter(
      (name) =>
        !context.names.includes(name) && (name === REQUEST_LINE || name === 'host' || context.header(name) !== null),
    ).map((name) => ({
      name: 'signed-but-not-listed',
      what: `${name} was signed, but is not listed in headers="…"`,
      fix: `Add ${name} to headers="…", at the place of its line`,
      vary: (recipe: HmacRecipe) => withName(recipe, name),
    })),
  ];
}

/** One more name, at each place. */
function withName({ names }: HmacRecipe, name: string): readonly Pick<HmacRecipe, 'names'>[] {
  return Array.from({ length: names.length + 1 }, (_, at) => ({ names: names.toSpliced(at, 0, name) }));
}

function valueMistakes({ request, names }: HmacCase): readonly Hypothesis<HmacRecipe>[] {
  const values = (name: string, change: (value: string) => readonly string[]) => (recipe: HmacRecipe) => {
    const value = recipe.values.get(name);
    if (value === undefined || !recipe.names.includes(name)) return [];
    return change(value).map((other) => ({ values: new Map(recipe.values).set(name, other) }));
  };
  const dates = (change: (seconds: number) => readonly string[]) =>
    values('date', (date) => {
      const seconds = parseImfFixdate(date);
      return seconds === null ? [] : change(seconds);
    });
  // The same body is looked at for many recipes.
  let digests: readonly string[] | null = null;
  const otherDigests = (): readonly string[] =>
    (digests ??= [{ bytes: request.body }, ...bodyVariants(request.body)].flatMap(({ bytes }) =>
      digestSpellings(bytes).map(({ text }) => text),
    ));
  return [
    {
      name: 'host-port',
      what: 'host was signed with a port and sent without it, or the other way round, or in another case',
      fix: 'Sign host exactly as the Host header says it: with the port, unless it is the one of http (80) or https (443)',
      vary: values('host', (host) => {
        const bare = host.replace(/:\d+$/, '');
        const ports = [80, 443, 8080, 10000].map((port) => `${bare}:${String(port)}`);
        return [bare, ...ports, host.toLowerCase(), `https://${host}`, `http://${host}`];
      }),
    },
    {
      name: 'date-read-twice',
      what: 'the date that was signed is another than the Date that was sent',
      fix: 'Read the clock once, and use the same text for the Date header and for the string to sign',
      vary: dates((seconds) => CLOCK_READINGS_SECONDS.map((offset) => formatImfFixdate(seconds + offset))),
    },
    {
      name: 'date-signed-otherwise',
      what: 'the date was signed in another zone or form than the Date that was sent',
      fix: 'Use the same text for the Date header and for the string to sign',
      vary: dates(otherDates),
    },
    {
      name: 'digest-signed-otherwise',
      what: 'the digest that was signed is another than the Digest header that was sent',
      fix: 'Sign the line "digest: " and the value of the Digest header, with SHA-256= and the padding',
      vary: values('digest', (sent) => [sent.replace(/^SHA-256=/, ''), ...otherDigests()]),
    },
    ...names
      .filter((name) => ![REQUEST_LINE, 'date', 'digest', 'host'].includes(name))
      .map((name) => ({
        name: 'header-changed',
        what: `${name} was signed with another value than the one that arrived: something on the way changed it`,
        fix: `Do not sign ${name}, or send it in the form in which it arrives`,
        vary: values(name, (value) => changedValues(name, value)),
      })),
  ];
}

/** What programs and proxies are known to make of a value, the other way round too. */
function changedValues(name: string, value: string): readonly string[] {
  const byName: Readonly<Record<string, readonly string[]>> = {
    'content-type': [
      value.replace(/\s*;.*$/, ''),
      ...['; charset=utf-8', '; charset=UTF-8', ';charset=UTF-8', ';charset=utf-8'].map(
        (charset) => value.replace(/\s*;.*$/, '') + charset,
      ),
      'application/json',
      'application/x-www-form-urlencoded',
    ],
    accept: ['*/*', 'application/json', 'application/json, */*'],
    'accept-encoding': [
      ...['gzip', 'gzip, deflate', 'gzip, deflate, br', 'gzip,deflate', 'identity', 'gzip, deflate, br, zstd'],
    ],
    'content-length': ['0', String(Number(value) + 1), String(Number(value) - 1)],
  };
  return [
    ...(byName[name] ?? []),
    value.toLowerCase(),
    value.replace(/,\s*/g, ', '),
    value.replace(/,\s*/g, ','),
    value.replace(/\s+/g, ' '),
    ` ${value}`,
    `${value} `,
    '',
  ];
}

function otherDates(seconds: number): readonly string[] {
  const dates: string[] = [];
  for (let half = -HALF_HOURS; half <= HALF_HOURS; half += 1) {
    const text = formatImfFixdate(seconds + half * HALF_HOUR_SECONDS);
    const minutes = Math.abs(half) * 30;
    const zone = `${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
    dates.push(text, text.replace('GMT', `${half < 0 ? '-' : '+'}${zone}`));
  }
  const utc = formatImfFixdate(seconds);
  const iso = new Date(seconds * 1000).toISOString();
  return [
    ...[...dates, utc.replace('GMT', 'UTC'), utc.replace(', 0', ', '), iso, iso.replace('.000', '')],
    ...[String(seconds), String(seconds * 1000), utc.toLowerCase()],
  ];
}

/** All other orders, likely ones first: sorted, then the rest. */
function ordersOf(names: readonly string[]): readonly (readonly string[])[] {
  const sorted = [...names].sort();
  if (names.length > MAX_ORDERED_NAMES) return [sorted, names.toReversed()];
  const key = names.join(' ');
  return [sorted, ...permutationsOf(names)].filter((order) => order.join(' ') !== key);
}
