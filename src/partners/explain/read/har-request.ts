import { type ClientHeader, headerOf } from '../../../check/signing/client-request.ts';
import {
  isJsonObject,
  type JsonObject,
  listIn,
  objectIn,
  parseJson,
  textIn,
  valueIn,
} from '../../../model/document/json.ts';
import { bytesOf, textOf } from '../../../check/methods/explanation/text-encoding.ts';
import { holdsBody, type ReadContext, type ReadProblem, type ReadRequest, splitUrl } from './read-result.ts';

/**
 * Reads a request of a HAR (HTTP Archive 1.2), or one entry or request of it alone. `entry` counts from 1; null
 * takes the first, and a note says when there are more.
 */
export function readHarRequest(text: string, { entry, body: given }: ReadContext): ReadRequest | ReadProblem {
  const parsed = parseJson(textOf(text));
  if (parsed === undefined) return { problem: 'it begins like JSON, but is not valid JSON' };
  const list = valueIn(parsed, 'log', 'entries');
  const entries: readonly unknown[] = Array.isArray(list) ? list : [parsed];
  const chosen = entries[(entry ?? 1) - 1];
  if (list !== undefined && !isJsonObject(chosen)) {
    return { problem: `there is no entry ${String(entry ?? 1)}; entries of this HAR: ${String(entries.length)}` };
  }
  const request = isJsonObject(valueIn(chosen, 'request')) ? objectIn(chosen, 'request') : objectIn(chosen);
  const method = textIn(request, 'method');
  const url = textIn(request, 'url');
  const parts = url === null ? null : splitUrl(bytesOf(url));
  if (method === null || parts === null)
    return { problem: 'the JSON is no HAR: it has no request with method and url' };
  const fields = listIn(request, 'headers').map(
    (header): ClientHeader => [bytesOf(textIn(header, 'name') ?? ''), bytesOf(textIn(header, 'value') ?? '')],
  );
  const find = (name: string): string | null => headerOf({ headers: fields }, name);
  const written = readPostData(objectIn(request, 'postData'));
  if (given !== null && written.length > 0) return holdsBody;
  const startedAt = Date.parse(textIn(chosen, 'startedDateTime') ?? '');
  return {
    form: 'har',
    request: {
      method,
      path: parts.target,
      authority: find('host') ?? find(':authority') ?? parts.authority,
      headers: fields.filter(([name]) => !name.startsWith(':')),
      body: given ?? written,
    },
    sentAtSeconds: Number.isNaN(startedAt) ? null : Math.floor(startedAt / 1000),
    notes:
      entry === null && entries.length > 1
        ? [`The HAR has ${String(entries.length)} entries; this is the first. --entry N takes another.`]
        : [],
  };
}

function readPostData(data: JsonObject): Buffer {
  const text = textIn(data, 'text');
  if (text !== null && text !== '') return Buffer.from(text, textIn(data, 'encoding') === 'base64' ? 'base64' : 'utf8');
  const pairs = listIn(data, 'params').map((pair): [string, string] => [
    textIn(pair, 'name') ?? '',
    textIn(pair, 'value') ?? '',
  ]);
  return Buffer.from(new URLSearchParams(pairs).toString(), 'utf8');
}
