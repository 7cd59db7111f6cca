import { type Command, InvalidArgumentError, Option } from 'commander';
import { MAX_AUTHORITIES, MAX_CERTIFICATE_CHARACTERS } from '../../model/certificate-identity.ts';
import { MAX_CLAIMS } from '../../model/derived-app-key.ts';
import { certificateMatches } from '../../resources/certificate-field.ts';
import type { Declared } from '../../resources/declared.ts';
import type { FieldFlags } from './fields.ts';
import { readPublicText } from './public-key.ts';
import { collect, parseId } from './values.ts';

/** The flags that say what a credential without an App Key is known by. */
export interface KnownByFlags {
  readonly issuer?: string;
  readonly claim?: Readonly<Record<string, string>>;
  readonly certificate?: string;
  readonly match?: string;
  readonly certificateSha256?: string;
  readonly publicKeySha256?: string;
  readonly certificateUri?: string;
  readonly certificateDns?: string;
  readonly authority?: readonly string[];
}

/** Them by the fields that they set, the inner ones first. */
export const knownByFields: FieldFlags = {
  issuer: '--issuer',
  claims: '--claim',
  'certificate.match': '--match',
  'certificate.sha256': '--certificate-sha256',
  'certificate.publicKeySha256': '--public-key-sha256',
  'certificate.uri': '--certificate-uri',
  'certificate.dns': '--certificate-dns',
  'certificate.authority': '--authority',
  'certificate.authorities': '--authority',
  certificate: '--certificate',
};

/** Adds the flags to a command. */
export function addKnownByOptions(command: Command): Command {
  return command
    .option('--issuer <id>', 'jwt: the issuer whose tokens the partner sends', parseId)
    .option(
      '--claim <name=value>',
      `jwt: a claim that its tokens have; repeatable, up to ${String(MAX_CLAIMS)}, all of them`,
      collectClaim,
    )
    .option('--certificate <file>', 'certificate: the one of the partner, as PEM; - reads standard input')
    .addOption(
      new Option('--match <part>', 'what of --certificate counts: all of it, or its public key alone').choices(
        certificateMatches,
      ),
    )
    .option(
      '--certificate-sha256 <hex>',
      'certificate: the SHA-256 of it, as "openssl x509 -fingerprint -sha256" has it',
    )
    .option('--public-key-sha256 <hex>', 'certificate: the SHA-256 of its public key (SubjectPublicKeyInfo, DER)')
    .option('--certificate-uri <uri>', 'certificate: a URI in it, such as spiffe://partner.example/batch')
    .option('--certificate-dns <name>', 'certificate: a DNS name in it')
    .option(
      '--authority <file>',
      `beside a URI or DNS name: the certificate of who issues them, as PEM; repeatable, up to ${String(MAX_AUTHORITIES)}`,
      collect,
    );
}

/**
 * What the flags say, as a declarative file has it; null where they say nothing. Throws `UsageError` for a file that
 * cannot be read.
 */
export function readKnownByFlags(flags: KnownByFlags): Declared | null {
  const { issuer, claim, authority = [], certificate: file } = flags;
  const pems = authority.map((source) => ({ pem: readPublicText('--authority', source, MAX_CERTIFICATE_CHARACTERS) }));
  const certificate = present({
    pem: file === undefined ? undefined : readPublicText('--certificate', file, MAX_CERTIFICATE_CHARACTERS),
    match: flags.match,
    sha256: flags.certificateSha256,
    publicKeySha256: flags.publicKeySha256,
    uri: flags.certificateUri,
    dns: flags.certificateDns,
    authority: pems.length === 1 ? pems[0] : undefined,
    authorities: pems.length > 1 ? pems : undefined,
  });
  const named = present({ issuer, claims: claim, certificate: isEmpty(certificate) ? undefined : certificate });
  return isEmpty(named) ? null : named;
}

/** The flags that were given, by their names without dashes. */
export function knownByGiven(flags: KnownByFlags): Readonly<Record<string, unknown>> {
  const names: Readonly<Record<keyof KnownByFlags, string>> = {
    issuer: 'issuer',
    claim: 'claim',
    certificate: 'certificate',
    match: 'match',
    certificateSha256: 'certificate-sha256',
    publicKeySha256: 'public-key-sha256',
    certificateUri: 'certificate-uri',
    certificateDns: 'certificate-dns',
    authority: 'authority',
  };
  return Object.fromEntries(Object.entries(names).map(([key, name]) => [name, flags[key as keyof KnownByFlags]]));
}

function present(values: Declared): Declared {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function isEmpty(values: Declared): boolean {
  return Object.keys(values).length === 0;
}

/** Not the last of equal names: which of two values is meant is not for us to say. */
function collectClaim(text: string, claims: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at <= 0 || name === '__proto__') throw new InvalidArgumentError('The form is NAME=VALUE.');
  if (Object.hasOwn(claims, name)) throw new InvalidArgumentError(`The claim ${name} is given twice.`);
  return { ...claims, [name]: text.slice(at + 1) };
}
