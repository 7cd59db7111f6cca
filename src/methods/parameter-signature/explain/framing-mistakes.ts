import { createHmac } from 'node:crypto';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { hashWith, type ParameterCase, type ParameterRecipe, SECRET_MARK } from './case.ts';

const SECRET_FIX = 'Append the App Secret directly to the last parameter, once, with nothing between';
const HASH_FIX = 'Take the plain SHA-512 over the text with the App Secret appended; it is no HMAC';
const SECRET_NAMES = ['key', 'appSecret', 'secret', 'app_secret', 'appsecret', 'secretKey', 'AppSecret', 'apiSecret'];
const HASHES = ['sha256', 'sha1', 'md5', 'sha384', 'sha3-512', 'sha512-256', 'sha224'];

/** What goes wrong when the parameters are joined, the secret is added, and the hash is taken. */
export function framingMistakes({ request }: ParameterCase): readonly Hypothesis<ParameterRecipe>[] {
  const frame =
    (...frames: readonly ((text: string) => string)[]) =>
    (recipe: ParameterRecipe) =>
      frames.map((one) => ({ ...recipe, frame: one }));
  const macs =
    (...functions: readonly ParameterRecipe['mac'][]) =>
    (recipe: ParameterRecipe) =>
      functions.map((mac) => ({ ...recipe, mac }));
  const path = request.path.split('?', 1)[0] ?? '';
  return [
    {
      name: 'secret-separator',
      what: 'something stood between the parameters and the App Secret',
      fix: SECRET_FIX,
      vary: frame(
        ...['&', '\n', ',', ' ', ':', '|', ';', '=', '&='].map((mark) => (text: string) => text + mark + SECRET_MARK),
      ),
    },
    {
      name: 'secret-as-parameter',
      what: 'the App Secret was appended as a parameter with a name',
      fix: SECRET_FIX,
      vary: frame(...SECRET_NAMES.map((name) => (text: string) => `${text}&${name}=${SECRET_MARK}`)),
    },
    {
      name: 'secret-prepended',
      what: 'the App Secret was put before the parameters',
      fix: SECRET_FIX,
      vary: frame(
        (text) => SECRET_MARK + text,
        (text) => `${SECRET_MARK}&${text}`,
      ),
    },
    {
      name: 'secret-on-both-sides',
      what: 'the App Secret was put before and after the parameters',
      fix: SECRET_FIX,
      vary: frame((text) => SECRET_MARK + text + SECRET_MARK),
    },
    {
      name: 'hmac-for-plain-hash',
      what: 'an HMAC was taken instead of a plain SHA-512',
      fix: HASH_FIX,
      vary: macs(
        ...['sha512', 'sha256', 'sha1', 'md5'].flatMap((hash) => [
          ({ text }: { text: Buffer }, key: Buffer) => createHmac(hash, key).update(text).digest(),
          ({ whole }: { whole: Buffer }, key: Buffer) => createHmac(hash, key).update(whole).digest(),
        ]),
      ),
    },
    {
      name: 'wrong-algorithm',
      what: 'another hash than SHA-512 was taken',
      fix: HASH_FIX,
      vary: macs(...HASHES.map(hashWith)),
    },
    {
      name: 'secret-not-appended',
      what: 'the App Secret was not appended',
      fix: SECRET_FIX,
      vary: frame((text) => text),
    },
    {
      name: 'joined-otherwise',
      what: 'the parameters were not joined as "name=value" with "&"',
      fix: 'Write name=value for each parameter, and "&" between them',
      vary: (recipe) => [
        ...['', ',', '\n', '|', ';', ' ', '&amp;'].map((joiner) => ({ ...recipe, joiner })),
        ...['', ':'].flatMap((equals) => ['', '&', ','].map((joiner) => ({ ...recipe, equals, joiner }))),
        { ...recipe, equals: '', joiner: '', spell: (parameter) => ['', recipe.spell(parameter)[1]] },
      ],
    },
    {
      name: 'path-signed',
      what: 'the method, the host or the path was signed with the parameters',
      fix: 'Sign the parameters only, beginning with the first name',
      vary: frame(
        ...[
          '?',
          `${path}?`,
          `${request.method}${path}?`,
          path,
          `${request.method}&${path}&`,
          `${request.method} ${path}?`,
        ].map((opening) => (text: string) => opening + text + SECRET_MARK),
        ...['http://', 'https://'].map(
          (scheme) => (text: string) => `${scheme}${request.authority}${path}?${text}${SECRET_MARK}`,
        ),
      ),
    },
    {
      name: 'separator-at-the-end',
      what: 'the joined parameters began or ended with a separator',
      fix: 'Put "&" only between parameters',
      vary: frame(
        (text) => `&${text}${SECRET_MARK}`,
        (text) => `?${text}&${SECRET_MARK}`,
      ),
    },
  ];
}
