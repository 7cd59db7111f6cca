import type { X509Certificate } from 'node:crypto';
import { type JsonObject, objectIn, textIn } from '../../../model/document/json.ts';
import { readCertificates, TlsProblem } from '../../../wire/tls/certificates.ts';
import type { EnvoyConfig, HttpManager } from './envoy-config.ts';

/** Where the settings may stand by which Envoy verifies certificates of callers, below `common_tls_context`. */
export const VALIDATION: readonly (readonly string[])[] = [
  ['validation_context'],
  ['combined_validation_context', 'default_validation_context'],
];
/** Settings that come by SDS, under a name. */
export const VALIDATION_BY_SDS: readonly (readonly string[])[] = [
  ['validation_context_sds_secret_config'],
  ['combined_validation_context', 'validation_context_sds_secret_config'],
];

/** The text of a file that a configuration names; null when it is not here. */
export type ReadFile = (path: string) => string | null;

/**
 * The authorities by which Envoy verifies callers of a listener. Null when they are not known: something else than
 * `trusted_ca` decides, a secret is not shown, a file is elsewhere, or they cannot be read.
 */
export function trustedAuthorities(
  { tls }: HttpManager,
  { secrets }: Pick<EnvoyConfig, 'secrets'>,
  readFile: ReadFile,
): readonly X509Certificate[] | null {
  const common = objectIn(tls ?? {}, 'common_tls_context');
  const bySds = VALIDATION_BY_SDS.map((steps) => textIn(common, ...steps, 'name')).filter((name) => name !== null);
  const contexts = [
    ...VALIDATION.map((steps) => objectIn(common, ...steps)).filter((context) => Object.keys(context).length > 0),
    ...bySds.map((name) => objectIn(secrets.get(name), 'validation_context')),
  ];
  const sources = contexts.map((context) => objectIn(context, 'trusted_ca'));
  const named = sources.filter((source) => Object.keys(source).length > 0);
  if (named.length === 0 || bySds.some((name) => !secrets.has(name))) return null;
  const texts = named.map((source) => textOf(source, readFile));
  return texts.includes(null) ? null : read(texts.join('\n'));
}

/** A text of Envoy's configuration: as it is, as bytes, or in a file. */
function textOf(source: JsonObject, readFile: ReadFile): string | null {
  const [text, bytes, path] = ['inline_string', 'inline_bytes', 'filename'].map((name) => textIn(source, name));
  if (typeof text === 'string') return text;
  if (typeof bytes === 'string') return Buffer.from(bytes, 'base64').toString('latin1');
  return typeof path === 'string' ? readFile(path) : null;
}

/** Envoy does not start with what it cannot read itself, and says why. */
function read(pem: string): readonly X509Certificate[] | null {
  try {
    return readCertificates(Buffer.from(pem, 'latin1'));
  } catch (error) {
    if (error instanceof TlsProblem) return null;
    throw error;
  }
}
