import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { codeOf } from '../../base/files/fingerprint.ts';
import { readCertificates, TlsProblem, validityOf } from './certificates.ts';
import { secureContextOptions } from './secure-context.ts';

/** A file of PEM texts, and the setting that names it. */
export interface PemFile {
  readonly setting: string;
  readonly path: string;
}

/** The files of one side of TLS: its own certificate with its key (both or none), and whose certificates it takes. */
export interface TlsFiles {
  readonly certificate: PemFile | null;
  readonly key: PemFile | null;
  readonly ca: PemFile | null;
}

/** {@link validityOf} the certificates of a file. */
export interface Validity {
  readonly file: PemFile;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** What {@link TlsFiles} held at one moment: it can be read, and fits together. */
export interface TlsMaterial {
  readonly certificate: Buffer | null;
  readonly key: Buffer | null;
  readonly ca: Buffer | null;
  readonly validity: readonly Validity[];
}

/** Reads the files. Rejects with {@link TlsProblem} when one cannot be read, or they do not fit together. */
export async function readTlsFiles(files: TlsFiles): Promise<TlsMaterial> {
  const [certificate, key, ca] = await Promise.all([files.certificate, files.key, files.ca].map(readPem));
  const material = { certificate: certificate ?? null, key: key ?? null, ca: ca ?? null };
  const validity = [
    ...(files.certificate === null || material.certificate === null
      ? []
      : [checkOwn(files.certificate, material.certificate, files.key, material.key)]),
    ...(files.ca === null || material.ca === null
      ? []
      : [{ file: files.ca, ...validityOf(about(files.ca, readCertificates, material.ca)) }]),
  ];
  const [first] = validity;
  if (first !== undefined) {
    about(first.file, () => createSecureContext(secureContextOptions(material)));
  }
  return { ...material, validity };
}

/** Why the own certificates are not valid now; null when they are. Authorities do not count: peers show theirs. */
export function findUntimely({ validity }: TlsMaterial, { certificate }: TlsFiles, nowMs: number): string | null {
  const own = validity.find(({ file }) => file === certificate);
  if (own === undefined) return null;
  const { setting, path } = own.file;
  if (own.notAfterMs <= nowMs) return `${setting}: ${path} expired at ${isoTime(own.notAfterMs)}`;
  if (own.notBeforeMs > nowMs) return `${setting}: ${path} is valid only from ${isoTime(own.notBeforeMs)} on`;
  return null;
}

/** `2026-11-21T08:00:00Z` */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function checkOwn(file: PemFile, pem: Buffer, keyFile: PemFile | null, keyPem: Buffer | null): Validity {
  const chain = about(file, readCertificates, pem);
  if (keyFile === null || keyPem === null) throw new TlsProblem(`${file.setting}: ${file.path} needs a private key`);
  const key = about(keyFile, readKey, keyPem);
  if (chain[0]?.checkPrivateKey(key) !== true) {
    throw new TlsProblem(
      `${keyFile.setting}: ${keyFile.path} is not the key of the first certificate in ${file.path}; both must come from the same issue, with the certificate itself before those of its authorities`,
    );
  }
  return { file, ...validityOf(chain) };
}

function readKey(pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new TlsProblem('holds no private key in PEM that can be read without a passphrase', { cause: error });
  }
}

async function readPem(file: PemFile | null): Promise<Buffer | null> {
  if (file === null) return null;
  try {
    return await readFile(file.path);
  } catch (error) {
    throw new TlsProblem(`${file.setting}: ${file.path} cannot be read (${codeOf(error)})`, { cause: error });
  }
}

/** Does something with the text of a file; what is wrong is reported with setting and path. */
function about<T, A extends readonly unknown[]>({ setting, path }: PemFile, act: (...args: A) => T, ...args: A): T {
  try {
    return act(...args);
  } catch (error) {
    const reason = error instanceof TlsProblem ? error.message : `is not accepted by OpenSSL (${codeOf(error)})`;
    throw new TlsProblem(`${setting}: ${path} ${reason}`, { cause: error });
  }
}
