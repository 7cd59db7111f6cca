import { parseListenAddress } from './server/listen-address.ts';
import type { ListenAddress } from './server/transport.ts';

/** What is wrong with the text of a setting; completes the sentence "POSTERN_…: …". Never holds the text of a secret. */
export interface Fault {
  readonly fault: string;
}

/** Where resources are kept. */
export type StoreLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'mongodb'; readonly uri: string };

/** A `host:port` that Postern calls. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** `file:PATH`, or a MongoDB address with a database. The address may hold a password, so faults do not quote it. */
export function parseStore(text: string): StoreLocation | Fault {
  if (text.startsWith('file:') && text.length > 'file:'.length)
    return { kind: 'file', path: text.slice('file:'.length) };
  if (!/^mongodb(\+srv)?:\/\//.test(text)) return { fault: 'must be file:PATH or mongodb://…/DATABASE' };
  return /^mongodb(\+srv)?:\/\/[^/]+\/[^/?]+(\?.*)?$/.test(text)
    ? { kind: 'mongodb', uri: text }
    : { fault: 'the MongoDB address must name hosts and a database, as in mongodb://127.0.0.1:27017/postern' };
}

/** Any text. */
export function parseText(text: string): string {
  return text;
}

/** A whole number within bounds, both included. */
export function parseInteger(least: number, most: number): (text: string) => number | Fault {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    return value >= least && value <= most
      ? value
      : { fault: `must be a whole number from ${String(least)} to ${String(most)}, not "${text}"` };
  };
}

/** One of a list of words. */
export function parseChoice<const T extends readonly string[]>(choices: T): (text: string) => T[number] | Fault {
  return (text) =>
    choices.find((choice) => choice === text) ?? { fault: `must be ${choices.join(' or ')}, not "${text}"` };
}

/** An address to listen on: `host:port`, `[IPv6]:port` or `unix:/path`. */
export function parseListener(text: string): ListenAddress | Fault {
  const address = parseListenAddress(text);
  return 'problem' in address ? { fault: address.problem } : address;
}

/** The address of a service: `host:port` or `[IPv6]:port`. */
export function parseServiceAddress(text: string): ServiceAddress | Fault {
  const address = parseListener(text);
  if ('fault' in address) return address;
  if (address.kind === 'unix' || address.port === 0) return { fault: `must be host:port, not "${text}"` };
  return { host: address.host, port: address.port };
}

/** An absolute `http` or `https` URL without user, query, fragment and trailing slash. */
export function parseUrl(text: string): URL | Fault {
  if (text.includes('@')) return { fault: 'must hold no user name and no password' };
  return /^https?:\/\/[^\s?#\\]*[^\s?#\\/]$/.test(text) && URL.canParse(text)
    ? new URL(text)
    : { fault: `must be like https://api.example.com, without query, fragment or "/" at the end; not "${text}"` };
}
