import { isUtf8 } from 'node:buffer';
import { decodeFormText } from '../../base/text/form-decoding.ts';
import { JsonReader } from '../../base/text/json-reader.ts';
import { parseMediaType } from '../../base/text/media-type.ts';
import { invalidRequest, isOAuth2Refusal, type OAuth2Refusal, type OAuth2Request } from './messages.ts';

/** Parameters of a request by name, none of them empty: an empty value counts as none (RFC 6749 §3.1). */
export type Parameters = ReadonlyMap<string, string>;

const utf8Names: readonly string[] = ['utf-8', 'utf8'];
/** The same as UTF-8 as long as all is ASCII: HTTP libraries name them without being asked. */
const asciiNames: readonly string[] = ['iso-8859-1', 'us-ascii'];
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Reads the parameters of a body: a form (RFC 6749 appendix B), or a JSON object of strings. Those of the URL do not
 * count. Refuses another content type and repeated parameters, whatever they are.
 */
export function parseParameters({ headerValues, body }: OAuth2Request): Parameters | OAuth2Refusal {
  if (headerValues('content-encoding').some((coding) => coding.toLowerCase() !== 'identity')) {
    return invalidRequest('The body must not be compressed.');
  }
  const types = headerValues('content-type');
  const [type] = types;
  if (type === undefined || types.length > 1) return invalidRequest(TYPE_DESCRIPTION);
  const { essence, charsets } = parseMediaType(type);
  if (charsets === null || charsets.length > 1) return invalidRequest(CHARSET_DESCRIPTION);
  const [charset = 'utf-8'] = charsets;
  const isAscii = asciiNames.includes(charset);
  if (!isAscii && !utf8Names.includes(charset)) return invalidRequest(CHARSET_DESCRIPTION);
  const text = body.toString('latin1');
  if (isAscii && !ASCII.test(text)) return invalidRequest(CHARSET_DESCRIPTION);
  switch (essence) {
    case 'application/x-www-form-urlencoded': {
      const parameters = parseForm(text);
      // What is encoded is of the charset too.
      return isAscii && !isOAuth2Refusal(parameters) && !isAllAscii(parameters)
        ? invalidRequest(CHARSET_DESCRIPTION)
        : parameters;
    }
    case 'application/json':
      return parseObject(body);
    default:
      return invalidRequest(TYPE_DESCRIPTION);
  }
}

function isAllAscii(parameters: Parameters): boolean {
  return [...parameters].flat().every((text) => ASCII.test(text));
}

const CHARSET_DESCRIPTION = 'The charset of the body must be UTF-8.';

const TYPE_DESCRIPTION = 'The content type must be application/x-www-form-urlencoded or application/json.';
const REPEATED_DESCRIPTION = 'A parameter appears more than once.';
const OBJECT_DESCRIPTION = 'The body must be a JSON object whose values are all strings.';

function parseForm(text: string): Parameters | OAuth2Refusal {
  const found = new Map<string, string>();
  for (const segment of text.split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const name = decodeFormText(equals === -1 ? segment : segment.slice(0, equals));
    const value = decodeFormText(equals === -1 ? '' : segment.slice(equals + 1));
    if (name === null || value === null) return invalidRequest('The form is not encoded as it must be.');
    if (found.has(name)) return invalidRequest(REPEATED_DESCRIPTION);
    found.set(name, value);
  }
  return withoutEmpty(found);
}

function parseObject(body: Buffer): Parameters | OAuth2Refusal {
  if (!isUtf8(body)) return invalidRequest(OBJECT_DESCRIPTION);
  const reader = new JsonReader(body);
  if (!reader.take('{')) return invalidRequest(OBJECT_DESCRIPTION);
  const found = new Map<string, string>();
  let hasMore = !reader.take('}');
  while (hasMore) {
    const name = reader.readString()?.toString('utf8');
    const value = name !== undefined && reader.take(':') ? reader.readString()?.toString('utf8') : undefined;
    if (name === undefined || value === undefined) return invalidRequest(OBJECT_DESCRIPTION);
    if (found.has(name)) return invalidRequest(REPEATED_DESCRIPTION);
    found.set(name, value);
    hasMore = reader.take(',');
    if (!hasMore && !reader.take('}')) return invalidRequest(OBJECT_DESCRIPTION);
  }
  return reader.isAtEnd() ? withoutEmpty(found) : invalidRequest(OBJECT_DESCRIPTION);
}

function withoutEmpty(parameters: Map<string, string>): Parameters {
  for (const [name, value] of parameters) if (value === '') parameters.delete(name);
  return parameters;
}
