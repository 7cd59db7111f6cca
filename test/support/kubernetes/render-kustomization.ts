import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findServices } from '../../../services/install-services.mjs';
import { type Json } from '../envoy/envoy-config.ts';
import { type Manifest } from './manifest.ts';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const maxOutputBytes = 64 * 1024 * 1024;

/** What the folders of `deploy/` gave, as JSON: they do not change while a process of tests runs. */
const rendered = new Map<string, Promise<string>>();

/**
 * What `kubectl apply -k deploy/PATH` would send, rendered by kustomize (`scripts/install-services kustomize`, the
 * release that the kubectl of `npm run test:kubernetes` has inside). `path` is below `deploy/`, or absolute. Those
 * below `deploy/` are rendered once; each call gives a copy that a test may change.
 *
 * Fails with what kustomize says.
 */
export async function renderKustomization(path: string): Promise<readonly Manifest[]> {
  if (path.startsWith('/')) return parseManifests(await build(path));
  const json = rendered.get(path) ?? build(`${deploy}${path}`).then((yaml) => JSON.stringify(parseManifests(yaml)));
  rendered.set(path, json);
  return JSON.parse(await json) as readonly Manifest[];
}

async function build(directory: string): Promise<string> {
  const { kustomize } = await findServices(['kustomize']);
  if (kustomize === null) {
    throw new Error('kustomize is not installed: scripts/install-services kustomize');
  }
  const { stdout } = await run(kustomize, ['build', directory], { maxBuffer: maxOutputBytes });
  return stdout;
}

/** The objects of YAML text with any number of documents; what kustomize makes has no empty ones. */
export function parseManifests(yaml: string): readonly Manifest[] {
  // Kubernetes reads YAML 1.1, in which 0440 is an octal number.
  return parseAllDocuments(yaml, { version: '1.1' }).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    // Through JSON, so that what YAML shares by an anchor can be changed apart.
    const value = JSON.parse(JSON.stringify(document.toJS())) as Json;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not a mapping');
    return value;
  });
}
