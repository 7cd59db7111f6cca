import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { renderComposition } from '../../support/kubernetes/compose-kustomization.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { findManifestFaults, secretsByHand } from '../../support/kubernetes/find-manifest-faults.ts';
import { renderKustomization } from '../../support/kubernetes/render-kustomization.ts';

const compileTimeoutMs = 60_000;

/** Fields of Envoy Gateway 1.9 that the package with its schemas does not know yet; its own translator takes them. */
const newer = [/"requestHeadersReceivedTimeout"' does not exist/, /"connectionKeepalive"' does not exist/];

describe('the overlays for gateways', () => {
  it('have no fault that can be found without a cluster: Istio', async () => {
    const manifests = await renderKustomization('overlays/istio');
    assert.deepEqual(await findManifestFaults(manifests, { external: secretsByHand }), []);
  }).timeout(compileTimeoutMs);

  it('have no fault that can be found without a cluster: Envoy Gateway', async () => {
    const manifests = await renderKustomization('overlays/envoy-gateway');
    const faults = await findManifestFaults(manifests, { external: secretsByHand });
    assert.deepEqual(
      faults.filter((fault) => !newer.some((pattern) => pattern.test(fault))),
      [],
    );
  }).timeout(compileTimeoutMs);

  it('have none with mutual TLS for partners, which asks for certificates at every listener of theirs', async () => {
    for (const product of ['istio', 'envoy-gateway']) {
      const manifests = await renderComposition({
        resources: [`overlays/${product}`],
        components: [`components/mutual-tls-${product}`],
      });
      const faults = await findManifestFaults(manifests, { external: secretsByHand });
      assert.deepEqual(
        faults.filter((fault) => !newer.some((pattern) => pattern.test(fault))),
        [],
      );
      assert.match(JSON.stringify(manifests), /"OPTIONAL_MUTUAL"|"clientValidation":\{/);
      assert.match(JSON.stringify(manifests), /include_peer_certificate/);
    }
  }).timeout(compileTimeoutMs);

  it('are checked: a field that does not exist is found', async () => {
    const manifests = await renderKustomization('overlays/istio');
    const [policy] = manifests.filter((each) => each['kind'] === 'AuthorizationPolicy');
    assert.ok(policy !== undefined);
    const spec = { ...(policy['spec'] as object), providers: { name: 'postern' } };
    const changed = manifests.map((each) => (each === policy ? { ...policy, spec } : each));
    assert.match(
      (await findManifestFaults(changed, { external: secretsByHand })).join('\n'),
      /"providers"' does not exist/,
    );
  }).timeout(compileTimeoutMs);
});

interface Written {
  readonly resources: readonly string[];
  readonly components?: readonly string[];
}

for (const page of ['docs/istio.md', 'docs/envoy-gateway.md']) {
  describe(`the kustomizations in ${page}`, () => {
    const shown = readFences(readDocument(page), 'yaml').filter((text) => text.includes('kind: Kustomization'));
    for (const [index, text] of shown.entries()) {
      it(`can be built, and have no fault: number ${String(index + 1)}`, async () => {
        const { resources, components = [], ...rest } = parse(text) as Written;
        const below = (paths: readonly string[]): string[] => paths.map((path) => path.replace('.//', ''));
        const more = Object.entries(rest)
          .filter(([name]) => !['apiVersion', 'kind'].includes(name))
          .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
          .join('\n');
        const manifests = await renderComposition({ resources: below(resources), components: below(components), more });
        const faults = await findManifestFaults(manifests, { external: secretsByHand });
        assert.deepEqual(
          faults.filter((fault) => !newer.some((pattern) => pattern.test(fault))),
          [],
        );
        // The patches of the page change something.
        if (more !== '') assert.match(JSON.stringify(manifests), /orders/);
      }).timeout(compileTimeoutMs);
    }
  });
}
