import { type ClientHeader, type ClientRequest, headerOf } from '../../../check/signing/client-request.ts';
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
import { isBodyLeftOut, type LeftOut, maskedNames } from './left-out.ts';
import {
  BODY_NOT_THERE,
  holdsBody,
  maskedNotes,
  type ReadContext,
  type ReadProblem,
  type ReadRequest,
  splitUrl,
} from './read-result.ts';

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
  const { bytes: written, isExact } = readPostData(objectIn(request, 'postData'));
  const headers = fields.filter(([name]) => !name.startsWith(':'));
  const isCut = isOtherBody({ method, headers, body: written }, valueIn(request, 'bodySize')) || !isExact;
  if (given !== null && written.length > 0 && !isCut) return holdsBody;
  const masked = maskedNames({ path: parts.target, headers });
  const leftOut: LeftOut = {
    body: given === null && isCut,
    headers: headers.length === 0 ? 'all' : find('authorization') === null ? 'authorization' : 'none',
    isMasked: masked.length > 0,
  };
  const startedAt = Date.parse(textIn(chosen, 'startedDateTime') ?? '');
  return {
    form: 'har',
    request: {
      method,
      path: parts.target,
      authority: find('host') ?? find(':authority') ?? parts.authority,
      headers,
      body: given ?? written,
    },
    sentAtSeconds: Number.isNaN(startedAt) ? null : Math.floor(startedAt / 1000),
    leftOut,
    notes: [
      ...(entry === null && entries.length > 1
        ? [`The HAR has ${String(entries.length)} entries; this is the first. --entry N takes another.`]
        : []),
      ...(leftOut.body ? [written.length === 0 ? BODY_NOT_THERE : OTHER_BODY] : []),
      ...maskedNotes(masked),
    ],
  };
}

const OTHER_BODY = 'The HAR does not show the body byte for byte as it was sent. --body FILE gives it.';

/** Whether a HAR shows another body than the one that was sent: none, a part, or one that was written anew. */
function isOtherBody(request: Pick<ClientRequest, 'method' | 'headers' | 'body'>, bodySize: unknown): boolean {
  const { body } = request;
  const length = headerOf(request, 'content-length');
  if (length !== null && body.length > 0) return /^\d{1,15}$/.test(length) && Number(length) !== body.length;
  return isBodyLeftOut(request) || (body.length === 0 && typeof bodySize === 'number' && bodySize > 0);
}

/** `isExact`: a text, not the pairs that it was taken apart into. */
function readPostData(data: JsonObject): { readonly bytes: Buffer; readonly isExact: boolean } {
  const text = textIn(data, 'text');
  if (text !== null && text !== '') {
    const bytes = Buffer.from(text, textIn(data, 'encoding') === 'base64' ? 'base64' : 'utf8');
    return { bytes, isExact: true };
  }
  const pairs = listIn(data, 'params').map((pair): [string, string] => [
    textIn(pair, 'name') ?? '',
    textIn(pair, 'value') ?? '',
  ]);
  return { bytes: Buffer.from(new URLSearchParams(pairs).toString(), 'utf8'), isExact: pairs.length === 0 };
}
