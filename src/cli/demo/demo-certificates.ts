import { type Certified, makeCertificate } from './make-certificate.ts';

/** The name in the certificate of the demo's partner, by which Postern knows it. */
export const WAREHOUSE_NAME = 'spiffe://cumulus.example/warehouse';

/** The host name in the certificate of Envoy. */
export const SERVER_NAME = 'localhost';

/** The certificates of one run. */
export interface DemoCertificates {
  /** Signs the others. */
  readonly authority: Certified;
  /** Envoy's. */
  readonly server: Certified;
  readonly partner: Certified;
  /** Of the same authority, with a name that no credential has. */
  readonly stranger: Certified;
}

/** Makes the certificates of one run. Their keys are gone with the process. */
export function makeDemoCertificates(): DemoCertificates {
  const authority = makeCertificate('authority of the demo', undefined, { names: null });
  const made = (name: string, names: readonly string[]): Certified => makeCertificate(name, authority, { names });
  return {
    authority,
    server: made('Envoy of the demo', [SERVER_NAME]),
    partner: made('warehouse of Cumulus', [WAREHOUSE_NAME]),
    stranger: made('somebody else', ['spiffe://stratus.example/warehouse']),
  };
}
