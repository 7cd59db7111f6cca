import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { asText, describeManifest, type Manifest, mapOf, textOf } from './manifest.ts';

/** Which package has the schemas of an API group; what is not here is Kubernetes' own. */
const packages: readonly (readonly [RegExp, string])[] = [
  [/\.istio\.io$/, '@kubernetes-models/istio'],
  [/^gateway\.networking\.k8s\.io$/, '@kubernetes-models/gateway-api'],
  [/^gateway\.envoyproxy\.io$/, '@kubernetes-models/envoy-gateway'],
  [/^monitoring\.coreos\.com$/, '@kubernetes-models/prometheus-operator'],
  [/^cert-manager\.io$/, '@kubernetes-models/cert-manager'],
];

interface Model {
  validate(): void;
}

/**
 * What is wrong by the schema of the exact API version of each object: types and required fields by the schema itself
 * (the packages `@kubernetes-models/*`), fields that do not exist by the types made of it, because a schema of
 * Kubernetes lets those pass. A kind without a schema is a fault, unless `withoutSchema` has it as
 * `group/version/Kind`.
 */
export async function findSchemaFaults(
  manifests: readonly Manifest[],
  withoutSchema: readonly string[] = [],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const typed: { readonly manifest: Manifest; readonly module: string; readonly kind: string }[] = [];
  for (const manifest of manifests) {
    const apiVersion = textOf(manifest, 'apiVersion') ?? '';
    const kind = textOf(manifest, 'kind') ?? '';
    if (withoutSchema.includes(`${apiVersion}/${kind}`)) continue;
    const module = moduleOf(apiVersion, kind);
    const constructor = module === null ? null : await modelOf(module, kind);
    if (module === null || constructor === null) {
      faults.push(`${describeManifest(manifest)}: there is no schema of ${apiVersion}/${kind}`);
      continue;
    }
    typed.push({ manifest, module, kind });
    try {
      new constructor(withoutLineFeeds(manifest)).validate();
    } catch (error) {
      faults.push(`${describeManifest(manifest)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return faults.length > 0 ? faults : findUnknownFields(typed);
}

/** Kustomize breaks long values of a Secret into lines; Kubernetes takes that, and the schema's base64 does not. */
function withoutLineFeeds(manifest: Manifest): Manifest {
  if (textOf(manifest, 'kind') !== 'Secret') return manifest;
  const data = Object.entries(mapOf(manifest, 'data')).map(([key, value]) => [key, asText(value).replace(/\n/g, '')]);
  return { ...manifest, data: Object.fromEntries(data) as Manifest };
}

function moduleOf(apiVersion: string, kind: string): string | null {
  if (!/^[a-z0-9.-]+(\/v[a-z0-9]+)?$/.test(apiVersion) || !/^[A-Z][A-Za-z]+$/.test(kind)) return null;
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const name = packages.find(([pattern]) => pattern.test(group))?.[1] ?? 'kubernetes-models';
  return `${name}/${apiVersion}/${kind}`;
}

async function modelOf(module: string, kind: string): Promise<(new (data: unknown) => Model) | null> {
  const path = fileURLToPath(new URL(`../../../node_modules/${module}.js`, import.meta.url));
  if (!existsSync(path)) return null;
  const exported = (await import(module)) as Readonly<Record<string, new (data: unknown) => Model>>;
  return exported[kind] ?? null;
}

/** The directory in which a file would find the packages, as the compiler sees it. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The types of the packages, which are the same in every program: the compiler reads each file once. */
const readOnce = new Map<string, ts.SourceFile | undefined>();

/**
 * The compiler refuses fields in an object literal that its type does not have; nothing else needs to know the schemas.
 */
function findUnknownFields(
  typed: readonly { readonly manifest: Manifest; readonly module: string; readonly kind: string }[],
): readonly string[] {
  const path = `${root}manifests.ts`;
  const lines = typed.flatMap(({ manifest, module, kind }, index) => [
    `import type { I${kind} as T${String(index)} } from '${module}';`,
    `export const m${String(index)}: T${String(index)} = ${JSON.stringify(manifest, null, 1)};`,
  ]);
  const text = lines.join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es5.d.ts'], // the types of browsers would take longer than everything else
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const original = { ...host };
  host.getSourceFile = (name, ...rest) => {
    if (name === path) {
      return ts.createSourceFile(name, text, {
        languageVersion: ts.ScriptTarget.ES2023,
        impliedNodeFormat: ts.ModuleKind.ESNext,
      });
    }
    if (!readOnce.has(name)) readOnce.set(name, original.getSourceFile(name, ...rest));
    return readOnce.get(name);
  };
  host.fileExists = (name) => name === path || original.fileExists(name);
  host.readFile = (name) => (name === path ? text : original.readFile(name));
  const program = ts.createProgram([path], options, host);
  const source = program.getSourceFile(path);
  return ts.getPreEmitDiagnostics(program, source).map((diagnostic) => {
    const index = [...text.slice(0, diagnostic.start).matchAll(/^export const m(\d+):/gm)].at(-1)?.[1];
    const manifest = typed[Number(index)]?.manifest;
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ').replace(/\s+/g, ' ');
    return `${manifest === undefined ? 'a manifest' : describeManifest(manifest)}: ${message}`;
  });
}
