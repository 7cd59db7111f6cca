// `npm run test:envoy-versions`: what depends on Envoy alone, on every release that envoy.yaml is said to work with.
import { envoyVersions, InstallFailure, installServices } from '../services/install-services.mjs';
import { isInterrupted } from './testing/child.mjs';
import { countsText, printNote, printStep, sumCounts } from './testing/report.mjs';
import { runFiles } from './testing/run-files.mjs';
import { findTestFiles, servicesFor } from './testing/suites.mjs';

const results = [];
const files = Object.values(await findTestFiles())
  .flat()
  .filter((file) =>
    /^test\/(e2e\/((chain|istio|envoy-gateway)\/|ratelimit\/envoy-filter\.|observability\/sampling\.)|integration\/envoy-config\/)/.test(
      file,
    ),
  );
const others = [...new Set(files.flatMap(servicesFor))].filter((service) => service !== 'envoy');

for (const version of envoyVersions) {
  if (isInterrupted()) break;
  const name = `Envoy ${version}`;
  try {
    await installServices([`envoy@${version}`, ...others]);
  } catch (error) {
    if (!(error instanceof InstallFailure)) throw error;
    printStep(name, { isGood: false, text: 'cannot be had', seconds: 0, output: error.message });
    results.push({ passed: 0, failed: 1, skipped: 0 });
    continue;
  }
  const start = performance.now();
  const counts = await runFiles(files, { ENVOY_VERSION: version });
  const seconds = (performance.now() - start) / 1000;
  printStep(name, { isGood: counts.failed === 0, text: countsText(counts), seconds, output: counts.output });
  results.push(counts);
}

const sum = sumCounts(results);
printNote(countsText(sum));
if (sum.failed > 0) process.exitCode = 1;
