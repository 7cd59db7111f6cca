import type { ClientRequest } from '../../../check/signing/client-request.ts';
import type { LeftOut } from './left-out.ts';

/** The forms in which a request can be given. */
type RequestForm = 'curl' | 'raw' | 'har';

/** A request as it was read from a text. */
export interface ReadRequest {
  readonly form: RequestForm;
  readonly request: ClientRequest;
  /** When it was sent, in seconds since the epoch, where the text says so. */
  readonly sentAtSeconds: number | null;
  readonly leftOut: LeftOut;
  /** What a reader of the result should know about how the text was taken, and what is not in it. */
  readonly notes: readonly string[];
}

/** What reading a request needs from outside. */
export interface ReadContext {
  /**
   * The bytes of the file that holds the body, where the text does not; null for none. A text's own files are never
   * read.
   */
  readonly body: Buffer | null;
  /** Which entry of a HAR is meant, from 1; null for the only or first one. */
  readonly entry: number | null;
}

/** Why a text could not be read as a request, and what to give instead: a sentence without its full stop. */
export interface ReadProblem {
  readonly problem: string;
}

/** What is wrong with a body that is given beside a request that has one. */
export const holdsBody: ReadProblem = { problem: 'the request holds a body already, so --body has no use' };

/** What is said of a body that no length tells of. */
export const BODY_NOT_THERE = 'The body that was sent is not in the text. --body FILE gives it.';

/** What is said of values that were masked. */
export function maskedNotes(names: readonly string[]): readonly string[] {
  const shown = [...new Set(names)].map((name) => name.replace(/[^\x21-\x7e]/g, '?').slice(0, MAX_SHOWN_NAME));
  return shown.length === 0 ? [] : [`Not in the text, because it was masked: the value of ${shown.join(', ')}.`];
}

const MAX_SHOWN_NAME = 40;

/** The parts of a URL that make a request, one character a byte. */
interface RequestUrl {
  /** The authority as `Host` shows it, without the port that the scheme has anyway. */
  readonly authority: string;
  /** Path and query, as written; `/` for no path. */
  readonly target: string;
  /** `name:password` before the host; null for none. */
  readonly user: string | null;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([^/?#]*)([^#]*)/;

/** Splits a URL, with or without its scheme; null when it has no host. Nothing is decoded or normalised. */
export function splitUrl(url: string): RequestUrl | null {
  const [, scheme = 'http', userAndHost = '', rest = ''] = URL_PARTS.exec(url) ?? [];
  const mark = userAndHost.lastIndexOf('@');
  const host = userAndHost.slice(mark + 1);
  if (host === '') return null;
  const port = DEFAULT_PORTS[scheme.toLowerCase()];
  return {
    authority: port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host,
    target: rest.startsWith('/') ? rest : `/${rest}`,
    user: mark === -1 ? null : userAndHost.slice(0, mark),
  };
}
