import { formatJson, sortJson } from './json-format.ts';
import type { Mistake } from './mistake.ts';

/** A body that a caller may have had in hand instead of the one that was sent. */
export interface BodyVariant extends Pick<Mistake, 'name' | 'what'> {
  readonly bytes: Buffer;
}

/** Larger bodies are not written anew in every way. */
const MAX_REWRITTEN_BYTES = 1024 * 1024;

/** The bodies that one is often mistaken for, likely ones first; none that is the same. */
export function bodyVariants(body: Buffer): readonly BodyVariant[] {
  if (body.length > MAX_REWRITTEN_BYTES) return [];
  const text = body.toString('utf8');
  const variants = [
    ...['\n', '\r\n'].map((end) => variant('body-line-feed', 'with a line feed at its end', text + end)),
    variant('body-line-feed', 'without the line feed at its end', text.replace(/\r?\n$/, '')),
    ...formatJson(text).map((written) =>
      variant('body-reformatted', 'as JSON that was formatted in another way', written),
    ),
    ...sortJson(text).map((written) => variant('body-reformatted', 'as JSON with its keys in another order', written)),
    variant('body-line-ends', 'with LF for CRLF', text.replaceAll('\r\n', '\n')),
    variant('body-line-ends', 'with CRLF for LF', text.replaceAll(/\r?\n/g, '\r\n')),
    variant('body-empty', 'empty', ''),
    variant('body-white-space', 'without the white space around it', text.trim()),
    variant('body-byte-order-mark', 'with a byte order mark', `\ufeff${text}`),
    variant('body-byte-order-mark', 'without its byte order mark', text.replace(/^\ufeff/, '')),
    { name: 'body-latin1', what: 'in Latin-1 instead of UTF-8', bytes: Buffer.from(text, 'latin1') },
  ];
  return variants.filter(({ bytes }) => !bytes.equals(body));
}

function variant(name: string, what: string, text: string): BodyVariant {
  return { name, what, bytes: Buffer.from(text, 'utf8') };
}
