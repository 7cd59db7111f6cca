import type { ClientRequest } from '../signing/client-request.ts';

/** Writes a request as a `curl` command to paste into a POSIX shell; its target and body go out byte for byte. */
export function curlLine({ method, path, authority, headers, body }: ClientRequest): string {
  return [
    'curl -i',
    // curl would resolve dot segments by itself.
    ...(/\/\.{1,2}(\/|\?|$)/.test(path) ? ['--path-as-is'] : []),
    // Nor may it read braces and brackets as patterns.
    ...(/[{}[\]]/.test(path) ? ['--globoff'] : []),
    // A GET without a body is what curl sends anyway.
    ...(method === 'GET' && body.length === 0 ? [] : [`-X ${method}`]),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body.length === 0 ? [] : [`${bodyFlag(body)} ${quote(body.toString('utf8'))}`]),
    quote(`http://${authority}${path}`),
  ].join(' ');
}

/** `--data-binary` reads a file when the text begins with `@`; `--data-raw` drops nothing either, but is less known. */
function bodyFlag(body: Buffer): string {
  return body.toString('latin1').startsWith('@') ? '--data-raw' : '--data-binary';
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
