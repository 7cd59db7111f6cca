import { isUtf8 } from 'node:buffer';
import type { ClientRequest } from './client-request.ts';

/** What fits into one argument everywhere, with room to spare (Linux: 128 KiB, MAX_ARG_STRLEN). */
const MAX_ARGUMENT_BYTES = 65_536;

/** Writes a request as a `curl` command for a POSIX shell, which sends exactly these bytes. */
export function curlCommand(request: ClientRequest, origin: string): string {
  const { method, path, headers, body } = request;
  const parts = [
    `curl -i -sS ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`} --path-as-is --globoff ${quote(origin + path)}`,
    ...headers.map(([name, value]) => `-H ${quote(headerArgument(name, value))}`),
  ];
  if (body.length === 0) return parts.join(JOIN);
  if (isPlain(body)) return [...parts, `--data-binary ${quote(body.toString('utf8'))}`].join(JOIN);
  return `printf %s ${quote(body.toString('base64'))} | base64 -d | ${[...parts, '--data-binary @-'].join(JOIN)}`;
}

const JOIN = ' \\\n  ';

/** curl takes `Name:` for "leave this header out", and `Name;` for an empty one. */
function headerArgument(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${Buffer.from(value, 'latin1').toString('utf8')}`;
}

/** Whether a body can stand in the command as it is. curl takes a leading `@` for a file. */
function isPlain(body: Buffer): boolean {
  return (
    body.length <= MAX_ARGUMENT_BYTES &&
    isUtf8(body) &&
    !body.includes(0) &&
    !body.toString('latin1', 0, 1).startsWith('@')
  );
}

/** One argument of a command line for a POSIX shell. */
export function quote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
