// `npm run test:mongodb-versions [-- LINE …]`: what depends on MongoDB alone, on every line that Postern supports.
import { installServices } from '../services/install-services.mjs';
import { isInterrupted } from './testing/child.mjs';
import { findMongodb, mongodbLines } from './testing/mongodb-lines.mjs';
import { countsText, printNote, printStep, sumCounts } from './testing/report.mjs';
import { runFiles } from './testing/run-files.mjs';
import { findTestFiles, servicesFor } from './testing/suites.mjs';

const chosen = process.argv.length > 2 ? process.argv.slice(2) : mongodbLines;
const files = Object.values(await findTestFiles())
  .flat()
  .filter((file) => /^test\/(integration|conformance)\/mongodb\//.test(file));
await installServices([...new Set(files.flatMap(servicesFor))]);

const results = [];
for (const line of chosen) {
  if (isInterrupted()) break;
  const found = findMongodb(line);
  if (found === null) {
    const output = `put a mongod of this line on PATH, or as .services/bin/mongod-${line}, or start Docker\n`;
    printStep(`MongoDB ${line}`, { isGood: false, text: 'cannot be had', seconds: 0, output });
    results.push({ passed: 0, failed: 1, skipped: 0 });
    continue;
  }
  const start = performance.now();
  const counts = await runFiles(files, found.env);
  const seconds = (performance.now() - start) / 1000;
  const isGood = counts.failed === 0;
  printStep(`MongoDB ${found.where}`, { isGood, text: countsText(counts), seconds, output: counts.output });
  results.push(counts);
}

const sum = sumCounts(results);
printNote(countsText(sum));
if (sum.failed > 0) process.exitCode = 1;
