import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoUnexpectedServerResponseError,
} from 'mongodb';
import { Conflict } from '../../resources/changes/resource-store.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { TlsProblem } from '../../wire/tls/certificates.ts';
import { describeTlsFault } from '../../wire/tls/tls-faults.ts';
import { DUPLICATE_KEY } from './duplicates.ts';
import {
  errorsBelow,
  networkCodeOf,
  serversOf,
  type SetProblem,
  setProblemOf,
  type UnreachableMembers,
  unreachableMembersOf,
} from './fault-causes.ts';

/**
 * Why MongoDB has no answer:
 * - `unreachable`, `slow`, `no-primary`: passes automatically or when the servers are back
 * - `not-initiated`: passes when an operator initiates the replica set, or restarts a member that did not find itself
 * - `other-set` (the server is in another replica set, or in none), `denied` (name or password), `forbidden` (rights),
 * `address`, `files` (TLS), `schema`, `stand-alone`, `record` (made unreadable by hand), `key-ring`: an operator has to
 * change something
 * - `too-large`: a change does not fit into one transaction of this server
 * - `uncertain`: a change may or may not have been made
 */
export type UnavailableReason =
  | (
      | 'unreachable'
      | 'slow'
      | 'no-primary'
      | 'not-initiated'
      | 'other-set'
      | 'denied'
      | 'forbidden'
      | 'address'
      | 'files'
    )
  | ('schema' | 'stand-alone' | 'record' | 'key-ring' | 'too-large' | 'uncertain');

/** {@link StoreUnavailable} with its reason. The message is for people, without secrets, commands and documents. */
export class MongodbUnavailable extends StoreUnavailable {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Runs work on the driver, and turns its errors into ours with {@link translateFault}. */
export async function withFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateFault(error);
  }
}

/** {@link withFaults} for what comes piece by piece. */
export async function* iterateWithFaults<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* items;
  } catch (error) {
    throw translateFault(error);
  }
}

/**
 * The one mapping of driver errors: to {@link MongodbUnavailable}, to `Conflict`, or to a defect without the driver's
 * message, which quotes commands and documents. By class, code and label only. What is no error of the driver or of the
 * network stays as it is.
 */
