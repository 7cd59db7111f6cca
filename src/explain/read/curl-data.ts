import type { CurlOption } from './curl-options.ts';
import type { ReadProblem } from './problem.ts';

const STANDARD_INPUT = '-';

/** Where `@FILE` gets its bytes; a string says why there are none. */
export type FileReader = (path: string) => Buffer | string;

/** The data of a curl command as one text, one character a byte: joined by `&`, as curl does. Null when there is none. */
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
  return text.replace(/[^A-Za-z0-9\-._~]/g, (char) => {
    if (char === ' ') return '+';
    return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}
