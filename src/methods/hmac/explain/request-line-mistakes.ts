import { decodeEscapes, escapeByte } from '../../explanation/text-encoding.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { permutationsOf } from '../../explanation/search.ts';
import type { HmacCase, HmacRecipe } from './case.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];
const VERSION_FIX = 'End the request line with HTTP/1.1, whatever the connection speaks';
const TARGET_FIX = 'Sign path and query byte for byte as they stand in the request line that is sent';
const MAX_PREFIX_SEGMENTS = 4;
/** Orders are tried up to this many parameters: their number grows with the factorial. */
const MAX_ORDERED_PARAMETERS = 6;

/** What goes wrong in the line that stands for `request-line`. */
export function requestLineMistakes({ request }: HmacCase): readonly Hypothesis<HmacRecipe>[] {
  const targets = (change: (target: string) => readonly string[]) => (recipe: HmacRecipe) =>
    change(recipe.target)
      .filter((target) => target !== recipe.target)
      .map((target) => ({ ...recipe, target }));
  return [
    {
      name: 'path-without-query',
      what: 'the path was signed without its query',
      fix: 'Sign the path with "?" and the query, exactly as they are sent',
      vary: targets((target) => [pathOf(target)]),
    },
    {
      name: 'http-version',
      what: 'the request line was signed with another version than HTTP/1.1',
      fix: VERSION_FIX,
      vary: (recipe) =>
        ['HTTP/2.0', 'HTTP/2', 'HTTP/1.0', 'http/1.1', 'HTTP/3', 'HTTP/3.0'].map((version) => ({ ...recipe, version })),
    },
    {
      name: 'no-http-version',
      what: 'the request line was signed without its version',
      fix: VERSION_FIX,
      vary: (recipe) => [{ ...recipe, version: '' }],
    },
    {
      name: 'method-case',
      what: 'the method was signed in lower case',
      fix: 'Write the method as it is sent, in upper case: POST, not post',
      vary: (recipe) =>
        [{ ...recipe, method: recipe.method.toLowerCase() }].filter(({ method }) => method !== recipe.method),
    },
    {
      name: 'labelled-request-line',
      what: 'the request line was signed with its name before it, like a header',
      fix: 'Write the request line by itself, as in "POST /orders HTTP/1.1"; only headers have "name: " before them',
      vary: (recipe) =>
        ['request-line: ', 'request-line:', 'Request-Line: '].map((requestLineLabel) => ({
          ...recipe,
          requestLineLabel,
        })),
    },
    {
      name: 'request-target',
      what: 'the line of the request was written as "(request-target): …", as in the HTTP signature draft',
      fix: 'Write the request line by itself, as in "POST /orders HTTP/1.1", and list it as request-line',
      vary: (recipe) =>
        ['(request-target): ', '@request-target: ', ':path: '].flatMap((requestLineLabel) => [
          { ...recipe, requestLineLabel, method: recipe.method.toLowerCase(), version: '' },
          { ...recipe, requestLineLabel, version: '' },
          { ...recipe, requestLineLabel, method: '', version: '' },
          { ...recipe, requestLineLabel },
        ]),
    },
    {
      name: 'full-url',
      what: 'the full URL was signed instead of the path',
      fix: 'Sign the path and query only, beginning with "/"',
      vary: targets((target) =>
        ['http://', 'https://', '', '//'].map((scheme) => `${scheme}${request.authority}${target}`),
      ),
    },
    {
      name: 'no-method',
      what: 'the request line was signed without its method',
      fix: 'Write method, path and query, and version, with one blank between them',
      vary: (recipe) => [
        { ...recipe, method: '' },
        { ...recipe, method: '', version: '' },
      ],
    },
    {
      name: 'other-method',
      what: 'another method was signed than the one that was sent',
      fix: 'Sign the method that is sent; clients change it on a redirect, and when a body is added',
      vary: (recipe) => METHODS.filter((method) => method !== recipe.method).map((method) => ({ ...recipe, method })),
    },
    {
      name: 'path-percent-decoded',
      what: 'the path and query were percent-decoded before they were signed',
      fix: TARGET_FIX,
      vary: targets((target) => [decodeEscapes(target), decodeEscapes(target.replaceAll('+', ' '))]),
    },
    {
      name: 'path-encoded-twice',
      what: 'the path and query were percent-encoded once more before they were signed',
      fix: TARGET_FIX,
      vary: targets((target) => [target.replaceAll('%', '%25'), onQuery(target, encodeURIComponent)]),
    },
    {
      name: 'path-percent-encoded',
      what: 'characters of the path or query were percent-encoded for signing, but sent as they are, or the other way round',
      fix: TARGET_FIX,
      vary: targets((target) => [
        onQuery(target, (query) => query.replace(/[^A-Za-z0-9\-._~%=&+]/g, escapeByte)),
        target.replace(/[^A-Za-z0-9\-._~%=&+?/]/g, escapeByte),
        target.replace(/%(?:2C|3A|2F|40|21|24|27|28|29|2A|3B)/gi, (text) => decodeEscapes(text)),
      ]),
    },
    {
      name: 'plus-or-%20',
      what: 'a blank or a plus in the query was signed as "+" and sent as "%20" or "%2B", or the other way round',
      fix: TARGET_FIX,
      vary: targets((target) => [
        onQuery(target, (query) => query.replaceAll('+', '%20')),
        onQuery(target, (query) => query.replaceAll('%20', '+')),
        onQuery(target, (query) => query.replaceAll(/%2b/gi, '+')),
        onQuery(target, (query) => query.replaceAll('+', '%2B')),
      ]),
    },
    {
      name: 'escape-case',
      what: 'percent-encoding was signed with its letters in another case than they were sent in',
      fix: TARGET_FIX,
      vary: targets((target) => [
        target.replace(/%[0-9A-F]{2}/gi, (text) => text.toLowerCase()),
        target.replace(/%[0-9A-F]{2}/gi, (text) => text.toUpperCase()),
      ]),
    },
    {
      name: 'query-order',
      what: 'the parameters of the query were sorted before they were signed, but not when they were sent',
      fix: TARGET_FIX,
      vary: targets((target) => [onQuery(target, (query) => query.split('&').sort().join('&'))]),
    },
    {
      name: 'query-order',
      what: 'the parameters of the query were sent in another order than they were signed in',
      fix: TARGET_FIX,
      isAlone: true,
      vary: targets((target) => {
        const segments = (target.split('?', 2)[1] ?? '').split('&');
        if (segments.length > MAX_ORDERED_PARAMETERS) return [];
        return permutationsOf(segments).map((order) => onQuery(target, () => order.join('&')));
      }),
    },
    {
      name: 'path-without-prefix',
      what: 'the beginning of the path was left out',
      fix: 'Sign the whole path, also what your HTTP client takes from its base URL',
      vary: targets((target) => withoutPrefixes(target)),
    },
    {
      name: 'trailing-slash',
      what: 'a "/" at the end of the path was signed and not sent, or the other way round',
      fix: TARGET_FIX,
      vary: targets((target) => {
        const path = pathOf(target);
        return [(path.endsWith('/') ? path.slice(0, -1) : `${path}/`) + target.slice(path.length)];
      }),
    },
    {
      name: 'question-mark',
      what: 'a "?" without a query was signed, or the fragment of the URL',
      fix: TARGET_FIX,
      vary: targets((target) => (target.includes('?') ? [target.replace(/\?$/, '')] : [`${target}?`])),
    },
    {
      name: 'path-case',
      what: 'the path was changed to lower case before it was signed',
      fix: TARGET_FIX,
      vary: targets((target) => [
        target.toLowerCase(),
        pathOf(target).toLowerCase() + target.slice(pathOf(target).length),
      ]),
    },
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
  const shorter: string[] = [];
  const path = pathOf(target);
  for (
    let at = path.indexOf('/', 1);
    at !== -1 && shorter.length < MAX_PREFIX_SEGMENTS;
    at = path.indexOf('/', at + 1)
  ) {
    shorter.push(target.slice(at));
  }
  return shorter;
}