export function translateFault(thrown: unknown): unknown {
  const error = unwrapFault(thrown);
  for (const each of errorsBelow(error)) {
    if (each instanceof TlsProblem) return new MongodbUnavailable('files', each.message);
  }
  if (error instanceof MongoServerSelectionError) return describeSelection(error);
  if (error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')) return uncertain();
  if (error instanceof MongoNetworkError) return unreachable([], networkCodeOf(error));
  // The connection ended where an answer should have begun.
  if (error instanceof MongoUnexpectedServerResponseError) return unreachable([], null);
  if (error instanceof MongoServerError) return describeServerError(error);
  if (error instanceof MongoError) {
    // The class of the first is not exported.
    const isSlow = error.name === 'MongoWaitQueueTimeoutError' || error.name === 'MongoOperationTimeoutError';
    return isSlow ? slow() : defect(`the MongoDB driver was used wrongly (${error.name})`, error);
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') return slow();
  return describeSystemError(error);
}

/**
 * What failed below a bulk write: the driver wraps a lost connection into the class of answers of servers, sometimes
 * without its labels.
 */
export function unwrapFault(error: unknown): unknown {
  if (!(error instanceof MongoBulkWriteError)) return error;
  const cause: unknown = error.errorResponse;
  return cause instanceof MongoError ? cause : error;
}

/** For a change whose outcome no server confirmed: it may be in force, or come into force when servers come back. */
export function uncertain(): MongodbUnavailable {
  return new MongodbUnavailable(
    'uncertain',
    'MongoDB did not confirm the change: it may be in force. Look at what is stored before you repeat it',
  );
}

/** For a change that was not begun, because too few members confirm writes. */
export function noMajority(): MongodbUnavailable {
  return new MongodbUnavailable(
    'no-primary',
    'MongoDB has no primary whose writes a majority of the members confirms; try again when more members are up',
  );
}

/** For a change that the server does not take as one. */
export function tooLarge(): MongodbUnavailable {
  return new MongodbUnavailable(
    'too-large',
    'this is too large a change for one transaction: it needs more cache than MongoDB has (storage.wiredTiger.engineConfig.cacheSizeGB), or more than 60 seconds. Nothing was changed; make it in smaller steps',
  );
}

const SHUTTING_DOWN = [11600, 91];
const NO_PRIMARY = [189, 10107, 13435, 13436, 11602];
/** Out of time, out of capacity, cursor lost, or a network error between members. */
const TOO_SLOW = [262, 50, 462, 43, 89, 6, 7, 9001];
const WRITE_CONCERN = [100, 64];
/** TransactionTooLarge, TransactionTooLargeForCache, BSONObjectTooLarge. */
const TOO_LARGE = [257, 388, 10334];
const WRITE_CONFLICT = 112;
const PASSING_LABELS = ['RetryableWriteError', 'RetryableError', 'SystemOverloadedError', 'ResetPool'];

function describeServerError(error: MongoServerError): Error {
  const code = codeOf(error);
  if (code === 18)
    return new MongodbUnavailable(
      'denied',
      'MongoDB refuses the name or password of its address; correct POSTERN_STORE',
    );
  if (code === 13) return new MongodbUnavailable('forbidden', FORBIDDEN);
  if (WRITE_CONCERN.includes(code) || error.name === 'MongoWriteConcernError') return uncertain();
  if (NO_PRIMARY.includes(code) || SHUTTING_DOWN.includes(code)) return noPrimary();
  if (TOO_SLOW.includes(code)) return slow();
  if (TOO_LARGE.includes(code)) return tooLarge();
  if (code === WRITE_CONFLICT) return new Conflict(BUSY);
  if (code === DUPLICATE_KEY)
    return new Conflict(`another record has the same ${duplicateFields(error)}; nothing was changed`);
  if (error.hasErrorLabel('TransientTransactionError')) return slow();
  if (PASSING_LABELS.some((label) => error.hasErrorLabel(label)) && !error.hasErrorLabel('HandshakeError'))
    return noPrimary();
  const name = typeof error.codeName === 'string' ? ` ${error.codeName}` : '';
  return defect(`MongoDB refused what Postern asked (code ${code < 0 ? 'none' : String(code)}${name})`, error);
}

/** The code of a server's error, -1 for none. A bulk write keeps that of an unconfirmed write in what caused it. */
function codeOf(error: MongoServerError): number {
  const { code, err } = error as { readonly code?: unknown; readonly err?: { readonly code?: unknown } };
  if (typeof code === 'number') return code;
  return typeof err?.code === 'number' ? err.code : -1;
}

const FORBIDDEN =
  'the MongoDB user of the address, or a client without a user when the address names none, lacks a right that this needs; put name and password into the address, and give the user the role posternService (postern serve), posternOperator (commands) or posternMigrator (a new or older database), as deploy/mongodb/roles.js makes them';

const BUSY = 'others keep changing the same records; nothing was changed: try again';

/** The names of fields, never their values. */
function duplicateFields(error: MongoServerError): string {
  const keyPattern: unknown = error['keyPattern'];
  return typeof keyPattern === 'object' && keyPattern !== null ? Object.keys(keyPattern).join(' and ') : 'key';
}

function describeSelection(error: MongoServerSelectionError): MongodbUnavailable {
  const problem = setProblemOf(error);
  if (problem !== null) return describeSetProblem(problem);
  const servers = serversOf(error);
  const code = networkCodeOf(error);
  // Servers that answer, but none that takes the operation.
  if (code === null && servers.some(({ type }) => type !== 'Unknown')) return noPrimary();
  const strange = unreachableMembersOf(error);
  if (strange !== null) return unreachableMembers(strange, code);
  const silent = servers.filter(({ type }) => type === 'Unknown');
  return unreachable(
    silent.map(({ address }) => address),
    code,
  );
}

function unreachableMembers({ seed, set, members }: UnreachableMembers, code: string | null): MongodbUnavailable {
  const [subject, one] = members.length === 1 ? ['the member', 'it'] : ['members', 'one of them'];
  const reason = code === null ? '' : ` (${code})`;
  const message = `MongoDB at ${seed} answered: it is in the replica set ${set}, which names ${subject} ${members.join(', ')}; this machine cannot reach ${one}${reason}. Either make that name and port reachable from here, or, to use ${seed} alone, add directConnection=true to the address`;
  return new MongodbUnavailable('unreachable', message);
}

function describeSetProblem(problem: SetProblem): MongodbUnavailable {
  if (problem.kind === 'not-initiated') {
    const message = `MongoDB at ${problem.hosts.join(', ')} answers, but is not in its replica set: if it is new, run rs.initiate() there once, in mongosh; if it was a member, restart it where it can resolve its own name`;
    return new MongodbUnavailable('not-initiated', message);
  }
  const why =
    problem.kind === 'other-set'
      ? `the server is in the replica set ${problem.found}; write replicaSet=${problem.found} in POSTERN_STORE`
      : `the server is a stand-alone one; start it with --replSet ${problem.wanted} and run rs.initiate() once, or leave replicaSet out: it is then read every 2 s, and commands change nothing`;
  return new MongodbUnavailable('other-set', `replicaSet=${problem.wanted} of the MongoDB address is wrong: ${why}`);
}

function unreachable(hosts: readonly string[], code: string | null): MongodbUnavailable {
  const at = hosts.length === 0 ? '' : ` at ${hosts.join(', ')}`;
  const reason = code === null ? '' : ` (${code})`;
  const tlsFault = code === null ? null : describeTlsFault(code);
  const advice =
    tlsFault === null
      ? '; check that it runs, that this machine reaches it, and that both or neither use TLS'
      : `: ${tlsFault}. Check tls, tlsCAFile, tlsCertificateKeyFile and the name in the server’s certificate`;
  return new MongodbUnavailable('unreachable', `MongoDB does not answer${at}${reason}${advice}`);
}

function noPrimary(): MongodbUnavailable {
  return new MongodbUnavailable('no-primary', 'MongoDB has no primary that takes this now; try again in a moment');
}

function slow(): MongodbUnavailable {
  return new MongodbUnavailable('slow', 'MongoDB did not answer in time; try again, and look at its load');
}

/**
 * Node's codes for a socket that the server has ended, when the driver writes before it has seen that. Such an error
 * has neither a class of the driver nor a system call.
 */
const ENDED_SOCKET = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_STREAM_DESTROYED', 'ERR_SOCKET_CLOSED'];

/** Ended sockets, files of TLS options that cannot be read, and names that do not resolve (`mongodb+srv`). */
function describeSystemError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  if (ENDED_SOCKET.includes(error.code)) return unreachable([], error.code);
  if (!('syscall' in error)) return error;
  if (error.code === 'EISDIR') {
    return new MongodbUnavailable('files', 'a file that an option of the MongoDB address names is a folder (EISDIR)');
  }
  if ('path' in error && typeof error.path === 'string') {
    const message = `the file ${error.path}, which an option of the MongoDB address names, cannot be read (${error.code})`;
    return new MongodbUnavailable('files', message);
  }
  return unreachable([], error.code);
}

/** Keeps where it happened, and drops the driver's message, which may hold documents. */
function defect(message: string, { stack = '' }: Error): Error {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return Object.assign(new Error(message), { stack: [`Error: ${message}`, ...frames].join('\n') });
}
