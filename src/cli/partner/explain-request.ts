import type { Clock } from '../../base/clock.ts';
import { listEndpoints, NotFound } from '../../resources/changes/resource-store.ts';
import { type RefusalRecord, RemembersNone } from '../../check/refusals/refusal-record.ts';
import type { Environment } from '../../base/environment.ts';
import { type Asked, explain } from '../../partners/explain/explain.ts';
import { knownToPartner, tokensOfPartners } from '../../partners/explain/judge-request.ts';
import { givenKey } from '../../partners/explain/known-keys.ts';
import type { KnownPublicKey } from '../../check/methods/explanation/explainer.ts';
import { materialKindOf } from '../../model/material.ts';
import { findRefusalRequestId, readRequest } from '../../partners/explain/read/read-request.ts';
import type { ReadRequest } from '../../partners/explain/read/read-result.ts';
import { MAX_HMAC_BODY_BYTES } from '../../check/methods/hmac/signature.ts';
import { proofOf } from '../../check/methods/methods.ts';
import { planNewEndpoint } from '../../resources/changes/plan-endpoint.ts';
import type { AuthenticationMethod, Endpoint, PartnerEndpoint } from '../../model/endpoint.ts';
import { compileEndpointTable } from '../../check/route/endpoint-table.ts';
import { parseAuthority } from '../../check/receive/host.ts';
import { parseTarget } from '../../check/receive/path.ts';
import type { CommandContext } from '../command.ts';
import { endpointFields } from '../endpoint/change.ts';
import { UsageError } from '../failure.ts';
import { changesOf } from '../flags/fields.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import { type PublicKeyFlags, readPublicKeyFlags } from '../flags/public-key.ts';
import type { StoreFlags } from '../flags/options.ts';
import { readBytes } from '../flags/read-bytes.ts';
import type { compareWithKept } from '../../partners/explain/compare-kept.ts';
import type { findKept } from './explain-kept.ts';
import { type Explained, renderExplanation } from './render-explanation.ts';
import { readStoredCaller, UnreadableSecret } from '../../partners/explain/stored-caller.ts';
import { readKnownTokens } from './known-tokens.ts';
import type { OpenedStore } from '../opened-store.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { openFor, requireEndpoint } from '../store/read-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';

const STANDARD_INPUT = '-';

/** The options of `postern explain`, as commander gives them. */
export interface ExplainFlags extends StoreFlags, PublicKeyFlags {
  readonly endpoint?: string;
  readonly method?: AuthenticationMethod;
  readonly option?: Readonly<Record<string, unknown>>;
  readonly appKey?: string;
  readonly secretFrom?: string;
  /** The IP address that the request came from. */
  readonly from?: string;
  /** The file that holds the body, or `-`. */
  readonly body?: string;
  /** Seconds since the epoch. */
  readonly at?: number;
  readonly entry?: number;
  readonly requestId?: string;
  /** The admin listener of a replica, which is asked for the refusal. */
  readonly admin?: string;
}

/** The same with the request's file: a path, or `-` for standard input. */
interface Given extends ExplainFlags {
  readonly file: string;
}

/** What finds refusals that are kept, and compares them; a program without a store has none. */
export interface KeptRefusals {
  readonly find: typeof findKept;
  readonly compare: typeof compareWithKept;
}

/** Explains the request of a file. Gives `done` for a right one, and the code of what is wrong otherwise. */
export async function explainFile(
  given: Given,
  context: CommandContext,
  refusals: KeptRefusals | null = null,
): Promise<ExitCode> {
  checkFlags(given);
  const { method, option = {}, output } = given;
  let explained: Explained;
  if (method === undefined) {
    await using store = await openFor(context, 'explain', given, 'where-possible');
    const found = refusals === null ? null : await findRefusal(given, refusals, store, context);
    const kept =
      refusals === null || found === null || typeof found === 'string'
        ? null
        : { record: found, compare: refusals.compare };
    explained = await explainStored(given, kept, typeof found === 'string' ? [found] : [], store, context);
  } else {
    explained = await explainLone(given, loneEndpoint(method, option), context);
  }
  context.terminal.out.write(renderExplanation(explained, output, context.terminal.out.columns));
  const { verdict } = explained.explanation;
  return verdict === 'right' || verdict === 'right-but-old' ? exitCodes.done : exitCodes.failed;
}

