import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { findOthersAccess } from '../../base/files/read-whole-file.ts';
import { DAY_MS, EXPIRY_WARNING_DAYS, readCertificates, TlsProblem, validityOf } from './certificates.ts';
import { isoTime, type PemFile, readTlsFiles, type TlsFiles, type TlsMaterial } from './tls-files.ts';
import { fault, fine, type Finding, findingsAbout, warning } from '../../base/finding.ts';
import { count } from '../../base/text/printable.ts';

/** A list of authorities this long is that of a public trust store. */
const PUBLIC_AUTHORITIES = 20;
const READABLE_BY_OTHERS = 0o004;

/** What looking at TLS files found, and what they hold; null when they cannot be used. */
export interface CheckedTlsFiles {
  readonly findings: readonly Finding[];
  readonly material: TlsMaterial | null;
}

/**
 * Checks TLS files as Postern would read them: whether they fit together, until when they are valid, for whom, and who
 * else can read the key. `isServer` also asks for what clients want of a server's certificate.
 */
export async function checkTlsFiles(
  files: TlsFiles,
  { clock, isServer }: { readonly clock: Clock; readonly isServer: boolean },
): Promise<CheckedTlsFiles> {
  let material: TlsMaterial;
  try {
    material = await readTlsFiles(files);
  } catch (error) {
    if (!(error instanceof TlsProblem)) throw error;
    return { findings: [fault('TLS files', error.message, 'fix the files, or correct the settings')], material: null };
  }
  const findings: Finding[] = [];
  const nowMs = clock.nowSeconds() * 1000;
  if (files.certificate !== null && material.certificate !== null) {
    findings.push(...checkOwn(files.certificate, readCertificates(material.certificate), { nowMs, isServer }));
  }
  if (files.key !== null) findings.push(...(await checkPermissions(files.key)));
  if (files.ca !== null && material.ca !== null) {
    findings.push(...checkAuthorities(files.ca, readCertificates(material.ca), { nowMs, isServer }));
  }
  return { findings, material };
}

interface Circumstances {
  readonly nowMs: number;
  readonly isServer: boolean;
}

function checkOwn(file: PemFile, chain: readonly X509Certificate[], { nowMs, isServer }: Circumstances): Finding[] {
  const found = findingsAbout(subjectOf(file));
  found.all.push(checkTime(subjectOf(file), chain, nowMs));
  found.warnIf(isServer && chain[0]?.subjectAltName === undefined, {
    message: 'has no subject alternative name: a client that compares names, as Envoy should, never accepts it',
    advice: 'issue it with the DNS name by which Envoy calls Postern, such as postern.postern.svc',
  });
  return found.all;
}

function checkAuthorities(
  file: PemFile,
  authorities: readonly X509Certificate[],
  { nowMs, isServer }: Circumstances,
): Finding[] {
  const found = findingsAbout(subjectOf(file));
  const live = authorities.filter((each) => validityOf([each]).notAfterMs > nowMs);
  const expired = authorities.length - live.length;
  found.faultIf(live.length === 0, {
    message: 'every authority in it has expired: no certificate is trusted',
    advice: 'put the current one there',
  });
  found.warnIf(live.length > 0 && expired > 0, {
    message: `${String(expired)} of ${String(authorities.length)} authorities in it have expired`,
    advice: 'remove those',
  });
  if (live.length > 0) found.all.push(checkTime(subjectOf(file), live, nowMs));
  const leaves = authorities.filter(({ ca }) => !ca);
  found.warnIf(leaves.length > 0, {
    message: `${String(leaves.length)} of ${String(authorities.length)} certificates in it are no authority (CA:FALSE) and vouch for no other certificate`,
    advice: 'put the certificate of their authority there',
  });
  found.warnIf(isServer && authorities.length > PUBLIC_AUTHORITIES, {
    message: `trusts ${String(authorities.length)} authorities: anyone with a certificate of any of them may ask Postern about App Keys`,
    advice: 'use an authority of your own that signs for Envoy only',
  });
  return found.all;
}

function checkTime(subject: string, certificates: readonly X509Certificate[], nowMs: number): Finding {
  const { notBeforeMs: beginMs, notAfterMs: endMs } = validityOf(certificates);
  if (beginMs > nowMs) {
    const message = `is valid only from ${isoTime(beginMs)} on`;
    return fault(subject, message, 'compare the clocks, or wait with it');
  }
  if (endMs <= nowMs) return fault(subject, `expired at ${isoTime(endMs)}`, 'renew it; no restart is needed');
  const days = Math.floor((endMs - nowMs) / DAY_MS);
  if (days < EXPIRY_WARNING_DAYS) {
    const message = `expires at ${isoTime(endMs)}, in ${count(days, 'day')}`;
    return warning(subject, message, 'renew it; no restart is needed');
  }
  return fine(subject, `is valid until ${isoTime(endMs)}`);
}

async function checkPermissions(key: PemFile): Promise<readonly Finding[]> {
  const mode = await findOthersAccess(key.path, READABLE_BY_OTHERS);
  if (mode === null) return [];
  return [
    warning(
      subjectOf(key),
      `can be read by every user of this machine (mode ${mode})`,
      'chmod 0640, or in Kubernetes defaultMode: 0440 with an fsGroup',
    ),
  ];
}

function subjectOf({ setting, path }: PemFile): string {
  return `${setting} ${path}`;
}
