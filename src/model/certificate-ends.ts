import type { Material } from './material.ts';

/**
 * When the certificates that a credential stands on end, in seconds since the epoch: its own, or those of its
 * authorities. Empty where none is known.
 */
export function certificateEndsOf(material: Material<unknown>): readonly number[] {
  if (material.kind !== 'certificate') return [];
  const { identity } = material;
  switch (identity.by) {
    case 'certificate':
      return identity.notAfter === null ? [] : [identity.notAfter];
    case 'public-key':
      return [];
    case 'uri':
    case 'dns':
      return identity.authorities.map(({ notAfter }) => notAfter);
  }
}

/** When the first of them ends; null where none is known. */
export function firstCertificateEndOf(material: Material<unknown>): number | null {
  const ends = certificateEndsOf(material);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Whether all of them have ended, so that no certificate of the credential is taken any more. */
export function hasCertificateEnded(material: Material<unknown>, nowSeconds: number): boolean {
  const ends = certificateEndsOf(material);
  return ends.length > 0 && ends.every((end) => end < nowSeconds);
}
