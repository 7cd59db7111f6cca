import type { Clock } from '../../clock.ts';
import { explain } from '../../explain/explain.ts';
import type { Explanation } from '../../explain/explanation.ts';
import { judge, loneSnapshot, tokensOfPartners } from '../../explain/judge-request.ts';
import { findRefusalRequestId, readRequest } from '../../explain/read/read-request.ts';
import type { ReadRequest } from '../../explain/read/read-result.ts';
import { readSentIdentity } from '../../explain/sent-identity.ts';
import { planNewEndpoint } from '../../manage/endpoints/plan-endpoint.ts';
import { NotFound } from '../../manage/not-found.ts';
import type { Endpoint, PartnerEndpoint } from '../../model/endpoint.ts';
import { compileEndpointTable } from '../../route/endpoint-table.ts';
import { parseAuthority } from '../../receive/host.ts';
import { parseTarget } from '../../receive/path.ts';
import { endpointFlagOf } from '../endpoint/endpoint-flags.ts';
import { listEndpoints } from '../endpoint/list-endpoints.ts';
import { changesOf } from '../store/changes-of.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { parseTime } from './parse-time.ts';
import { readBytes } from './read-bytes.ts';
import { readSecretArgument } from './secret-argument.ts';
import { readStoredCaller } from './stored-caller.ts';
import { readKnownTokens } from './stored-tokens.ts';
import { UsageError } from './usage-error.ts';

const STANDARD_INPUT = '-';
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** What `postern explain` is given. */
export interface ExplainArguments {
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** Null where host, path and method tell it, and without a store. */
  readonly endpoint: string | null;
  /** Of an endpoint that no store is asked about; null with a store. */
  readonly method: string | null;
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly appKey: string | null;
  /** Null where the store has the secret. */
  readonly secretFrom: string | null;
  readonly at: string | null;
  readonly entry: string | null;
  readonly requestId: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly openStore: () => Promise<OpenedStore>;
}

/** An explanation, and what surrounds it. */
export interface Explained {
  readonly explanation: Explanation;
  readonly notes: readonly string[];
  /** Names the request in the log; null where nobody told it. */
  readonly requestId: string | null;
}

/** Reads a request and explains it. Throws as `openStore` does, `NotFound`, and {@link UsageError} for what it cannot read. */
export async function explainArguments(given: ExplainArguments): Promise<Explained> {
  checkFlags(given);
  const entry = parseEntry(given.entry);
  const atSeconds = given.at === null ? null : parseTime(given.at);
  const lone = given.method === null ? null : loneEndpoint(given.method, given.options ?? {});
  if (lone !== null) return await explainLone(given, lone, readInput(given.file, entry), atSeconds);
  await using store = await given.openStore();
  const endpoints = await listEndpoints(store.resources);
  const named = given.endpoint === null ? null : requireEndpoint(given.endpoint, endpoints);
  const read = readInput(given.file, entry);
  const endpoint = named ?? routedEndpoint(read, endpoints);
  const knownSeconds = atSeconds ?? read.sentAtSeconds;
  const nowSeconds = knownSeconds ?? given.clock.nowSeconds();
  const sent = readSentIdentity(read.request, endpoint);
  const givenSecret = readGivenSecret(given);
  const { snapshot, caller, secret } = await readStoredCaller(store.resources, {
    ...{ endpoint, endpoints, sent, givenSecret, nowSeconds, appKey: given.appKey },
  });
  const takesTokens = endpoint.authentication === 'oauth2';
  const tokens = takesTokens ? await readKnownTokens(sent.claims, store, given.environment) : tokensOfPartners;
  const judgement = await judge(read.request, snapshot, { nowSeconds, signedSeconds: sent.signedSeconds }, tokens);
  const input = { appKey: given.appKey, secret, nowSeconds, isTimeKnown: knownSeconds !== null };
  return finish(given, read, explain(read.request, endpoint, input, { judgement, caller, tokens }));
}

