import { type Json, type JsonObject } from '../envoy/envoy-config.ts';

/** One object of a rendered kustomization; what it must look like is for the checkers to say. */
export type Manifest = JsonObject;

/** Follows names and indices; undefined as soon as a step is missing. Negative indices are not counted from the end. */
export function find(from: Json | undefined, ...steps: readonly (string | number)[]): Json | undefined {
  return steps.reduce<Json | undefined>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return typeof value === 'object' && value !== null ? value[step] : undefined;
  }, from);
}

/** The list at these steps; an empty one when there is none. */
export function listOf(from: Json | undefined, ...steps: readonly (string | number)[]): readonly Json[] {
  const value = find(from, ...steps);
  return Array.isArray(value) ? value : [];
}

/** The mapping at these steps; an empty one when there is none. */
export function mapOf(from: Json | undefined, ...steps: readonly (string | number)[]): Readonly<Record<string, Json>> {
  const value = find(from, ...steps);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The string at these steps, or undefined. */
export function textOf(from: Json | undefined, ...steps: readonly (string | number)[]): string | undefined {
  const value = find(from, ...steps);
  return typeof value === 'string' ? value : undefined;
}

/** A value as text: scalars as they are, the rest as JSON. */
export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** What faults call an object: `Deployment postern/postern`. */
export function describeManifest(manifest: Manifest): string {
  const namespace = textOf(manifest, 'metadata', 'namespace');
  const name = textOf(manifest, 'metadata', 'name') ?? '(no name)';
  return `${textOf(manifest, 'kind') ?? '(no kind)'} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** The namespace of an object; that of the manifests' own tools when it has none. */
export function namespaceOf(manifest: Manifest): string {
  return textOf(manifest, 'metadata', 'namespace') ?? 'default';
}

/** The objects of a kind, in one namespace or in all. */
export function ofKind(manifests: readonly Manifest[], kind: string, namespace?: string): readonly Manifest[] {
  return manifests.filter(
    (manifest) => textOf(manifest, 'kind') === kind && (namespace === undefined || namespaceOf(manifest) === namespace),
  );
}

/** The object of this kind and name, or undefined. */
export function findManifest(
  manifests: readonly Manifest[],
  kind: string,
  name: string,
  namespace?: string,
): Manifest | undefined {
  return ofKind(manifests, kind, namespace).find((manifest) => textOf(manifest, 'metadata', 'name') === name);
}

/**
 * The object of this kind and name; a missing one is a failure. A suffix that kustomize made of the content is ignored.
 */
export function getManifest(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = ofKind(manifests, kind).find((manifest) => {
    const own = textOf(manifest, 'metadata', 'name') ?? '';
    return own === name || (own.startsWith(`${name}-`) && /^[a-z0-9]{10}$/.test(own.slice(name.length + 1)));
  });
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}
