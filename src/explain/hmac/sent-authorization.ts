/** What an `Authorization` header says, read as leniently as can be; null for what it does not say. */
export interface SentAuthorization {
  readonly scheme: string;
  readonly appKey: string | null;
  readonly algorithm: string | null;
  readonly headers: string | null;
  readonly signature: string | null;
  /** The parameter names as they were written, in order. */
  readonly written: readonly string[];
}

const MAX_READ_CHARACTERS = 16_384;
const APP_KEY_NAMES = ['appkey', 'keyid', 'username', 'key', 'app_key', 'app-key', 'credential'];

/** Reads scheme and parameters whatever their quotes, case and separators. */
export function readSentAuthorization(value: string): SentAuthorization {
  const text = value.slice(0, MAX_READ_CHARACTERS);
  const scheme = /^[^\s=,]*/.exec(text)?.[0] ?? '';
  const isScheme = text[scheme.length] !== '=';
  const found = new Map<string, string>();
  const written: string[] = [];
  const rest = isScheme ? text.slice(scheme.length) : text;
  for (const [, name = '', double, single, bare] of rest.matchAll(
    /(?<![\w-])([A-Za-z][\w-]*)[ \t]*[=:][ \t]*(?:"([^"]*)"|'([^']*)'|([^\s,;]*))/g,
  )) {
    written.push(name);
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), double ?? single ?? bare ?? '');
  }
  return {
    scheme: isScheme ? scheme : '',
    appKey: APP_KEY_NAMES.map((name) => found.get(name)).find((candidate) => candidate !== undefined) ?? null,
    algorithm: found.get('algorithm') ?? null,
    headers: found.get('headers') ?? found.get('signedheaders') ?? null,
    signature: found.get('signature') ?? null,
    written,
  };
}

/** The listed names as they were meant: lower case, `request-line` for what other schemes call it. */
export function namesOfList(list: string): readonly string[] {
  const names = list.split(/[\s,;]+/).filter((name) => name !== '');
  return names.map((name) => {
    const lower = name.toLowerCase();
    return isRequestLineName(lower) ? 'request-line' : lower;
  });
}

/** The names under which other schemes list the request line. */
export function isRequestLineName(lower: string): boolean {
  return ['(request-target)', '@request-target', 'request-target', '@request-line', 'request_line', ':path'].includes(
    lower,
  );
}