/** Throws `NotFound`, and {@link UsageError} for what it cannot read. */
async function explainStored(
  given: Given,
  kept: { readonly record: RefusalRecord; readonly compare: KeptRefusals['compare'] } | null,
  whyNotKept: readonly string[],
  store: OpenedStore,
  { terminal: { environment }, clock }: CommandContext,
): Promise<Explained> {
  const endpoints = await listEndpoints(store.resources);
  const named = given.endpoint === undefined ? null : requireEndpoint(given.endpoint, endpoints);
  const read = readInput(given);
  const endpoint =
    named ?? endpoints.find(({ id }) => id === kept?.record.endpointId) ?? routedEndpoint(read, endpoints);
  const keptAt = kept === null ? {} : { at: Math.floor(kept.record.atMs / 1000) };
  const asked = askedOf({ ...keptAt, ...given }, read, clock);
  const { nowSeconds, appKey } = asked;
  const notesOnGiven: string[] = [];
  const explanation = await explain(read.request, endpoint, asked, async (sent) => {
    const givenSecret = readGivenSecret(given, environment);
    const from = given.from ?? kept?.record.sourceAddress ?? null;
    const isFromTyped = given.from !== undefined;
    const query = {
      endpoint,
      endpoints,
      sent,
      givenSecret,
      nowSeconds,
      appKey,
      from,
      isFromTyped,
      file: store.file,
    };
    const { notes, ...caller } = await readStoredCaller(store.resources, query).catch((error: unknown) =>
      withAdvice(error, store),
    );
    notesOnGiven.push(...notes);
    if (proofOf(endpoint) !== 'token') return { ...caller, tokens: tokensOfPartners };
    return { ...caller, tokens: await readKnownTokens(sent.claims, store, environment) };
  });
  const compared = kept === null ? whyNotKept : kept.compare(kept.record, read.request, explanation.stringToSign);
  // The first characters of an id find a refusal, but not its line in the log.
  const requestId = kept?.record.requestId ?? given.requestId;
  return explained(requestId, { ...read, notes: [...read.notes, ...notesOnGiven, ...compared] }, explanation);
}

const NEEDS_OF_STORE = 'or what the store needs for it (POSTERN_KEYRING, or the variables that a file names)';

/** What a command can do about an App Secret that it needs. */
function withAdvice(error: unknown, { answers }: Pick<OpenedStore, 'answers'>): never {
  if (!(error instanceof UnreadableSecret)) throw error;
  const orElse = answers === undefined ? NEEDS_OF_STORE : 'or paste the request beside its refusal in the console';
  throw new UsageError(`${error.message}; give it with --secret-from, ${orElse}`, { cause: error });
}

/** The refusal of `--request-id`, or in a sentence why there is none to compare with; null when none is named. */
async function findRefusal(
  given: Given,
  { find }: KeptRefusals,
  store: OpenedStore,
  context: CommandContext,
): Promise<RefusalRecord | string | null> {
  const { requestId, admin } = given;
  if (requestId === undefined) return null;
  try {
    return (await find(requestId, given, store, context)).record;
  } catch (error) {
    if (error instanceof NotFound) {
      return 'No refusal with this request id is kept, so the request was not compared with it.';
    }
    // The request can be explained without, and --admin was not asked for.
    const isSilent = error instanceof StoreUnavailable || error instanceof RemembersNone;
    if (!isSilent || admin !== undefined || store.refusals !== null) throw error;
    return `The refusal was not looked up: ${error.message}; --admin names the replica that remembers it.`;
  }
}

async function explainLone(
  given: Given,
  endpoint: PartnerEndpoint,
  { terminal: { environment }, clock }: CommandContext,
): Promise<Explained> {
  const read = readInput(given);
  const secret = readGivenSecret(given, environment);
  const proof = proofOf(endpoint);
  if (given.appKey !== undefined && proof === 'app-key') {
    throw new UsageError('--app-key is not for key: there the App Key is the secret, which --secret-from reads');
  }
  if (proof === 'issuer-token' && (secret !== null || given.appKey !== undefined)) {
    throw new UsageError(
      `${secret === null ? '--app-key' : '--secret-from'} is not for jwt: a token of an issuer says by its claims whose it is`,
    );
  }
  if (secret !== null && proof === 'token') {
    throw new UsageError('--secret-from is not for oauth2: a token is judged without the App Secret');
  }
  const publicKeys = readGivenKeys(given, endpoint);
  if (secret !== null && publicKeys.length > 0) {
    throw new UsageError('--secret-from has no use beside --public-key, which verifies the signature');
  }
  if (secret === null && proof !== 'token' && proof !== 'issuer-token' && publicKeys.length === 0) {
    throw new UsageError('--secret-from is missing: without a store there is no other source of the secret');
  }
  const asked = askedOf(given, read, clock);
  const explanation = await explain(read.request, endpoint, asked, (sent) =>
    knownToPartner(endpoint, { ...asked, secret, publicKeys }, sent),
  );
  return explained(given.requestId, read, explanation);
}

