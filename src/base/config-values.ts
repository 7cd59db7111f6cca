import { isIP } from 'node:net';
import { unseenIn } from './text/unseen.ts';
import { parseListenAddress } from './net/listen-address.ts';
import { isLoopback, type Network, parseNetwork } from './net/networks.ts';

/** What is wrong with the text of a setting; completes "POSTERN_…: …". It never holds the text of a secret. */
export interface Fault {
  readonly fault: string;
}

/** Where the resources are: a declarative file, or a MongoDB database by its connection string. */
export type StoreLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'mongodb'; readonly uri: string }
  /** The management API of `postern manage`, by its origin. Only commands use it. */
  | { readonly kind: 'api'; readonly origin: string };

/** A `host:port` that Postern calls. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * `file:PATH`, a MongoDB address with a database, or the address of a management API. An address may hold a password,
 * so faults do not quote it.
 */
export function parseStore(text: string): StoreLocation | Fault {
  if (text.startsWith('file:') && text.length > 'file:'.length)
    return { kind: 'file', path: text.slice('file:'.length) };
  if (/^https?:/i.test(text)) return parseApiOrigin(text);
  if (!/^mongodb(\+srv)?:\/\//.test(text)) return { fault: 'must be file:PATH, mongodb://…/DATABASE or https://HOST' };
  if (hasUnencodedLogin(text)) {
    return {
      fault:
        'the MongoDB address has a "/" or "?" in its name or password: percent-encode the password ("/" is %2F, "?" is %3F, "@" is %40, ":" is %3A, "%" is %25)',
    };
  }
  if (!/^mongodb(\+srv)?:\/\/[^/]+\/[^/?]+(\?.*)?$/.test(text)) {
    return { fault: 'the MongoDB address must name hosts and a database, as in mongodb://127.0.0.1:27017/postern' };
  }
  const unsafe = findUnsafeTlsOption(text);
  return unsafe === null
    ? { kind: 'mongodb', uri: text }
    : {
        fault: `${unsafe} makes TLS worthless, because any server could answer for MongoDB; leave it out, give tlsCAFile, and call MongoDB by a name of its certificate`,
      };
}

/** An origin without a user or path. Without TLS only this machine is called: tokens would be readable on the way. */
function parseApiOrigin(text: string): StoreLocation | Fault {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && url.username === '' && url.password === '' && url.pathname === '/';
  if (!isOrigin || url.search !== '' || url.hash !== '') {
    return { fault: 'must be the address of postern manage alone, such as https://manage.example.com:9004' };
  }
  if (isProtected(url)) return { kind: 'api', origin: url.origin };
  return { fault: 'must begin with https:// where it is another machine: tokens would be readable on the way' };
}

/** One of `host`, `host:port` and `[address]:port`, or several with commas. */
const HOSTS = /^(?:[\w.%-]+|\[[0-9a-fA-F:.]+\])(?::\d+)?(?:,(?:[\w.%-]+|\[[0-9a-fA-F:.]+\])(?::\d+)?)*$/;

/** Whether the `@` after name and password comes only after what ends the hosts of an address. */
function hasUnencodedLogin(uri: string): boolean {
  const rest = uri.slice(uri.indexOf('://') + '://'.length);
  const [authority = ''] = rest.split(/[/?]/, 1);
  const after = rest.slice(authority.length);
  if (!after.includes('@')) return false;
  const [path = ''] = after.split('?', 1);
  return path.includes('@') || (!authority.includes('@') && !HOSTS.test(authority));
}

/** Options that switch off what TLS is for. The driver takes names in any case and, of repeated ones, one of them. */
const UNSAFE_TLS_OPTIONS = ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames'];

function findUnsafeTlsOption(uri: string): string | null {
  const options = new URLSearchParams(uri.slice(uri.indexOf('?') + 1));
  for (const [name, value] of options) {
    const unsafe = UNSAFE_TLS_OPTIONS.find((option) => option.toLowerCase() === name.toLowerCase());
    if (unsafe !== undefined && value !== 'false') return unsafe;
  }
  return null;
}

/** Takes any text as it is. */
export function parseText(text: string): string {
  return text;
}

/** A name that people read in logs and lists. */
export function parseName(text: string): string | Fault {
  const unseen = unseenIn(text);
  return unseen === null ? text : { fault: `holds the character ${unseen}, which nobody sees: remove it` };
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

/** Makes a parser that takes one of some words, written exactly so. */
export function parseChoice<const T extends readonly string[]>(choices: T): (text: string) => T[number] | Fault {
  return (text) =>
    choices.find((choice) => choice === text) ?? { fault: `must be ${choices.join(' or ')}, not "${text}"` };
}

/** Names that certificates are for, separated by commas: DNS names without wildcards, and URIs such as `spiffe://…`. */
export function parseCertificateNames(text: string): readonly string[] | Fault {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find(
    (name) => !/^([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*|[a-z][a-z0-9+.-]*:\/\/[!#-+\--~]+)$/.test(name),
  );
  return wrong === undefined
    ? names
    : { fault: `must be DNS names without wildcards, or URIs such as spiffe://…, separated by commas; not "${wrong}"` };
}

/** Names and addresses of hosts without ports, separated by commas; in lower case, IPv6 addresses without brackets. */
export function parseHosts(text: string): readonly string[] | Fault {
  const hosts: string[] = [];
  for (const each of text.split(',').map((part) => part.trim())) {
    const host = each.replace(/^\[(.*)\]$/, '$1').toLowerCase();
    if (isIP(host) === 0 && !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) {
      return { fault: `must be hosts such as idp.internal, without ports, separated by commas; not "${each}"` };
    }
    hosts.push(host);
  }
  return hosts;
}

/** Addresses and networks, separated by commas: `127.0.0.0/8,::1`. */
export function parseNetworks(text: string): readonly Network[] | Fault {
  const networks: Network[] = [];
  for (const each of text.split(',').map((part) => part.trim())) {
    const network = parseNetwork(each);
    if (network === null) {
      return { fault: `must be addresses or networks such as 10.0.0.0/8, separated by commas; not "${each}"` };
    }
    networks.push(network);
  }
  return networks;
}

/** Takes `true` or `false`. */
export function parseBoolean(text: string): boolean | Fault {
  return text === 'true' || text === 'false' ? text === 'true' : { fault: `must be true or false, not "${text}"` };
}

/** Permissions of a unix socket in octal, `0600` to `0777`; the owner, Postern itself, keeps reading and writing. */
export function parseSocketMode(text: string): number | Fault {
  const mode = /^0?[0-7]{3}$/.test(text) ? Number.parseInt(text, 8) : 0;
  return (mode & 0o600) === 0o600
    ? mode
    : { fault: `must be permissions in octal that let the owner read and write, as 0660; not "${text}"` };
}

/** The address of a service: `host:port` or `[IPv6]:port`. */
export function parseServiceAddress(text: string): ServiceAddress | Fault {
  const address = parseListenAddress(text);
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

/** Where browsers reach this: `https`, or `http` on loopback, without a path. */
export function parseOrigin(text: string): URL | Fault {
  const url = parseUrl(text);
  if ('fault' in url) return url;
  return isProtected(url) && url.pathname === '/'
    ? url
    : {
        fault: `must be like https://postern.example.com, without a path; http is for this machine only; not "${text}"`,
      };
}

/** The issuer of an OpenID Connect provider (OpenID Connect Discovery §2): `https`, or `http` on loopback. */
export function parseIssuer(text: string): URL | Fault {
  const url = parseUrl(text.replace(/\/$/, ''));
  if ('fault' in url) return url;
  return isProtected(url)
    ? new URL(text)
    : { fault: `must begin with https; http is for this machine only; not "${text}"` };
}

function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** How much is logged, least first. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** How a line looks: JSON for programs, `pretty` for people. */
export const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];
