import { type ClientRequest } from '../signature/client-request.ts';

/** Writes a request as a `curl` command to paste into a POSIX shell; its target and body go out byte for byte. */
export function curlLine({ method, path, authority, headers, body }: ClientRequest): string {
  return [
    'curl -i',
    // curl would resolve dot segments by itself.
    ...(/\/\.{1,2}(\/|\?|$)/.test(path) ? ['--path-as-is'] : []),
    // A GET without a body is what curl sends anyway.
    ...(method === 'GET' && body.length === 0 ? [] : [`-X ${method}`]),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body.length === 0 ? [] : [`--data-binary ${quote(body.toString('utf8'))}`]),
    quote(`http://${authority}${path}`),
  ].join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