/** The key of `--public-key`, which methods need whose callers sign with private keys, and others do not take. */
function readGivenKeys(given: Given, { authentication }: PartnerEndpoint): readonly KnownPublicKey[] {
  const publicKey = readPublicKeyFlags(given);
  if (materialKindOf([authentication]) !== 'public-key') {
    if (publicKey === null) return [];
    throw new UsageError(`--public-key is not for ${authentication}`);
  }
  if (publicKey !== null) return [givenKey(publicKey)];
  throw new UsageError('--public-key is missing: without a store there is no other source of the key');
}

function askedOf(given: Given, { sentAtSeconds, leftOut }: ReadRequest, clock: Clock): Asked {
  const knownSeconds = given.at ?? sentAtSeconds;
  const nowSeconds = knownSeconds ?? clock.nowSeconds();
  return { appKey: given.appKey ?? null, nowSeconds, isTimeKnown: knownSeconds !== null, leftOut };
}

/** `requestId` is the one that is known from elsewhere than the file. */
function explained(requestId: string | undefined, input: Input, explanation: Explained['explanation']): Explained {
  return { explanation, notes: input.notes, requestId: requestId ?? input.requestId };
}

function checkFlags({ file, secretFrom, publicKey, kid, body, method, option, admin, requestId }: Given): void {
  const sources = { request: file, secret: secretFrom, 'public key': publicKey, body };
  const [one, another] = Object.entries(sources).flatMap(([what, source]) => (source === STANDARD_INPUT ? [what] : []));
  if (one !== undefined && another !== undefined) {
    throw new UsageError(`the ${one} and the ${another} would both be read from standard input; put one into a file`);
  }
  if (method === undefined && (publicKey !== undefined || kid !== undefined)) {
    throw new UsageError('--public-key goes with --method; with a store, the credential has its key there');
  }
  if (method === undefined && option !== undefined) {
    throw new UsageError('--option goes with --method; with a store, the endpoint has its options there');
  }
  if (admin !== undefined && requestId === undefined) {
    throw new UsageError('--admin goes with --request-id, the refusal that the replica is asked for');
  }
}

/** An endpoint that takes every path, with the options that the caller knows. */
function loneEndpoint(authentication: string, options: Readonly<Record<string, unknown>>): PartnerEndpoint {
  const wish = { authentication, options, 'match.paths': [{ prefix: '/' }] };
  const [change] = changesOf(planNewEndpoint('any', wish, []), endpointFields);
  if (change?.kind !== 'endpoint' || change.after === null || change.after.scenario === 'open') {
    throw new Error('a new endpoint was not planned');
  }
  return change.after;
}

/** The endpoint that host, path and method lead to. */
function routedEndpoint({ request }: ReadRequest, endpoints: readonly Endpoint[]): Endpoint {
  const host = parseAuthority(request.authority);
  const target = parseTarget(request.path);
  if (host !== null && !('reason' in target)) {
    const table = compileEndpointTable(endpoints);
    const found = table.find(host, target.comparable, request.method);
    if (found !== null) return found;
    // Meant is the endpoint of the path: the explanation then says which methods it takes.
    const [meant] = table.methodsOf(host, target.comparable).keys();
    if (meant !== undefined) return meant;
  }
  throw new UsageError('no endpoint of the store matches host, path and method; name the intended one with --endpoint');
}

function readGivenSecret({ secretFrom }: Given, environment: Environment): string | null {
  return secretFrom === undefined ? null : readSecretArgument(secretFrom, environment);
}

/** The request, and the `requestId` of the refusal that stands with it. */
interface Input extends ReadRequest {
  readonly requestId: string | null;
}

function readInput({ file, entry, body }: Given): Input {
  const bytes = readFile(file);
  const given = body === undefined ? null : readFile(body, MAX_HMAC_BODY_BYTES);
  const read = readRequest(bytes, { entry: entry ?? null, body: given });
  if ('problem' in read) throw new UsageError(`${file}: ${read.problem}`);
  if (entry !== undefined && read.form !== 'har') throw new UsageError(`--entry is for a HAR, which ${file} is not`);
  return { ...read, requestId: findRefusalRequestId(bytes.toString('latin1')) };
}

function readFile(path: string, maxBytes?: number): Buffer {
  const bytes = readBytes(path, maxBytes);
  if (typeof bytes === 'string') throw new UsageError(`${path} cannot be read (${bytes})`);
  return bytes;
}
