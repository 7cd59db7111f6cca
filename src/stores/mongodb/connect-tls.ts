import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { MongoOptions } from 'mongodb';
import { codeOf } from '../../base/files/fingerprint.ts';
import { secureContextOptions } from '../../wire/tls/secure-context.ts';
import type { PemFile, TlsFiles } from '../../wire/tls/tls-files.ts';
import { TlsProblem } from '../../wire/tls/certificates.ts';

const fileOptions = ['tlsCAFile', 'tlsCRLFile', 'tlsCertificateKeyFile'] as const;

/** The options of an address that name TLS files, and a passphrase. */
type TlsFileOptions = Pick<MongoOptions, (typeof fileOptions)[number] | 'tls' | 'passphrase'>;

/**
 * A TLS context that holds what its files hold whenever a connection is made: the driver itself reads them once, and a
 * renewed client certificate or authority would wait for a restart. Files that cannot be used leave the last good
 * context in force; without one, {@link TlsProblem} is thrown. Null when the address names no files.
 */
export function latestTlsContext(options: TlsFileOptions): SecureContext | null {
  return options.tls && fileOptions.some((name) => options[name] !== undefined) ? new LatestTlsContext(options) : null;
}

/** The TLS files that an address names; null for none, or when the key needs a passphrase, which is not tried here. */
export function mongodbTlsFiles(options: TlsFileOptions): TlsFiles | null {
  const { tls, tlsCAFile, tlsCertificateKeyFile, passphrase } = options;
  if (!tls || passphrase !== undefined || (tlsCAFile ?? tlsCertificateKeyFile) === undefined) return null;
  const file = (option: string, path: string | undefined): PemFile | null =>
    path === undefined ? null : { setting: `${option} of POSTERN_STORE`, path };
  const own = file('tlsCertificateKeyFile', tlsCertificateKeyFile);
  return { certificate: own, key: own, ca: file('tlsCAFile', tlsCAFile) };
}

class LatestTlsContext implements SecureContext {
  readonly #options: TlsFileOptions;
  #latest: { readonly texts: readonly (Buffer | null)[]; readonly context: SecureContext } | null = null;

  constructor(options: TlsFileOptions) {
    this.#options = options;
  }

  /** What `tls.connect` takes from a context. */
  get context(): unknown {
    try {
      const texts = fileOptions.map((name) => readPem(this.#options[name], name));
      const former = this.#latest;
      if (former === null || texts.some((text, index) => !isSame(text, former.texts[index] ?? null))) {
        this.#latest = { texts, context: this.#create(texts) };
      }
    } catch (error) {
      // Half written, or absent for a moment: `postern doctor` shows when it lasts.
      if (this.#latest === null) throw error;
    }
    const latest: unknown = this.#latest?.context.context;
    return latest;
  }

  #create([ca = null, crl = null, own = null]: readonly (Buffer | null)[]): SecureContext {
    const { passphrase, tlsCertificateKeyFile } = this.#options;
    try {
      return createSecureContext({
        ...secureContextOptions({ certificate: own, key: own, ca }),
        ...(crl === null ? {} : { crl }),
        ...(passphrase === undefined ? {} : { passphrase }),
      });
    } catch (error) {
      const files = tlsCertificateKeyFile ?? 'the files of the MongoDB address';
      const message = `${files}: OpenSSL does not accept what it holds (${codeOf(error)}); tlsCertificateKeyFile is one PEM file with the certificate and its key`;
      throw new TlsProblem(message, { cause: error });
    }
  }
}

function readPem(path: string | undefined, option: string): Buffer | null {
  if (path === undefined) return null;
  try {
    return readFileSync(path);
  } catch (error) {
    const message = `${path}, which ${option} of the MongoDB address names, cannot be read (${codeOf(error)})`;
    throw new TlsProblem(message, { cause: error });
  }
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}
