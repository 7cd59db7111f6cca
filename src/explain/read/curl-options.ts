import { escapeByte } from '../../methods/explanation/text-encoding.ts';
import type { ReadProblem } from './read-result.ts';

/** Options of curl that change the request, by every spelling; the others are ignored. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['-H', 'header'],
  ['-d', 'data'],
  ['-X', 'request'],
  ['-G', 'get'],
  ['-u', 'user'],
  ['-I', 'head'],
  ['-A', 'user-agent'],
  ['-b', 'cookie'],
  ['-e', 'referer'],
  ['-F', 'form'],
  ['-T', 'upload-file'],
  ['-K', 'config'],
  ['-:', 'next'],
  ['--data-ascii', 'data'],
]);

/** Long options that take a value, among them ignored ones. */
const VALUED_LONG = new Set(
  `abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
  continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode
  delegation dns-interface dns-ipv4-addr dns-servers doh-url dump-header egd-file engine etag-compare etag-save
  expect100-timeout form form-string happy-eyeballs-timeout-ms header hostpubmd5 hsts interface json keepalive-time key
  key-type limit-rate local-port login-options max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output
  output-dir parallel-max pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-header proxy-user
  pubkey quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time
  service-name socks4 socks4a socks5 socks5-hostname speed-limit speed-time stderr time-cond tls-max tls13-ciphers trace
  trace-ascii unix-socket upload-file url url-query user user-agent variable write-out`
    .split(/\s+/)
    .map((name) => `--${name}`),
);
const VALUED_SHORT = new Set('AbcCdDeEFhHKmoPQrtTuUwxXyYz'.split('').filter((letter) => letter !== 'h'));

/** One option of a curl command, or its URL (`url`). */
export interface CurlOption {
  /** The long name without dashes. */
  readonly name: string;
  /** `''` for an option without a value. */
  readonly value: string;
}

/** Reads the words after `curl`: combined short flags, values joined to a short flag, URLs without an option. */
export function readCurlOptions(words: readonly string[]): readonly CurlOption[] {
  const options: CurlOption[] = [];
  const rest = [...words];
  let areOptionsOver = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (areOptionsOver || !word.startsWith('-') || word === '-') options.push({ name: 'url', value: word });
    else if (word === '--') areOptionsOver = true;
    else if (word.startsWith('--')) {
      options.push({ name: nameOf(word), value: VALUED_LONG.has(word) ? (rest.shift() ?? '') : '' });
    } else readShortFlags(word, rest, options);
  }
  return options;
}

function readShortFlags(word: string, rest: string[], options: CurlOption[]): void {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const name = nameOf(`-${letter}`);
    if (!VALUED_SHORT.has(letter)) {
      options.push({ name, value: '' });
      continue;
    }
    const joined = word.slice(at + 1);
    options.push({ name, value: joined === '' ? (rest.shift() ?? '') : joined });
    return;
  }
}

function nameOf(spelling: string): string {
  return SPELLINGS.get(spelling) ?? spelling.replace(/^--/, '');
}

const STANDARD_INPUT = '-';

/** Where `@FILE` gets its bytes; a string says why there are none. */
type FileReader = (path: string) => Buffer | string;

/**
 * The data of a curl command as one text, one character a byte: joined by `&`, as curl does. Null when there is none.
 */
export function readCurlData(options: readonly CurlOption[], readFile: FileReader): string | null | ReadProblem {
  let data: string | null = null;
  for (const { name, value } of options) {
    const piece = readPiece(name, value, readFile);
    if (piece === null) continue;
    if (typeof piece !== 'string') return piece;
    data = data === null ? piece : `${data}${name === 'json' ? '' : '&'}${piece}`;
  }
  return data;
}

function readPiece(name: string, value: string, readFile: FileReader): string | null | ReadProblem {
  switch (name) {
    case 'data-raw':
      return value;
    case 'data-urlencode':
      return readEncoded(value, readFile);
    case 'data': {
      const text = readText(value, readFile);
      // curl drops line ends and NUL from a file.
      return typeof text === 'string' && value.startsWith('@') ? text.replace(/[\r\n\0]/g, '') : text;
    }
    case 'data-binary':
    case 'json':
      return readText(value, readFile);
    default:
      return null;
  }
}

/** `content`, `=content`, `name=content`, `@file` or `name@file`. */
function readEncoded(value: string, readFile: FileReader): string | ReadProblem {
  const mark = /[=@]/.exec(value);
  if (mark === null) return encode(value);
  const name = value.slice(0, mark.index);
  const rest = value.slice(mark.index + 1);
  const content = mark[0] === '@' ? readText(`@${rest}`, readFile) : rest;
  if (typeof content !== 'string') return content;
  return name === '' ? encode(content) : `${name}=${encode(content)}`;
}

function readText(value: string, readFile: FileReader): string | ReadProblem {
  if (!value.startsWith('@')) return value;
  const path = Buffer.from(value.slice(1), 'latin1').toString('utf8');
  const bytes = readFile(path);
  if (typeof bytes !== 'string') return bytes.toString('latin1');
  return {
    problem:
      path === STANDARD_INPUT
        ? 'the command takes its body from standard input, which is not in the text'
        : `the body, ${path}, cannot be read (${bytes}); run the command where the file is`,
  };
}

function encode(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~]/g, (char) => (char === ' ' ? '+' : escapeByte(char)));
}
