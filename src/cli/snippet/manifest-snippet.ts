import { withMutualTlsOfEnvoyGateway, withMutualTlsOfIstio } from './mutual-tls.ts';

/** A control plane whose manifests are below deploy/overlays. */
export type ControlPlane = 'istio' | 'envoy-gateway';

/** What manifests call things that a cluster has already; null for the names of the overlay. */
export interface ClusterNames {
  /** Where the gateway is, and what it is called; the listener is Envoy Gateway's. */
  readonly gateway: { readonly namespace: string; readonly name: string; readonly listener: string } | null;
  readonly service: { readonly namespace: string; readonly name: string } | null;
}

interface Overlay {
  /** Manifests, in the order in which they are printed. */
  readonly manifests: readonly string[];
  /** What belongs into the settings of the product or into a resource of yours: printed as a comment. */
  readonly settings: readonly string[];
  readonly rename: (text: string, names: ClusterNames) => string;
  /** What mutual TLS for partners changes: a file of the overlay, and one that a component adds. */
  readonly mutualTls: {
    readonly file: string;
    readonly change: (text: string) => string;
    readonly added: string;
  };
}

const overlays: Readonly<Record<ControlPlane, Overlay>> = {
  istio: {
    manifests: ['authorization-policy.yaml', 'destination-rule.yaml', 'envoy-filter.yaml'],
    settings: ['istiod-values.yaml', 'gateway.yaml'],
    rename: renameIstio,
    mutualTls: { file: 'gateway.yaml', change: withMutualTlsOfIstio, added: 'envoy-filter.yaml' },
  },
  'envoy-gateway': {
    manifests: [
      'reference-grant.yaml',
      'security-policy.yaml',
      'extension-policy.yaml',
      'traffic-policies.yaml',
      'patch-policy.yaml',
    ],
    settings: ['controller-values.yaml', 'gateway.yaml', 'routes.yaml'],
    rename: renameEnvoyGateway,
    mutualTls: { file: 'traffic-policies.yaml', change: withMutualTlsOfEnvoyGateway, added: 'patch-policy.yaml' },
  },
};

/** The folder below deploy that has the manifests of a control plane. */
export function overlayOf(controlPlane: ControlPlane): string {
  return `overlays/${controlPlane}`;
}

/** The file below deploy that mutual TLS for partners adds to the manifests of a control plane. */
export function mutualTlsFileOf(controlPlane: ControlPlane): string {
  return `components/mutual-tls-${controlPlane}/${overlays[controlPlane].mutualTls.added}`;
}

/** The files of an overlay that {@link manifestSnippet} reads, by name. */
export function filesOf(controlPlane: ControlPlane): readonly string[] {
  return [...overlays[controlPlane].settings, ...overlays[controlPlane].manifests];
}

/**
 * The manifests that put Postern behind a gateway that a cluster has already, with these names. What is no manifest of
 * its own stands in front, as a comment.
 *
 * @param mutualTls the text of {@link mutualTlsFileOf}; null where partners show no certificates
 */
export function manifestSnippet(
  controlPlane: ControlPlane,
  files: ReadonlyMap<string, string>,
  names: ClusterNames,
  mutualTls: string | null = null,
): string {
  const { manifests, settings, rename, mutualTls: asking } = overlays[controlPlane];
  const textOf = (name: string): string => {
    const text = files.get(name) ?? '';
    return rename(mutualTls !== null && name === asking.file ? asking.change(text) : text, names).trimEnd();
  };
  const added = mutualTls === null ? '' : `---\n${rename(mutualTls, names).trimEnd()}\n`;
  const commented = settings.map((name) => textOf(name).replaceAll(/^/gm, '# ').replaceAll(/ +$/gm, ''));
  const head = `# Postern behind a gateway that exists (--for ${controlPlane}). This comment has what belongs into the settings of the
# product, into your gateway and into your routes; the manifests after it are for kubectl apply -f.`;
  return `${[head, ...commented].join('\n# ---\n')}\n${manifests.map((name) => `---\n${textOf(name)}\n`).join('')}${added}`;
}

const GATEWAY_NAME = /((?:kind: Gateway\n(?:metadata:\n)? +|parentRefs:\n +- )name: )partners\b/g;

function renameIstio(text: string, names: ClusterNames): string {
  return renamed(text, names, {
    gateway: [
      [/(namespace: )istio-partners\b/g, '$1{namespace}'],
      [/(istio: )partners\b/g, '$1{name}'],
    ],
    service: [
      [/\bpostern\.postern(\.svc\.cluster\.local)/g, '{name}.{namespace}$1'],
      [/(namespace: )postern\b/g, '$1{namespace}'],
    ],
  });
}

function renameEnvoyGateway(text: string, names: ClusterNames): string {
  return renamed(text, names, {
    gateway: [
      [GATEWAY_NAME, '$1{name}'],
      [/(listeners:\n +- name: )https\b/g, '$1{listener}'],
      [/\bpartners\/partners\/https\b/g, '{namespace}/{name}/{listener}'],
      [/(namespace: )partners\b/g, '$1{namespace}'],
      [/(securitypolicy|httproute)\/partners\//g, '$1/{namespace}/'],
    ],
    service: [
      [/(name: )postern(\n +namespace: )postern\n/g, '$1{name}$2{namespace}\n'],
      [/(value: )postern\.postern\n/g, '$1{name}.{namespace}\n'],
      [/(kind: ReferenceGrant\n[\s\S]*?namespace: )postern\n/g, '$1{namespace}\n'],
      [/(kind: Service\n +name: )postern\n/g, '$1{name}\n'],
    ],
  });
}

type Owner = keyof ClusterNames;
/** Where a name of the overlay stands, and what replaces it, with the new names in braces. */
type Place = readonly [pattern: RegExp, replacement: string];

/**
 * A text with all names replaced at once. One after the other, a new name that an overlay uses for something else would
 * be replaced again: a gateway in the namespace `postern` would move to that of the Service.
 */
function renamed(text: string, names: ClusterNames, places: Readonly<Record<Owner, readonly Place[]>>): string {
  const owners = (['gateway', 'service'] as const).filter((owner) => names[owner] !== null);
  const marked = owners
    .flatMap((owner) => places[owner].map(([pattern, replacement]) => [pattern, marksIn(replacement, owner)] as const))
    .reduce((before, [pattern, replacement]) => before.replaceAll(pattern, replacement), text);
  return marked.replaceAll(/\0(\w+)\.(\w+)\0/g, (mark, owner: Owner, part: string) => {
    const parts: Readonly<Record<string, string>> = { ...names[owner] };
    return parts[part] ?? mark;
  });
}

/** A character that no manifest holds stands around each mark. */
function marksIn(replacement: string, owner: Owner): string {
  return replacement.replaceAll(/\{(\w+)\}/g, `\0${owner}.$1\0`);
}
