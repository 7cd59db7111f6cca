import { decodeEscapes, escapeByte } from '../../explanation/text-encoding.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { permutationsOf } from '../../explanation/search.ts';
import { usualMethods } from '../../../receive/http-request.ts';
import type { HmacCase, HmacRecipe } from './case.ts';

const VERSION_FIX = 'End the request line with HTTP/1.1, whatever the connection speaks';
const TARGET_FIX = 'Sign path and query byte for byte as they stand in the request line that is sent';
const MAX_PREFIX_SEGMENTS = 4;
/** Orders are tried up to this many parameters: their number grows with the factorial. */
const MAX_ORDERED_PARAMETERS = 6;

/** A mistake in path and query, which are signed byte for byte. */
function targetMistake(
  name: string,
  what: string,
  change: (target: string) => readonly string[],
  fix = TARGET_FIX,
): Hypothesis<HmacRecipe> {
  return { name, what, fix, vary: ({ target: sent }) => change(sent).map((target) => ({ target })) };
}

/** What goes wrong in the line that stands for `request-line`. */
export function requestLineMistakes({ request }: HmacCase): readonly Hypothesis<HmacRecipe>[] {
  return [
    targetMistake(
      'path-without-query',
      'the path was signed without its query',
      (target) => [pathOf(target)],
      'Sign the path with "?" and the query, exactly as they are sent',
    ),
    {
      name: 'http-version',
      what: 'the request line was signed with another version than HTTP/1.1',
      fix: VERSION_FIX,
      vary: () => ['HTTP/2.0', 'HTTP/2', 'HTTP/1.0', 'http/1.1', 'HTTP/3', 'HTTP/3.0'].map((version) => ({ version })),
    },
    {
      name: 'no-http-version',
      what: 'the request line was signed without its version',
      fix: VERSION_FIX,
      vary: () => [{ version: '' }],
    },
    {
      name: 'method-case',
      what: 'the method was signed in lower case',
      fix: 'Write the method as it is sent, in upper case: POST, not post',
      vary: ({ method }) => [{ method: method.toLowerCase() }],
    },
    {
      name: 'labelled-request-line',
      what: 'the request line was signed with its name before it, like a header',
      fix: 'Write the request line alone, as in "POST /orders HTTP/1.1"; only headers have "name: " before them',
      vary: () =>
        ['request-line: ', 'request-line:', 'Request-Line: '].map((requestLineLabel) => ({ requestLineLabel })),
    },
    {
      name: 'request-target',
      what: 'the line of the request was written as "(request-target): …", as in the HTTP signature draft',
      fix: 'Write the request line alone, as in "POST /orders HTTP/1.1", and list it as request-line',
      vary: ({ method }) =>
        ['(request-target): ', '@request-target: ', ':path: '].flatMap((requestLineLabel) => [
          { requestLineLabel, method: method.toLowerCase(), version: '' },
          { requestLineLabel, version: '' },
          { requestLineLabel, method: '', version: '' },
          { requestLineLabel },
        ]),
    },
    targetMistake(
      'full-url',
      'the full URL was signed instead of the path',
      (target) => ['http://', 'https://', '', '//'].map((scheme) => `${scheme}${request.authority}${target}`),
      'Sign the path and query only, beginning with "/"',
    ),
    {
      name: 'other-method',
      what: 'another method was signed than the one that was sent',
      fix: 'Sign the method that is sent; clients change it on a redirect, and when a body is added',
      vary: () => usualMethods.map((method) => ({ method })),
    },
    targetMistake(
      'path-percent-decoded',
      'the path and query were percent-decoded before they were signed',
      (target) => [decodeEscapes(target), decodeEscapes(target.replaceAll('+', ' '))],
    ),
    targetMistake(
      'path-encoded-twice',
      'the path and query were percent-encoded once more before signing',
      (target) => [target.replaceAll('%', '%25'), onQuery(target, encodeURIComponent)],
    ),
    targetMistake(
      'path-percent-encoded',
      'characters of the path or query were percent-encoded for signing, but sent as they are, or the other way round',
      (target) => [
        onQuery(target, (query) => query.replace(/[^A-Za-z0-9\-._~%=&+]/g, escapeByte)),
        target.replace(/[^A-Za-z0-9\-._~%=&+?/]/g, escapeByte),
        target.replace(/%(?:2C|3A|2F|40|21|24|27|28|29|2A|3B)/gi, (text) => decodeEscapes(text)),
      ],
    ),
    targetMistake(
      'plus-or-%20',
      'a blank or a plus in the query was signed as "+" and sent as "%20" or "%2B", or the other way round',
      (target) => [
        onQuery(target, (query) => query.replaceAll('+', '%20')),
        onQuery(target, (query) => query.replaceAll('%20', '+')),
        onQuery(target, (query) => query.replaceAll(/%2b/gi, '+')),
        onQuery(target, (query) => query.replaceAll('+', '%2B')),
      ],
    ),
    targetMistake('escape-case', 'the letters of percent-encoding were signed in another case than sent', (target) => [
      target.replace(/%[0-9A-F]{2}/gi, (text) => text.toLowerCase()),
      target.replace(/%[0-9A-F]{2}/gi, (text) => text.toUpperCase()),
    ]),
    targetMistake('query-order', 'the parameters of the query were signed sorted, but not sent sorted', (target) => [
      onQuery(target, (query) => query.split('&').sort().join('&')),
    ]),
    {
      ...targetMistake(
        'query-order',
        'the parameters of the query were signed in another order than sent',
        (target) => {
          const segments = (target.split('?', 2)[1] ?? '').split('&');
          if (segments.length > MAX_ORDERED_PARAMETERS) return [];
          return permutationsOf(segments).map((order) => onQuery(target, () => order.join('&')));
        },
      ),
      isAlone: true,
    },
    targetMistake(
      'path-without-prefix',
      'the beginning of the path was left out',
      withoutPrefixes,
      'Sign the whole path, also what your HTTP client takes from its base URL',
    ),
    targetMistake(
      'trailing-slash',
      'a "/" at the end of the path was signed but not sent, or the reverse',
      (target) => {
        const path = pathOf(target);
        return [(path.endsWith('/') ? path.slice(0, -1) : `${path}/`) + target.slice(path.length)];
      },
    ),
    targetMistake('question-mark', 'a "?" without a query was signed but not sent', (target) =>
      target.includes('?') ? [] : [`${target}?`],
    ),
  ];
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

function onQuery(target: string, change: (query: string) => string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark + 1) + change(target.slice(mark + 1));
}

function withoutPrefixes(target: string): readonly string[] {
  const slashes = [...pathOf(target).matchAll(/(?<!^)\//g)].slice(0, MAX_PREFIX_SEGMENTS);
  return slashes.map(({ index }) => target.slice(index));
}
