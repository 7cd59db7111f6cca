import { X509Certificate } from 'node:crypto';
import { fault, type Finding, warning } from '../../../base/finding.ts';
import { count } from '../../../base/text/printable.ts';
import type { CertificateAuthority } from '../../../model/certificate-identity.ts';
import { validityOf } from '../../../wire/tls/certificates.ts';
import type { PosternChain } from './filter-chain.ts';
import { asksForCertificates } from './certificate-rules.ts';
import { type ReadFile, trustedAuthorities } from './trusted-authorities.ts';

/** A credential that is known by a name in certificates of these authorities. */
export interface NamingCredential {
  readonly id: string;
  readonly authorities: readonly CertificateAuthority[];
}

/** What is known of credentials, beside Envoy's configuration. */
export interface KnownCertificates {
  readonly credentials: readonly NamingCredential[];
  readonly nowSeconds: number;
  readonly readFile: ReadFile;
}

const SUBJECT = 'client certificates';

/**
 * Whether Envoy lets certificates through that credentials wait for: the chain of an authority that a credential names
 * has to lead to one that a listener trusts. Nothing is said where a listener's authorities are not known.
 */
export function inspectCertificateChains(
  { config }: PosternChain,
  { credentials, nowSeconds, readFile }: KnownCertificates,
): readonly Finding[] {
  const asking = config.managers.filter(asksForCertificates);
  const trusted = asking.map((manager) => trustedAuthorities(manager, config, readFile));
  if (asking.length === 0 || trusted.includes(null)) return [];
  const all = trusted.flatMap((list) => list ?? []);
  const live = all.filter((each) => isLive(each, nowSeconds));
  if (live.length === 0) {
    const message = 'every authority that Envoy trusts has expired: it refuses every certificate';
    return [fault(SUBJECT, message, 'put the current ones into trusted_ca')];
  }
  const chains = new Chains(live, credentials, nowSeconds);
  const verdicts = credentials.map(({ id, authorities }) => ({ id, verdict: chains.judge(authorities) }));
  const idsOf = (wanted: Verdict): readonly string[] =>
    verdicts.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return [...refused(idsOf('refused')), ...uncertain(idsOf('uncertain'))];
}

function refused(ids: readonly string[]): readonly Finding[] {
  if (ids.length === 0) return [];
  const message = `the chain of no authority of ${named(ids)} leads to trusted_ca: Envoy refuses these certificates`;
  return [fault(SUBJECT, message, 'put their root into trusted_ca, or correct the authority of the credential')];
}

function uncertain(ids: readonly string[]): readonly Finding[] {
  if (ids.length === 0) return [];
  const message = `who issued the authority of ${named(ids)} is not known: Envoy refuses partners that do not send the chain up to trusted_ca`;
  return [warning(SUBJECT, message, 'put the authority, or what issued it, into trusted_ca')];
}

function named(ids: readonly string[]): string {
  const [first = '', ...others] = ids;
  return others.length === 0 ? `credential ${first}` : `credential ${first} and ${count(others.length, 'other')}`;
}

type Verdict = 'leads' | 'refused' | 'uncertain';

/** Judges chains by what Envoy trusts, and by authorities of credentials, which partners can send along. */
class Chains {
  readonly #trusted: ReadonlySet<string>;
  /** What is valid now, by its subject. */
  readonly #pool = new Map<string, X509Certificate[]>();
  readonly #verdicts = new Map<string, Verdict>();
  readonly #nowSeconds: number;

  constructor(trusted: readonly X509Certificate[], credentials: readonly NamingCredential[], nowSeconds: number) {
    this.#nowSeconds = nowSeconds;
    this.#trusted = new Set(trusted.map(({ fingerprint256 }) => fingerprint256));
    const pems = new Set(credentials.flatMap(({ authorities }) => authorities.map(({ pem }) => pem)));
    for (const each of [...trusted, ...[...pems].map((pem) => new X509Certificate(pem))]) {
      if (!isLive(each, nowSeconds)) continue;
      this.#pool.set(each.subject, [...(this.#pool.get(each.subject) ?? []), each]);
    }
  }

  /** The best that one of these authorities comes to. */
  judge(authorities: readonly CertificateAuthority[]): Verdict {
    const verdicts = authorities.map(({ pem }) => this.#verdictOf(new X509Certificate(pem)));
    return (['leads', 'uncertain'] as const).find((each) => verdicts.includes(each)) ?? 'refused';
  }

  #verdictOf(authority: X509Certificate): Verdict {
    const known = this.#verdicts.get(authority.fingerprint256);
    if (known !== undefined) return known;
    const verdict = isLive(authority, this.#nowSeconds) ? this.#follow(authority) : 'refused';
    this.#verdicts.set(authority.fingerprint256, verdict);
    return verdict;
  }

  /** Looks at everything above a certificate, each once. */
  #follow(start: X509Certificate): Verdict {
    const seen = new Map([[start.fingerprint256, start]]);
    let verdict: Verdict = 'refused';
    for (const each of seen.values()) {
      if (this.#trusted.has(each.fingerprint256)) return 'leads';
      const namesakes = this.#pool.get(each.issuer) ?? [];
      const issuers = namesakes.filter((other) => isIssuedBy(each, other));
      for (const issuer of issuers) seen.set(issuer.fingerprint256, issuer);
      if (issuers.length === 0 && !this.#isForged(each, namesakes)) verdict = 'uncertain';
    }
    return verdict;
  }

  /** Whether something that Envoy trusts has the name and key identifier of its issuer, and did not sign it. */
  #isForged(certificate: X509Certificate, namesakes: readonly X509Certificate[]): boolean {
    return namesakes.some((each) => this.#trusted.has(each.fingerprint256) && certificate.checkIssued(each));
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // OpenSSL could not even try: keys of another kind than the signature.
    return false;
  }
}

function isLive(certificate: X509Certificate, nowSeconds: number): boolean {
  const { notBeforeMs, notAfterMs } = validityOf([certificate]);
  return notBeforeMs <= nowSeconds * 1000 && nowSeconds * 1000 <= notAfterMs;
}
