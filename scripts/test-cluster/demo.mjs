// docs/kubernetes.md, "Try it": the overlay demo, with the commands and calls of the page.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSections } from '../test-kubernetes/documented-commands.mjs';
import { kubectl, mustRun, root, shell, tryKubectl, withPortForward } from './cluster.mjs';
import { firstAnswer } from './traffic.mjs';

/** The pages that are walked. */
const page = await readFile(join(root, 'docs/kubernetes.md'), 'utf8');
const tlsPage = await readFile(join(root, 'docs/tls.md'), 'utf8');
const port = 10000;

/** The blocks of a section of these pages, by its heading. */
export function blocksOf(title) {
  const found = [page, tlsPage].flatMap(readSections).find((section) => section.title === title);
  if (found === undefined) throw new Error(`docs/kubernetes.md and docs/tls.md have no section "${title}"`);
  return found.blocks;
}

/** Applies the demo as the page says, and gives the time from the first command to the first signed 200. */
export async function startDemo() {
  const [block] = blocksOf('Try it');
  const [apply, ...waits] = block.trim().split('\n');
  const start = performance.now();
  await shell(apply, { cwd: root });
  await firstAnswer();
  const seconds = Math.round((performance.now() - start) / 1000);
  await shell(waits.join('\n'), { cwd: root });
  const settled = Math.round((performance.now() - start) / 1000);
  return `first signed 200 after ${seconds} s; everything as it should be after ${settled} s`;
}

/** Makes the calls of the page through the port-forward of the page, and compares what it shows, but for request ids. */
export async function callDemo() {
  const [, shown] = /^```console\n(.*?)^```$/ms.exec(page);
  const calls = [...shown.matchAll(/^\$ (.*)\n((?:[^$\n].*\n)*)/gm)];
  return withPortForward('service/envoy', `${port}:80`, async () => {
    const plain = (text) => text.replaceAll(/"requestId":"[^"]+"/g, '').trim();
    for (const [, command, expected] of calls) {
      const said = await mustRun('cp', 'bash', ['-c', `${command} --silent --show-error`]);
      if (plain(said) !== plain(expected)) throw new Error(`${command}\nshows\n${said}\nnot\n${expected}`);
    }
    return `${calls.length} calls answered as the page shows`;
  });
}

/** What kubectl always sends again: selectors of budgets, and Secrets whose base64 kustomize wraps. */
const alwaysSent = /^(poddisruptionbudget\.policy|secret)\/\S+ configured$/;

/** Applied once more, nothing is sent but that. */
export async function applyAgain() {
  const said = await kubectl('apply', '-k', join(root, 'deploy/overlays/demo'));
  const lines = said.split('\n');
  const changed = lines.filter((line) => !/ unchanged$/.test(line) && !alwaysSent.test(line));
  if (changed.length > 0) throw new Error(`not unchanged:\n${changed.join('\n')}`);
  const sent = lines.filter((line) => alwaysSent.test(line));
  return `${lines.length - sent.length} of ${lines.length} objects unchanged, ${sent.length} sent again`;
}

/** Removes the demo as the page says. */
export async function endDemo() {
  await shell(blocksOf('Try it')[1], { cwd: root });
  const { stdout } = await tryKubectl('get', 'namespace', 'postern', '--ignore-not-found');
  if (stdout.trim() !== '') throw new Error('the namespace is still there');
}
