import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { makeDemoCertificates } from '../../../../src/cli/demo/demo-certificates.ts';
import { withMutualTlsListener } from '../../../../src/cli/demo/mutual-tls-listener.ts';
import { packageFiles } from '../../../../src/cli/programs/servers.ts';
import { type Json, listAt } from '../../../support/envoy/envoy-config.ts';
import { findDifferences } from '../../../support/kubernetes/find-differences.ts';

describe('the listener of the demo with mutual TLS', () => {
  const certificates = makeDemoCertificates();
  const text = readFileSync(packageFiles.envoyYaml, 'utf8');
  const made = JSON.parse(withMutualTlsListener(text, 10443, certificates)) as Json;

  it('is the listener of envoy.yaml with a name, a port and TLS of its own, and the only difference', () => {
    assert.deepEqual(findDifferences(parse(text) as Json, made), ['static_resources.listeners.1: added']);
    const [first = null, second = null] = listAt(made, 'static_resources', 'listeners');
    assert.deepEqual(findDifferences(first, second), [
      'name: "partners" → "partners-mutual-tls"',
      'address.socket_address.port_value: 10000 → 10443',
      'filter_chains.0.transport_socket: added',
    ]);
  });

  it('holds no key but that of Envoy', () => {
    const { server, authority, partner, stranger } = certificates;
    const holds = ({ key }: { readonly key: string }): boolean =>
      JSON.stringify(made).includes(JSON.stringify(key).slice(1, -1));
    assert.deepEqual([server, authority, partner, stranger].map(holds), [true, false, false, false]);
  });
});
