import assert from 'node:assert/strict';
import { type Attachment } from '../../../support/attachments/attachment.ts';
import { startChain } from '../../../support/stack/chain.ts';
import { at, type JsonObject, removeFilter } from '../../../support/envoy/envoy-config.ts';
import { runCli } from '../../../unit/cli/run-cli.ts';

/** What `postern doctor` says of a running Envoy. */
export function doctorCases(attachment: Attachment): void {
  const isEnvoyYaml = attachment.title === 'envoy.yaml';

  // Tests write addresses into the clusters that a control plane sends them for, which then count as made by hand: doctor
  // wants more of those. What it says of the clusters as they are sent: test/unit/cli/doctor/control-planes.test.ts.
  const isOfTest = (line: string): boolean => !isEnvoyYaml && /^! cluster .* is missing or/.test(line);

  async function examine(edit?: (config: JsonObject) => void): Promise<readonly string[]> {
    await using chain = await startChain({ attachment, ...(edit === undefined ? {} : { edit }) });
    const url = `http://127.0.0.1:${String(chain.envoy.adminPort)}`;
    const { out } = await runCli(['doctor', '--envoy', url], { POSTERN_STORE: 'file:examples/demo/postern.yaml' });
    return out
      .split('\n')
      .filter((line) => /^. (listener|cluster|Envoy)/.test(line))
      .filter((line) => !isOfTest(line));
  }

  describe('postern doctor', () => {
    it('finds nothing wrong with the running Envoy', async () => {
      const name = at(attachment.config(), 'static_resources', 'listeners', 0, 'name');
      assert.ok(typeof name === 'string');
      const fine = `✓ listener ${name}: asks Postern about every request, and lets nothing pass that was not decided`;
      assert.deepEqual(await examine(), isEnvoyYaml ? [fine] : []);
    });

    it('finds that the guard is missing', async () => {
      const found = await examine((config) => {
        removeFilter(config, attachment.filters.guard);
      });
      assert.match(found.join('\n'), /^✗ listener .*: filter chain: there is no guard after ext_authz/);
    });
  });
}
