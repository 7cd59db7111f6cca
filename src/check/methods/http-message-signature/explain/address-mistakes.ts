import type { Hypothesis } from '../../explanation/explainer.ts';
import { decodeEscapes } from '../../explanation/text-encoding.ts';
import type { HttpCase } from './case.ts';
import { covers, type HttpRecipe } from './recipe.ts';

const URL_FIX = 'Sign the address that is sent, as new URL(address).href gives it, without its fragment';
const ADDRESS = ['@target-uri', '@request-target', '@path'];

type Vary = Hypothesis<HttpRecipe>['vary'];

/** What goes wrong with the components that are derived from method and address. */
export function addressMistakes({ request, options }: HttpCase): readonly Hypothesis<HttpRecipe>[] {
  return [
    {
      name: 'scheme-http',
      what: `the address was signed with another scheme than ${options.scheme}`,
      fix: `Sign ${options.scheme}:// in @target-uri, whatever your program reaches the gateway by; or cover @authority, @path and @query instead`,
      vary: ifCovered(['@target-uri', '@scheme'], () => [{ scheme: options.scheme === 'https' ? 'http' : 'https' }]),
    },
    {
      name: 'authority-as-written',
      what: 'the authority was signed as it was written or with a port, not in lower case and without the default port',
      fix: 'Sign the host in lower case, with its port only when that is not the one of the scheme',
      vary: ifCovered(['@authority', '@target-uri'], () =>
        authoritiesOf(request.authority).map((authority) => ({ authority, uriAuthority: authority })),
      ),
    },
    {
      name: 'last-slash',
      what: 'a "/" at the end of the path was signed but not sent, or the reverse',
      fix: URL_FIX,
      vary: ifCovered(ADDRESS, ({ path }) => [{ path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` }]),
    },
    {
      name: 'method-case',
      what: 'the method was signed in lower case',
      fix: 'Sign the method as it is sent, in upper case: POST, not post',
      vary: ifCovered(['@method'], ({ method }) => [{ method: method.toLowerCase() }]),
    },
    {
      name: 'path-with-query',
      what: '@path was signed with the query',
      fix: 'Sign @path without "?" and what follows it, and @query beside it',
      vary: ifCovered(['@path'], ({ path, query }) => (query === '' ? [] : [{ path: path + query }])),
    },
    {
      name: 'question-mark',
      what: '@query was signed without its "?", or an empty query not as "?"',
      fix: 'Sign @query as "?" and the query, and as "?" alone where there is none',
      vary: ifCovered(['@query'], ({ queryValue }) => [{ queryValue: queryValue.slice(1) }]),
    },
    {
      name: 'address-encoding',
      what: 'the path or the query was percent-encoded or decoded in another way than it is sent',
      fix: URL_FIX,
      vary: ifCovered([...ADDRESS, '@query'], encoded),
    },
    {
      name: 'query-order',
      what: 'the parameters of the query were signed sorted, but not sent sorted',
      fix: URL_FIX,
      vary: ifCovered(['@query', '@target-uri', '@request-target'], ({ query }) => {
        const sorted = query.slice(1).split('&').sort().join('&');
        return query === '' ? [] : [{ query: `?${sorted}`, queryValue: `?${sorted}` }];
      }),
    },
    {
      name: 'path-without-prefix',
      what: 'the beginning of the path was left out',
      fix: 'Sign the whole path, also what your HTTP client takes from its base URL',
      vary: ifCovered(ADDRESS, ({ path }) =>
        [...path.matchAll(/(?<!^)\//g)].slice(0, MAX_PREFIX_SEGMENTS).map(({ index }) => ({ path: path.slice(index) })),
      ),
    },
  ];
}

const MAX_PREFIX_SEGMENTS = 3;

/** How programs write what is in an address. */
const encodings: readonly ((text: string) => string)[] = [
  decodeEscapes,
  (text) => text.replaceAll('%', '%25'),
  (text) => text.replaceAll('+', '%20'),
  (text) => text.replaceAll('%20', '+'),
  (text) => text.replace(/%[0-9A-F]{2}/gi, (escape) => escape.toLowerCase()),
  (text) => text.replace(/%[0-9A-F]{2}/gi, (escape) => escape.toUpperCase()),
  (text) => text.replace(/%(?:2C|3A|40|21|24|27|28|29|2A|3B|7E)/gi, decodeEscapes),
];

/** The path, the query, or both, each written in another way. */
const encoded: Vary = ({ path, query, queryValue }) =>
  encodings.flatMap((change) => {
    const ofPath = { path: change(path) };
    const ofQuery = { query: change(query), queryValue: change(queryValue) };
    if (ofPath.path === path) return [ofQuery];
    return ofQuery.query === query ? [ofPath] : [ofPath, ofQuery, { ...ofPath, ...ofQuery }];
  });

function ifCovered(names: readonly string[], vary: Vary): Vary {
  return (recipe) => (covers(recipe, ...names) ? vary(recipe) : []);
}

function authoritiesOf(sent: string): readonly string[] {
  const bare = sent.replace(/:\d+$/, '');
  const lower = bare.toLowerCase();
  return [sent, bare, lower, ...[443, 80, 8443, 8080].map((port) => `${lower}:${String(port)}`)];
}
