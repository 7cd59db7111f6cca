import { emptyMessage, type SignedMessage } from '../support/signing/signed-message.ts';

/**
 * A request out of any bytes: a line with method and path, lines of headers, an empty line, the body. What does not
 * fit is taken as it is, because the point is to have odd requests. Text is one character a byte.
 */
export function rawMessage(bytes: Buffer): SignedMessage {
  const text = bytes.toString('latin1');
  const headEnd = text.indexOf('\n\n');
  const [line = '', ...lines] = (headEnd === -1 ? text : text.slice(0, headEnd)).split('\n');
  const [method = '', path = '', protocol = 'HTTP/1.1', form = ''] = line.split(' ');
  const headers = lines.map((header) => {
    const colon = header.indexOf(':');
    return [header.slice(0, Math.max(colon, 0)), header.slice(colon + 1).replace(/^ /, '')] as const;
  });
  return {
    ...emptyMessage,
    method,
    path,
    protocol,
    hasRawHeaders: form !== 'map',
    authority: headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '',
    headers,
    body: headEnd === -1 ? Buffer.alloc(0) : Buffer.from(text.slice(headEnd + 2), 'latin1'),
  };
}
