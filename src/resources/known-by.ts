import type { CertificateIdentity } from '../model/certificate-identity.ts';
import type { Material } from '../model/material.ts';
import { declareTime } from './declared.ts';

/** Digits of a SHA-256 that people need to tell one from others. */
const SHORT_HEX = 16;

/**
 * What a credential without an App Key of its own is known by, for people, as a noun with its article:
 * `the claims azp=acme-batch of the issuer partner-idp`. Null for a credential that has an App Key.
 */
export function describeKnownBy(material: Material<unknown>): string | null {
  switch (material.kind) {
    case 'app-key':
    case 'shared-secret':
    case 'public-key':
      return null;
    case 'token-claims':
      return `the claims ${claimsText(material.claims)} of the issuer ${material.issuerId}`;
    case 'certificate':
      return `the ${identityText(material.identity)}`;
  }
}

/**
 * That a credential works no longer, and yet keeps what it is known by, in words that follow "the credential "a" is
 * known by …"; empty for one that works. What was revoked comes back only where somebody says so.
 */
export function stoppedText(
  { state, expiresAt }: { readonly state: unknown; readonly expiresAt: number | null },
  nowSeconds: number,
): string {
  const hasEnded = expiresAt !== null && expiresAt <= nowSeconds;
  if (state !== 'revoked' && !hasEnded) return '';
  const why = state === 'revoked' ? 'is revoked' : 'has ended';
  return `; it ${why}, and keeps that: "postern apply" brings it back with --revive, or deletes it with --prune`;
}

/** The same in the cell of a table: `azp=acme-batch (partner-idp)`, `spiffe://partner.example/batch`. */
export function shortKnownBy(material: Material<unknown>): string | null {
  switch (material.kind) {
    case 'app-key':
    case 'shared-secret':
    case 'public-key':
      return null;
    case 'token-claims':
      return `${claimsText(material.claims)} (${material.issuerId})`;
    case 'certificate': {
      const { identity } = material;
      return 'name' in identity ? identity.name : `${identity.by} ${identity.sha256.slice(0, SHORT_HEX)}…`;
    }
  }
}

/** `azp=acme-batch, tid=7`; a value with other than letters, digits and a few signs is quoted. */
export function claimsText(claims: Readonly<Record<string, string>>): string {
  const quoted = (text: string): string => (/^[\w.:/@-]+$/.test(text) ? text : JSON.stringify(text));
  return Object.entries(claims)
    .map(([name, value]) => `${quoted(name)}=${quoted(value)}`)
    .join(', ');
}

function identityText(identity: CertificateIdentity): string {
  switch (identity.by) {
    case 'certificate':
      return `certificate with the SHA-256 ${identity.sha256.slice(0, SHORT_HEX)}…`;
    case 'public-key':
      return `public key with the SHA-256 ${identity.sha256.slice(0, SHORT_HEX)}… of a certificate`;
    case 'uri':
      return `certificate with the URI ${identity.name}`;
    case 'dns':
      return `certificate with the DNS name ${identity.name}`;
  }
}

/** What a credential without an App Key is known by, field by field, for people; none for one that has an App Key. */
export function knownByFields(material: Material): readonly (readonly [name: string, value: string])[] {
  switch (material.kind) {
    case 'app-key':
    case 'shared-secret':
    case 'public-key':
      return [];
    case 'token-claims':
      return [
        ['issuer', material.issuerId],
        ['claims', claimsText(material.claims)],
      ];
    case 'certificate':
      return certificateFields(material.identity);
  }
}

function certificateFields(identity: CertificateIdentity): readonly (readonly [name: string, value: string])[] {
  switch (identity.by) {
    case 'certificate':
      return [
        ['certificate', `SHA-256 ${identity.sha256}`],
        ...(identity.notAfter === null ? [] : [['it ends', declareTime(identity.notAfter)] as const]),
      ];
    case 'public-key':
      return [['public key', `SHA-256 ${identity.sha256}`]];
    case 'uri':
    case 'dns':
      return [
        [identity.by === 'uri' ? 'URI' : 'DNS name', identity.name],
        ...identity.authorities.map(
          ({ sha256, notAfter }) => ['issued by', `SHA-256 ${sha256}, ends ${declareTime(notAfter)}`] as const,
        ),
      ];
  }
}
