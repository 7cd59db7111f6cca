import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import { compareWithKept } from './compare-kept.ts';
import { explain } from './explain.ts';
import type { Explanation } from './explanation.ts';
import { explanationText } from './explanation-text.ts';
import { tokensOfPartners } from './judge-request.ts';
import { readRequest } from './read/read-request.ts';
import type { ReadProblem } from './read/read-result.ts';
import { readStoredCaller } from './stored-caller.ts';

/** What a refusal is explained by, where its request is at hand. */
export interface SentRequest {
  /** What the partner sent: a curl command, raw HTTP or a HAR. It holds secrets, and goes nowhere from here. */
  readonly text: string;
  readonly record: RefusalRecord;
  /** Where the request was refused. */
  readonly endpoint: Endpoint;
  /** All, or those that the operator may know of. */
  readonly endpoints: readonly Endpoint[];
  /** The same of consumers, credentials and grants. */
  readonly resources: Pick<ResourceStore, 'find' | 'list'>;
}

/** An explanation, and how `postern explain` says it. */
export interface ExplainedRequest {
  readonly explanation: Explanation;
  readonly text: string;
}

/** As wide as a terminal usually is that people read in. */
const COLUMNS = 100;

/**
 * Explains the request of a refusal that is kept, as of the time of the refusal. Gives what is wrong with a text that
 * is no request. Throws `UnreadableSecret`, and rejects as the store does.
 */
export async function explainSent({
  text,
  record,
  endpoint,
  endpoints,
  resources,
}: SentRequest): Promise<ExplainedRequest | ReadProblem> {
  const read = readRequest(Buffer.from(text), { entry: null, body: null });
  if ('problem' in read) return read;
  const nowSeconds = Math.floor(record.atMs / 1000);
  const asked = { appKey: null, nowSeconds, isTimeKnown: true, leftOut: read.leftOut };
  const explanation = await explain(read.request, endpoint, asked, async (sent) => {
    const given = { givenSecret: null, appKey: null, from: record.sourceAddress, isFromTyped: false, file: null };
    const known = await readStoredCaller(resources, { endpoint, endpoints, sent, nowSeconds, ...given });
    return { ...known, tokens: tokensOfPartners };
  });
  const compared = compareWithKept(record, read.request, explanation.stringToSign);
  const whole = { ...explanation, notes: [...read.notes, ...compared, ...explanation.notes] };
  return { explanation: whole, text: explanationText(whole, record.requestId, COLUMNS) };
}