async function explainLone(
  given: ExplainArguments,
  endpoint: PartnerEndpoint,
  read: Input,
  atSeconds: number | null,
): Promise<Explained> {
  const secret = readGivenSecret(given);
  if (secret === null && endpoint.authentication !== 'oauth2') {
    throw new UsageError('--secret-from is missing: without a store, nothing else tells the secret');
  }
  const knownSeconds = atSeconds ?? read.sentAtSeconds;
  const nowSeconds = knownSeconds ?? given.clock.nowSeconds();
  const sent = readSentIdentity(read.request, endpoint);
  const appKey = endpoint.authentication === 'key' ? secret : (given.appKey ?? sent.appKey);
  const snapshot = loneSnapshot(endpoint, appKey, secret, sent.claims);
  const tokens = tokensOfPartners;
  const judgement = await judge(read.request, snapshot, { nowSeconds, signedSeconds: sent.signedSeconds }, tokens);
  const input = { appKey: given.appKey, secret, nowSeconds, isTimeKnown: knownSeconds !== null };
  return finish(given, read, explain(read.request, endpoint, input, { judgement, caller: null, tokens }));
}

function finish(given: ExplainArguments, { notes, requestId }: Input, explanation: Explanation): Explained {
  return { explanation, notes, requestId: given.requestId ?? requestId };
}

function checkFlags(given: ExplainArguments): void {
  if (given.file === STANDARD_INPUT && given.secretFrom === STANDARD_INPUT) {
    throw new UsageError('both the request and the secret are to come from standard input; put one into a file');
  }
  if (given.method !== null && given.endpoint !== null) {
    throw new UsageError('--endpoint names an endpoint of a store, and --method does without one; give one of the two');
  }
  if (given.method === null && given.options !== null) {
    throw new UsageError('--option goes with --method; with a store, the endpoint has its options there');
  }
  if (given.requestId !== null && !REQUEST_ID.test(given.requestId)) {
    throw new UsageError(
      '--request-id: write the requestId of the refusal, such as baac2dab-20a4-46e5-ae98-41a4cbf83ec1',
    );
  }
}

/** An endpoint that takes every path, with the options that the caller was told. */
function loneEndpoint(authentication: string, options: Readonly<Record<string, unknown>>): PartnerEndpoint {
  const wish = { authentication, options, paths: [{ prefix: '/' }] };
  const [change] = changesOf(planNewEndpoint('any', wish, []), endpointFlagOf);
  if (change?.kind !== 'endpoint' || change.after === null || change.after.scenario === 'open') {
    throw new Error('a new endpoint was not planned');
  }
  return change.after;
}

function requireEndpoint(id: string, endpoints: readonly Endpoint[]): Endpoint {
  const endpoint = endpoints.find((candidate) => candidate.id === id);
  if (endpoint !== undefined) return endpoint;
  const ids = endpoints.map((candidate) => candidate.id);
  throw new NotFound('endpoint', id, ids);
}

/** The endpoint that host, path and method lead to. */
function routedEndpoint({ request }: ReadRequest, endpoints: readonly Endpoint[]): Endpoint {
  const host = parseAuthority(request.authority);
  const target = parseTarget(request.path);
  const found =
    host === null || 'reason' in target
      ? null
      : compileEndpointTable(endpoints).find(host, target.comparable, request.method);
  if (found !== null) return found;
  throw new UsageError(
    'host, path and method lead to no endpoint of the store; --endpoint names the one that is meant',
  );
}

function readGivenSecret({ secretFrom, environment }: ExplainArguments): string | null {
  return secretFrom === null ? null : readSecretArgument(secretFrom, environment);
}

function parseEntry(text: string | null): number | null {
  if (text === null) return null;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--entry ${text}: the entries of a HAR are counted from 1`);
  return Number(text);
}

/** The request, and the `requestId` of the refusal that stands with it. */
interface Input extends ReadRequest {
  readonly requestId: string | null;
}

function readInput(file: string, entry: number | null): Input {
  const bytes = readBytes(file);
  if (typeof bytes === 'string') throw new UsageError(`${file} cannot be read (${bytes})`);
  const read = readRequest(bytes, { entry, readFile: readBytes });
  if ('problem' in read) throw new UsageError(`${file}: ${read.problem}`);
  return { ...read, requestId: findRefusalRequestId(bytes.toString('latin1')) };
}
