import type { Hypothesis } from './mistake.ts';

/** The part of a recipe that holds the App Secret. */
export interface WithSecret {
  readonly secret: Buffer;
}

/** What goes wrong with the App Secret itself, whatever is signed with it. */
export function secretMistakes<R extends WithSecret>(appKey: string | null): readonly Hypothesis<R>[] {
  const by =
    (change: (secret: string) => readonly (string | Buffer)[]) =>
    (recipe: R): readonly R[] => {
      const text = recipe.secret.toString('utf8');
      return change(text)
        .map((changed) => (typeof changed === 'string' ? Buffer.from(changed, 'utf8') : changed))
        .filter((changed) => !changed.equals(recipe.secret))
        .map((secret) => ({ ...recipe, secret }));
    };
  return [
    {
      name: 'secret-white-space',
      what: 'the App Secret was used with white space around it, or without its own',
      fix: 'Take off the line feed and blanks that a file, a form or a copy adds; the secret is used exactly as it was issued',
      vary: by((text) => [
        ...['\n', '\r\n', ' ', '\r', '\t', '\0', ' \n', '\n\n'].map((space) => text + space),
        ...[' ', '\n', '\ufeff'].map((space) => space + text),
        text.trim(),
      ]),
    },
    {
      name: 'secret-base64-decoded',
      what: 'the App Secret was base64-decoded before it was used',
      fix: 'Use the characters of the App Secret as they are, as UTF-8 bytes',
      vary: by((text) => (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? [Buffer.from(text, 'base64')] : [])),
    },
    {
      name: 'secret-hex-decoded',
      what: 'the App Secret was hex-decoded before it was used',
      fix: 'Use the characters of the App Secret as they are, as UTF-8 bytes',
      vary: by((text) => (/^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : [])),
    },
    {
      name: 'secret-encoded',
      what: 'the App Secret was encoded (base64, hex, percent-encoding or a hash) before it was used',
      fix: 'Use the characters of the App Secret as they are, as UTF-8 bytes',
      vary: by((text) => [
        ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(text, 'utf8').toString(encoding)),
        encodeURIComponent(text),
      ]),
    },
    {
      name: 'secret-quoted',
      what: 'the App Secret was used with quotes around it',
      fix: 'Take the quotes off: they belong to the shell or the configuration file, not to the secret',
      vary: by((text) => [`"${text}"`, `'${text}'`, text.replace(/^(["'])(.*)\1$/s, '$2')]),
    },
    {
      name: 'secret-case',
      what: 'the App Secret was changed to lower or upper case',
      fix: 'Use the App Secret exactly as it was issued',
      vary: by((text) => [text.toLowerCase(), text.toUpperCase()]),
    },
    {
      name: 'app-key-as-secret',
      what: 'the App Key was used where the App Secret belongs',
      fix: 'Sign with the App Secret; the App Key only says whose it is',
      vary: by(() => (appKey === null ? [] : [appKey])),
    },
    {
      name: 'secret-empty',
      what: 'the App Secret was empty',
      fix: 'Check where your program takes the App Secret from: there was none',
      vary: by(() => [Buffer.alloc(0)]),
    },
  ];
}
