import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '../../support/process/child-process.ts';
import { envoyProgram } from '../../support/envoy/envoy.ts';
import { at, httpFilters, readEnvoyConfig } from '../../support/envoy/envoy-config.ts';
import { attachRateLimitFilter } from '../../support/envoy/rate-limit-filter.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

describe("envoy.yaml with Envoy's own rate limit filter", () => {
  it('is accepted by Envoy, and uses no setting that Envoy deprecated', async () => {
    await using folder = await temporaryDirectory();
    const config = readEnvoyConfig();
    attachRateLimitFilter(config);
    const path = join(folder.path, 'envoy.json');
    await writeFile(path, JSON.stringify(config));
    await using envoy = await startChild({
      command: await envoyProgram(),
      args: ['--mode', 'validate', '--config-path', path, '--log-level', 'warning'],
    });
    const { code } = await envoy.ended;
    assert.equal(code, 0, envoy.stderr());
    assert.doesNotMatch(envoy.stderr(), /deprecat/i);
  });

  it('counts last: what Postern refuses and what the guard stops uses up nothing', () => {
    const config = readEnvoyConfig();
    attachRateLimitFilter(config);
    assert.deepEqual(
      httpFilters(config).map((filter) => at(filter, 'name')),
      [
        'envoy.filters.http.buffer',
        'envoy.filters.http.ext_authz',
        'postern.unwrap',
        'postern.no-route',
        'postern.guard',
        'envoy.filters.http.ratelimit',
        'envoy.filters.http.router',
      ],
    );
  });
});
