import assert from 'node:assert/strict';
import { inspectEnvoy } from '../../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../../../src/cli/doctor/own-limits.ts';
import type { Endpoint } from '../../../../../src/model/endpoint.ts';
import { dumpOf } from '../../../../support/envoy/config-dump.ts';
import {
  filterSettings,
  type JsonObject,
  listAt,
  objectAt,
  readEnvoyConfig,
} from '../../../../support/envoy/envoy-config.ts';
import { keyEndpoint, partnerEndpoint } from '../../../../support/pipeline/resources.ts';

const TLS = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
const trusting = { validation_context: { trusted_ca: { filename: '/ca.crt' } } };

/** What doctor says of envoy.yaml with such a TLS context; null for none. */
function examine(
  tls: JsonObject | null,
  edit: (config: JsonObject) => void = () => undefined,
  endpoints: readonly Endpoint[] = [partnerEndpoint('certificate', { id: 'batch' }), keyEndpoint()],
): readonly string[] {
  const config = readEnvoyConfig();
  if (tls !== null) {
    const chain = objectAt(listAt(config, 'static_resources', 'listeners'), 0, 'filter_chains', 0);
    chain['transport_socket'] = { name: 'tls', typed_config: { '@type': TLS, ...tls } };
  }
  edit(config);
  const findings = inspectEnvoy(dumpOf(config), { own: unknownLimits, live: null, endpoints });
  return findings
    .filter(({ subject }) => subject.endsWith(': client certificates'))
    .map(({ level, message }) => `${level}: ${message}`);
}

const required = (context: JsonObject): JsonObject => ({
  require_client_certificate: true,
  common_tls_context: context,
});

describe('doctor on certificates of callers', () => {
  it('says nothing where no endpoint takes them, and where they are required and verified', () => {
    assert.deepEqual(examine(null, undefined, [keyEndpoint()]), []);
    assert.deepEqual(examine(null, undefined, [partnerEndpoint('certificate', { enabled: false })]), []);
    assert.deepEqual(examine(required(trusting)), []);
    const bySds = { sds_config: { ads: {} }, name: 'ca' };
    assert.deepEqual(examine(required({ validation_context_sds_secret_config: bySds })), []);
    const combined = { default_validation_context: {}, validation_context_sds_secret_config: bySds };
    assert.deepEqual(examine(required({ combined_validation_context: combined })), []);
  });

  it('says that they are not required where they are only asked for', () => {
    assert.deepEqual(examine({ common_tls_context: trusting }), [
      'ok: are asked for, and not required: Postern refuses callers without one where it needs it',
    ]);
  });

  it('finds that nobody is asked for one', () => {
    const fault = ['fault: no listener asks callers for a certificate: endpoint batch refuses every request'];
    assert.deepEqual(examine(null), fault);
    assert.deepEqual(examine({ common_tls_context: { tls_certificates: [] } }), fault);
  });

  it('finds that Postern does not get them', () => {
    const off = (config: JsonObject): void => {
      delete filterSettings(config, 'envoy.filters.http.ext_authz')['include_peer_certificate'];
    };
    assert.deepEqual(examine(required(trusting), off), [
      'fault: include_peer_certificate of ext_authz is off: endpoint batch refuses every request',
    ]);
  });

  it('finds that Envoy does not verify them', () => {
    const fault = ['fault: Envoy takes certificates that no authority issued: anyone can make one with any name in it'];
    const untrusted = { ...trusting.validation_context, trust_chain_verification: 'ACCEPT_UNTRUSTED' };
    assert.deepEqual(examine(required({ validation_context: untrusted })), fault);
    assert.deepEqual(
      examine(required({ combined_validation_context: { default_validation_context: untrusted } })),
      fault,
    );
    assert.deepEqual(examine(required({})), fault);
    assert.deepEqual(examine(required({ validation_context: { match_typed_subject_alt_names: [] } })), fault);
  });
});
