import { systemClock } from '../../clock.ts';
import { explain, type ExplainableEndpoint } from '../../explain/explain.ts';
import type { Explanation } from '../../explain/explanation.ts';
import { readRequest } from '../../explain/read/read-request.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { findEndpointInStore } from './find-endpoint.ts';
import { parseTime } from './parse-time.ts';
import { readBytes } from './read-bytes.ts';
import { readSecretArgument } from './secret-argument.ts';
import { UsageError } from './usage-error.ts';

const STANDARD_INPUT = '-';

/** What `postern explain` is given. */
export interface ExplainArguments {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly endpoint: string;
  readonly appKey: string | null;
  readonly secretFrom: string;
  readonly at: string | null;
  readonly entry: string | null;
  readonly store: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads a request and explains it. Throws as `findEndpointInStore` does, and {@link UsageError} for what it cannot read. */
export async function explainArguments(
  given: ExplainArguments,
): Promise<{ readonly explanation: Explanation; readonly notes: readonly string[] }> {
  if (given.file === STANDARD_INPUT && given.secretFrom === STANDARD_INPUT) {
    throw new UsageError('both the request and the secret are to come from standard input; put one into a file');
  }
  const entry = parseEntry(given.entry);
  const atSeconds = given.at === null ? null : parseTime(given.at);
  const endpoint = explainable(await findEndpointInStore(given.endpoint, given.store));
  const read = readRequest(readInput(given.file), { entry, readFile: readBytes });
  if ('problem' in read) throw new UsageError(`${given.file}: ${read.problem}`);
  const knownSeconds = atSeconds ?? read.sentAtSeconds;
  const explanation = explain(read.request, endpoint, {
    appKey: given.appKey,
    secret: readSecretArgument(given.secretFrom, given.environment),
    nowSeconds: knownSeconds ?? systemClock.nowSeconds(),
    isTimeKnown: knownSeconds !== null,
  });
  return { explanation, notes: read.notes };
}

function explainable(endpoint: Endpoint): ExplainableEndpoint {
  if (endpoint.authentication === null) {
    throw new UsageError(`the endpoint ${endpoint.id} is open: it takes requests without credentials`);
  }
  if (endpoint.authentication === 'oauth2') {
    throw new UsageError(`the endpoint ${endpoint.id} takes access tokens; there is no signature to explain`);
  }
  return endpoint;
}

function parseEntry(text: string | null): number | null {
  if (text === null) return null;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--entry ${text}: the entries of a HAR are counted from 1`);
  return Number(text);
}

function readInput(file: string): Buffer {
  const bytes = readBytes(file);
  if (typeof bytes === 'string') throw new UsageError(`${file} cannot be read (${bytes})`);
  return bytes;
}
