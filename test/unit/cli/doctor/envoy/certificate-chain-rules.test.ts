import assert from 'node:assert/strict';
import { inspectEnvoy } from '../../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../../../src/cli/doctor/own-limits.ts';
import { authorityOf } from '../../../../support/certificate/certificate-credential.ts';
import { dumpOf } from '../../../../support/envoy/config-dump.ts';
import {
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  readEnvoyConfig,
} from '../../../../support/envoy/envoy-config.ts';
import { type Certified, makeCertificate } from '../../../../support/grpc/certificate.ts';
import { partnerEndpoint } from '../../../../support/pipeline/resources.ts';

const TLS = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
const NOW = Date.UTC(2026, 10, 30) / 1000;

const root = makeCertificate('root');
const intermediate = makeCertificate('intermediate', root, { isAuthority: true });
const lowest = makeCertificate('lowest', intermediate, { isAuthority: true });
const stranger = makeCertificate('stranger');
const expired = makeCertificate('expired', undefined, { notAfter: new Date('2026-01-01T00:00:00Z') });
/** Issued by an authority with the name of the root, which is another one. */
const forged = makeCertificate('forged', makeCertificate('root'), { isAuthority: true });

interface Given {
  readonly trusted: JsonObject;
  readonly credentials: Readonly<Record<string, readonly Certified[]>>;
  readonly secrets?: readonly Json[];
  readonly files?: Readonly<Record<string, string>>;
}

/** What doctor says of chains when Envoy verifies by this `common_tls_context`. */
function examine({ trusted, credentials, secrets = [], files = {} }: Given): readonly string[] {
  const config = readEnvoyConfig();
  const chain = objectAt(listAt(config, 'static_resources', 'listeners'), 0, 'filter_chains', 0);
  const typed = { '@type': TLS, require_client_certificate: true, common_tls_context: trusted };
  chain['transport_socket'] = { name: 'tls', typed_config: typed };
  const dump = dumpOf(config) as unknown as { configs: Json[] };
  dump.configs.push({ '@type': 'x.SecretsConfigDump', dynamic_active_secrets: [...secrets] });
  const naming = Object.entries(credentials).map(([id, list]) => ({ id, authorities: list.map(authorityOf) }));
  const findings = inspectEnvoy(dump, {
    own: unknownLimits,
    live: null,
    endpoints: [partnerEndpoint('certificate')],
    certificates: { credentials: naming, nowSeconds: NOW, readFile: (path) => files[path] ?? null },
  });
  return findings
    .filter(({ subject }) => subject === 'client certificates')
    .map(({ level, message }) => `${level}: ${message}`);
}

const inline = (...list: readonly Certified[]): JsonObject => ({
  validation_context: { trusted_ca: { inline_string: list.map(({ cert }) => cert).join('') } },
});
const refusal = (ids: string): readonly string[] => [
  `fault: the chain of no authority of ${ids} leads to trusted_ca: Envoy refuses these certificates`,
];

describe('doctor on chains of client certificates', () => {
  it('says nothing where every chain leads to an authority that Envoy trusts', () => {
    const credentials = { whole: [root], short: [intermediate], 'one-of-two': [stranger, root] };
    assert.deepEqual(examine({ trusted: inline(root), credentials }), []);
    // The partner of "lowest" can send the intermediate one, which another credential shows.
    assert.deepEqual(examine({ trusted: inline(root), credentials: { ...credentials, lowest: [lowest] } }), []);
    assert.deepEqual(examine({ trusted: inline(intermediate), credentials: { short: [intermediate] } }), []);
  });

  it('refuses a chain that does not verify', () => {
    assert.deepEqual(examine({ trusted: inline(root), credentials: { a: [stranger] } }), refusal('credential a'));
    assert.deepEqual(examine({ trusted: inline(root), credentials: { b: [forged] } }), refusal('credential b'));
    assert.deepEqual(
      examine({ trusted: inline(root, expired), credentials: { c: [expired], d: [stranger], e: [root] } }),
      refusal('credential c and 1 other'),
    );
    // What is issued below a trusted authority says nothing of those above it.
    assert.deepEqual(examine({ trusted: inline(intermediate), credentials: { f: [root] } }), refusal('credential f'));
  });

  it('warns where partners have to send the chain', () => {
    assert.deepEqual(examine({ trusted: inline(root), credentials: { g: [lowest] } }), [
      'warning: who issued the authority of credential g is not known: Envoy refuses partners that do not send the chain up to trusted_ca',
    ]);
  });

  it('finds that all that Envoy trusts has expired', () => {
    assert.deepEqual(examine({ trusted: inline(expired), credentials: { a: [root] } }), [
      'fault: every authority that Envoy trusts has expired: it refuses every certificate',
    ]);
  });

  it('reads them from a file, from bytes, and from what SDS sent', () => {
    const credentials = { a: [stranger] };
    const file = { validation_context: { trusted_ca: { filename: '/ca.crt' } } };
    assert.deepEqual(examine({ trusted: file, credentials, files: { '/ca.crt': root.cert } }), refusal('credential a'));
    assert.deepEqual(examine({ trusted: file, credentials, files: { '/ca.crt': stranger.cert } }), []);
    const trusted = { validation_context_sds_secret_config: { name: 'ca' } };
    const bytes = Buffer.from(root.cert).toString('base64');
    const secret = { name: 'ca', secret: { validation_context: { trusted_ca: { inline_bytes: bytes } } } };
    assert.deepEqual(examine({ trusted, credentials, secrets: [secret] }), refusal('credential a'));
  });

  it('says nothing where what Envoy trusts is not known', () => {
    const credentials = { a: [stranger] };
    for (const trusted of [
      { validation_context: { trusted_ca: { filename: '/elsewhere.crt' } } },
      { validation_context: { trusted_ca: { inline_string: 'no certificate' } } },
      { validation_context: { verify_certificate_hash: ['ab'] } },
      { validation_context_sds_secret_config: { name: 'ca' } },
      { combined_validation_context: { validation_context_sds_secret_config: { name: 'ca' } } },
    ]) {
      assert.deepEqual(examine({ trusted, credentials }), []);
    }
  });
});
