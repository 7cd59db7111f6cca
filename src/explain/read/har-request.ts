import { type ClientHeader, headerOf } from '../../signing/client-request.ts';
import { bytesOf, isJsonObject, type JsonObject, parseJson, textOf } from '../../methods/explanation/text-encoding.ts';
import { type ReadProblem, type ReadRequest, splitUrl } from './read-result.ts';

/**
 * Reads a request of a HAR (HTTP Archive 1.2), or one entry or request of it alone. `entry` counts from 1; null
 * takes the first, and a note says when there are more.
 */
export function readHarRequest(text: string, entry: number | null): ReadRequest | ReadProblem {
  const parsed = parseJson(textOf(text));
  if (parsed === undefined) return { problem: 'it begins like JSON, but is not valid JSON' };
  const log = objectAt(parsed, 'log');
  const list = log?.['entries'];
  const entries: readonly unknown[] = Array.isArray(list) ? list : [parsed];
  const chosen = entries[(entry ?? 1) - 1];
  if (list !== undefined && !isJsonObject(chosen)) {
    return { problem: `there is no entry ${String(entry ?? 1)}; entries of this HAR: ${String(entries.length)}` };
  }
  const request = objectAt(chosen, 'request') ?? (isJsonObject(chosen) ? chosen : {});
  const method = textAt(request, 'method');
  const url = textAt(request, 'url');
  const parts = url === null ? null : splitUrl(bytesOf(url));
  if (method === null || parts === null)
    return { problem: 'the JSON is no HAR: it has no request with method and url' };
  const fields = listAt(request, 'headers').map(
    (header): ClientHeader => [bytesOf(textAt(header, 'name') ?? ''), bytesOf(textAt(header, 'value') ?? '')],
  );
  const find = (name: string): string | null => headerOf({ headers: fields }, name);
  const startedAt = Date.parse(textAt(chosen, 'startedDateTime') ?? '');
  return {
    form: 'har',
    request: {
      method,
      path: parts.target,
      authority: find('host') ?? find(':authority') ?? parts.authority,
      headers: fields.filter(([name]) => !name.startsWith(':')),
      body: readPostData(objectAt(request, 'postData')),
    },
    sentAtSeconds: Number.isNaN(startedAt) ? null : Math.floor(startedAt / 1000),
    notes:
      entry === null && entries.length > 1
        ? [`The HAR has ${String(entries.length)} entries; this is the first. --entry N takes another.`]
        : [],
  };
}

function readPostData(data: JsonObject | null): Buffer {
  if (data === null) return Buffer.alloc(0);
  const text = textAt(data, 'text');
  if (text !== null && text !== '') return Buffer.from(text, textAt(data, 'encoding') === 'base64' ? 'base64' : 'utf8');
  const pairs = listAt(data, 'params').map((pair): [string, string] => [
    textAt(pair, 'name') ?? '',
    textAt(pair, 'value') ?? '',
  ]);
  return Buffer.from(new URLSearchParams(pairs).toString(), 'utf8');
}

function objectAt(value: unknown, name: string): JsonObject | null {
  const found = isJsonObject(value) ? value[name] : null;
  return isJsonObject(found) ? found : null;
}

function textAt(value: unknown, name: string): string | null {
  const found = isJsonObject(value) ? value[name] : null;
  return typeof found === 'string' ? found : null;
}

function listAt(value: JsonObject, name: string): readonly unknown[] {
  const found = value[name];
  return Array.isArray(found) ? found : [];
}
