import { escapeByte, visible } from '../../../check/methods/explanation/text-encoding.ts';
import type { CurlOption } from './curl-options.ts';
import type { ReadProblem } from './read-result.ts';

const STANDARD_INPUT = '-';

/** Gives the bytes of a file that a command names, or why there are none. */
export type NamedFiles = (path: string) => Buffer | ReadProblem;

/**
 * What stands for the files that a command names, none of which is read: what is piped into curl for standard input,
 * and the body that is given beside the command for any one file.
 */
export function namedFiles(
  piped: Buffer | null,
  given: Buffer | null,
): { readonly read: NamedFiles; readonly isGivenUsed: () => boolean } {
  let named: string | null = null;
  const read: NamedFiles = (path) => {
    if (path === STANDARD_INPUT && piped !== null) return piped;
    if (given === null) {
      return {
        problem:
          path === STANDARD_INPUT
            ? 'the command takes its body from standard input, which is not in the text; --body FILE gives it'
            : `the command takes its body from the file ${shown(path)}, which is not read: --body FILE names it`,
      };
    }
    if (named !== null && named !== path) {
      return {
        problem: 'the command takes its body from several files; save the body that it sends, and give raw HTTP',
      };
    }
    named = path;
    return given;
  };
  return { read, isGivenUsed: () => named !== null };
}

function shown(path: string): string {
  return visible(Buffer.from(path, 'latin1'));
}

/**
 * The data of a curl command as one text, one character a byte: joined by `&`, as curl does. Null when there is none.
 */
export function readCurlData(options: readonly CurlOption[], files: NamedFiles): string | null | ReadProblem {
  let data: string | null = null;
  for (const { name, value } of options) {
    const piece = readPiece(name, value, files);
    if (piece === null) continue;
    if (typeof piece !== 'string') return piece;
    data = data === null ? piece : `${data}${name === 'json' ? '' : '&'}${piece}`;
  }
  return data;
}

function readPiece(name: string, value: string, files: NamedFiles): string | null | ReadProblem {
  switch (name) {
    case 'data-raw':
      return value;
    case 'data-urlencode':
      return readEncoded(value, files);
    case 'data': {
      const text = readText(value, files);
      // curl drops line ends and NUL from a file.
      return typeof text === 'string' && value.startsWith('@') ? text.replace(/[\r\n\0]/g, '') : text;
    }
    case 'data-binary':
    case 'json':
      return readText(value, files);
    default:
      return null;
  }
}

/** `content`, `=content`, `name=content`, `@file` or `name@file`. */
function readEncoded(value: string, files: NamedFiles): string | ReadProblem {
  const mark = /[=@]/.exec(value);
  if (mark === null) return encode(value);
  const name = value.slice(0, mark.index);
  const rest = value.slice(mark.index + 1);
  const content = mark[0] === '@' ? readText(`@${rest}`, files) : rest;
  if (typeof content !== 'string') return content;
  return name === '' ? encode(content) : `${name}=${encode(content)}`;
}

function readText(value: string, files: NamedFiles): string | ReadProblem {
  if (!value.startsWith('@')) return value;
  const bytes = files(value.slice(1));
  return 'problem' in bytes ? bytes : bytes.toString('latin1');
}

/** The queries that `--url-query` adds, as `--data-urlencode` would write them; what begins with `+` stays as it is. */
export function readUrlQueries(options: readonly CurlOption[], files: NamedFiles): readonly string[] | ReadProblem {
  const queries: string[] = [];
  for (const { name, value } of options) {
    if (name !== 'url-query') continue;
    const query = value.startsWith('+') ? value.slice(1) : readEncoded(value, files);
    if (typeof query !== 'string') return query;
    queries.push(query);
  }
  return queries;
}

function encode(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~]/g, (char) => (char === ' ' ? '+' : escapeByte(char)));
}

const INVENTED =
  'the body of -F has a border that curl invents each time; save the body, and give raw HTTP with --body';
const VARIABLES = 'the command has variables (--variable); write their values into the command';
/** Options that curl needs a file for, with what to do instead. */
const WITH_FILES: Readonly<Record<string, string>> = {
  form: INVENTED,
  'form-string': INVENTED,
  config: 'the command has options in a file (-K); write them into the command',
  variable: VARIABLES,
};

/** What a command takes from a file that cannot stand beside it; null for nothing. */
export function findFileProblem(options: readonly CurlOption[]): ReadProblem | null {
  for (const { name, value } of options) {
    const problem = name.startsWith('expand-') ? VARIABLES : WITH_FILES[name];
    if (problem !== undefined) return { problem };
    if (!value.startsWith('@')) continue;
    if (name === 'header') {
      return { problem: `the command has headers in a file (-H ${shown(value)}); write them into the command` };
    }
    if (name === 'url')
      return { problem: `the command has its URL in a file (${shown(value)}); write it into the command` };
  }
  return null;
}

/** Options by which curl makes headers of a file: cookies, a name and password, an entity tag, a time. */
const HEADERS_OF_FILES = new Set(['cookie', 'netrc', 'netrc-optional', 'netrc-file', 'etag-compare', 'time-cond']);

/** Which headers are left out because curl would make them of files; notes for people. */
export function notesOnFiles(options: readonly CurlOption[]): readonly string[] {
  const names = options.flatMap(({ name, value }) => {
    const isFile = HEADERS_OF_FILES.has(name) && !(name === 'cookie' && (value === '' || value.includes('=')));
    return isFile ? [`--${name}`] : [];
  });
  if (names.length === 0) return [];
  return [`Headers that curl makes of files were left out: ${[...new Set(names)].join(', ')}.`];
}
