import { createHmac } from 'node:crypto';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { hashWith, type ParameterCase, type ParameterRecipe, SECRET_MARK } from './case.ts';

const SECRET_FIX = 'Append the App Secret directly to the last parameter, once, with nothing between';
const HASH_FIX = 'Take the plain SHA-512 over the text with the App Secret appended; it is no HMAC';
const SECRET_NAMES = ['key', 'appSecret', 'secret', 'app_secret', 'appsecret', 'secretKey', 'AppSecret', 'apiSecret'];
const HASHES = ['sha256', 'sha1', 'md5', 'sha384', 'sha3-512', 'sha512-256', 'sha224'];

/** What goes wrong when the parameters are joined, the secret is added, and the hash is taken. */
export function framingMistakes({ request }: ParameterCase): readonly Hypothesis<ParameterRecipe>[] {
  const frameMistake = (
    name: string,
    what: string,
    fix: string,
    frames: readonly ((text: string) => string)[],
  ): Hypothesis<ParameterRecipe> => ({ name, what, fix, vary: () => frames.map((frame) => ({ frame })) });
  const path = request.path.split('?', 1)[0] ?? '';
  return [
    frameMistake(
      'secret-separator',
      'something stood between the parameters and the App Secret',
      SECRET_FIX,
      ['&', '\n', ',', ' ', ':', '|', ';', '=', '&='].map((mark) => (text) => text + mark + SECRET_MARK),
    ),
    frameMistake(
      'secret-as-parameter',
      'the App Secret was appended as a parameter with a name',
      SECRET_FIX,
      SECRET_NAMES.map((name) => (text) => `${text}&${name}=${SECRET_MARK}`),
    ),
    frameMistake('secret-prepended', 'the App Secret was put before the parameters', SECRET_FIX, [
      (text) => SECRET_MARK + text,
      (text) => `${SECRET_MARK}&${text}`,
    ]),
    frameMistake('secret-on-both-sides', 'the App Secret was put before and after the parameters', SECRET_FIX, [
      (text) => SECRET_MARK + text + SECRET_MARK,
    ]),
    {
      name: 'hmac-for-plain-hash',
      what: 'an HMAC was taken instead of a plain SHA-512',
      fix: HASH_FIX,
      vary: () =>
        ['sha512', 'sha256', 'sha1', 'md5'].flatMap((hash): Pick<ParameterRecipe, 'mac'>[] => [
          { mac: ({ text }, key) => createHmac(hash, key).update(text).digest() },
          { mac: ({ whole }, key) => createHmac(hash, key).update(whole).digest() },
        ]),
    },
    {
      name: 'wrong-algorithm',
      what: 'another hash than SHA-512 was taken',
      fix: HASH_FIX,
      vary: () => HASHES.map((hash) => ({ mac: hashWith(hash) })),
    },
    frameMistake('secret-not-appended', 'the App Secret was not appended', SECRET_FIX, [(text) => text]),
    {
      name: 'joined-otherwise',
      what: 'the parameters were not joined as "name=value" with "&"',
      fix: 'Write name=value for each parameter, and "&" between them',
      vary: ({ spell }) => [
        ...['', ',', '\n', '|', ';', ' ', '&amp;'].map((joiner) => ({ joiner })),
        ...['', ':'].flatMap((equals) => ['', '&', ','].map((joiner) => ({ equals, joiner }))),
        { equals: '', joiner: '', spell: (parameter) => ['', spell(parameter)[1]] },
      ],
    },
    frameMistake(
      'path-signed',
      'the method, the host or the path was signed with the parameters',
      'Sign the parameters only, beginning with the first name',
      [
        ...['?', `${path}?`, `${request.method}${path}?`, path],
        ...[`${request.method}&${path}&`, `${request.method} ${path}?`],
        ...['http://', 'https://'].map((scheme) => `${scheme}${request.authority}${path}?`),
      ].map((opening) => (text) => opening + text + SECRET_MARK),
    ),
    frameMistake(
      'separator-at-the-end',
      'the joined parameters began or ended with a separator',
      'Put "&" only between parameters',
      [(text) => `&${text}${SECRET_MARK}`, (text) => `?${text}&${SECRET_MARK}`],
    ),
  ];
}
