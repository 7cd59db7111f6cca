import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { findManifestFaults, secretsByHand } from '../../support/kubernetes/find-manifest-faults.ts';
import { find, getManifest, listOf, type Manifest, textOf } from '../../support/kubernetes/manifest.ts';
import { renderKustomization } from '../../support/kubernetes/render-kustomization.ts';
import { memoryCli } from '../../unit/cli/nouns/memory-cli.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const example = fileURLToPath(new URL('../../../examples/gitops', import.meta.url));
const document = `${example}/payments.yaml`;
const appSecrets = { kind: 'Secret', name: 'payments-app-secrets', keys: ['acme'] } as const;
const environment = { ACME_SECRET: 'an-app-secret-of-more-than-32-letters' };

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

/** What follows "postern" in the lines of a job of the pipeline, as arguments. */
function commandsOf(job: string): readonly (readonly string[])[] {
  const { jobs } = parse(readFileSync(`${example}/pipeline.yaml`, 'utf8')) as Workflow;
  const lines = (jobs[job]?.steps ?? []).flatMap(({ run = '' }) => run.split('\n'));
  return lines.flatMap((line) => {
    const [, command] = /^postern (.*?)(?: > .*)?$/.exec(line) ?? [];
    return command === undefined ? [] : [command.replace('payments.yaml', document).replaceAll('"', '').split(' ')];
  });
}

describe('examples/gitops', () => {
  it('has a Job that reads what the kustomization, and people, make', async () => {
    const manifests = await renderKustomization(example);
    const namespace: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'postern' } };
    const faults = await findManifestFaults([namespace, ...manifests], { external: [...secretsByHand, appSecrets] });
    assert.deepEqual(faults, []);
  }).timeout(30_000);

  it('applies the document by the arguments of the Job, and once more without a change', async () => {
    const job = getManifest(await renderKustomization(example), 'Job', 'payments-apply');
    const container = find(job, 'spec', 'template', 'spec', 'containers', 0);
    const [main, ...args] = listOf(container, 'args').map(String);
    assert.equal(main, 'dist/main.js');
    assert.deepEqual(
      listOf(container, 'env').flatMap((variable) => {
        const name = textOf(variable, 'name') ?? '';
        return name.startsWith('POSTERN_') ? [] : [name];
      }),
      Object.keys(environment),
    );
    const cli = await memoryCli();
    const here = args.map((arg) => arg.replace('/etc/payments/payments.yaml', document));
    const first = await cli.run(here, { environment });
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /acme-hmac/);
    assert.match((await cli.run(here, { environment })).out, /^Nothing to change/);
  });

  it('checks a change without secrets, shows it, and applies it', async () => {
    const cli = await memoryCli();
    const [validate = [], diff = []] = commandsOf('show');
    assert.equal((await runCli(validate)).code, 0);
    const shown = await cli.run(diff, { environment });
    assert.equal(shown.code, 1, shown.err);
    assert.match(shown.out, /acme/);
    assert.doesNotMatch(shown.out, new RegExp(environment.ACME_SECRET));
    const [apply = []] = commandsOf('apply');
    assert.equal((await cli.run(apply, { environment })).code, 0);
    assert.equal((await cli.run(diff, { environment })).code, 0);
  });
});
