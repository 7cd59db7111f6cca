import { isUtf8 } from 'node:buffer';
import type { MiddlewareHandler } from 'hono';
import { parseJson } from '../../model/document/json.ts';
import { parseMediaType } from '../../base/text/media-type.ts';
import type { ApiEnvironment } from './ports.ts';
import { ApiProblem, invalidResource } from './problem.ts';

/** `application/merge-patch+json` is what RFC 7396 calls it. */
const TYPES: readonly string[] = ['application/json', 'application/merge-patch+json'];

/** The key that JavaScript takes for something else than a key, so that what reads it may pass it over. */
const RESERVED_KEY = '__proto__';

/**
 * A body is JSON in UTF-8 without another encoding, or none, and has no reserved key. Throws
 * `UNSUPPORTED_MEDIA_TYPE` (RFC 9110 §15.5.16), `MALFORMED_REQUEST`, or `INVALID_RESOURCE`, which names the place.
 */
export const requireJsonBody: MiddlewareHandler<ApiEnvironment> = async ({ req }, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') {
    await next();
    return;
  }
  requireType(req.raw.headers);
  const bytes = Buffer.from(await req.arrayBuffer());
  if (!isUtf8(bytes)) throw new ApiProblem('MALFORMED_REQUEST', 'the body is not UTF-8');
  const text = bytes.toString();
  // A backslash could write the key in another way.
  if (text.includes(RESERVED_KEY) || text.includes('\\u')) {
    const pointer = findReservedKey(parseJson(text));
    if (pointer !== null) {
      throw invalidResource([{ path: pointer, pointer, message: `"${RESERVED_KEY}" is no key of anything` }]);
    }
  }
  await next();
};

function requireType(headers: Headers): void {
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('the body must be sent without Content-Encoding', { 'accept-encoding': 'identity' });
  }
  const written = headers.get('content-type');
  if (written === null || headers.get('content-length') === '0') return;
  const { essence, charsets } = parseMediaType(written);
  if (!TYPES.includes(essence)) throw unsupported('the media type of the body must be application/json');
  if (charsets?.every((charset) => /^utf-?8$/.test(charset)) !== true) {
    throw unsupported('the charset of the body must be utf-8');
  }
}

function unsupported(detail: string, headers: Readonly<Record<string, string>> = {}): ApiProblem {
  return new ApiProblem('UNSUPPORTED_MEDIA_TYPE', detail, { headers });
}

/** Where a value has the reserved key, as a JSON Pointer; null where it has none. Any depth costs no stack. */
function findReservedKey(root: unknown): string | null {
  const open: { readonly value: unknown; readonly pointer: string }[] = [{ value: root, pointer: '' }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, pointer } = item;
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, RESERVED_KEY)) return `${pointer}/${RESERVED_KEY}`;
    for (const [key, inner] of Object.entries(value)) {
      open.push({ value: inner, pointer: `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` });
    }
  }
  return null;
}
