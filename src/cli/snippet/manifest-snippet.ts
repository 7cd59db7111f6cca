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
}

const overlays: Readonly<Record<ControlPlane, Overlay>> = {
  istio: {
    manifests: ['authorization-policy.yaml', 'destination-rule.yaml', 'envoy-filter.yaml'],
    settings: ['istiod-values.yaml', 'gateway.yaml'],
    rename: renameIstio,
  },
  'envoy-gateway': {
    manifests: [
      ...['reference-grant.yaml', 'security-policy.yaml', 'extension-policy.yaml'],
      ...['traffic-policies.yaml', 'patch-policy.yaml'],
    ],
    settings: ['controller-values.yaml', 'gateway.yaml', 'routes.yaml'],
    rename: renameEnvoyGateway,
  },
};

/** The folder below deploy that has the manifests of a control plane. */
export function overlayOf(controlPlane: ControlPlane): string {
  return `overlays/${controlPlane}`;
}

/** The files of an overlay that {@link manifestSnippet} reads, by name. */
export function filesOf(controlPlane: ControlPlane): readonly string[] {
  return [...overlays[controlPlane].settings, ...overlays[controlPlane].manifests];
}

/**
 * The manifests that put Postern behind a gateway that a cluster has already, with these names. What is no manifest of
 * its own stands in front, as a comment.
 */
export function manifestSnippet(
  controlPlane: ControlPlane,
  files: ReadonlyMap<string, string>,
  names: ClusterNames,
): string {
  const { manifests, settings, rename } = overlays[controlPlane];
  const textOf = (name: string): string => rename(files.get(name) ?? '', names).trimEnd();
  const commented = settings.map((name) => textOf(name).replaceAll(/^/gm, '# ').replaceAll(/ +$/gm, ''));
  const head = `# Postern behind a gateway that exists (--for ${controlPlane}). This comment has what belongs into the settings of the
# product, into your gateway and into your routes; the manifests after it are for kubectl apply -f.`;
  return `${[head, ...commented].join('\n# ---\n')}\n${manifests.map((name) => `---\n${textOf(name)}\n`).join('')}`;
}

function renameIstio(text: string, { gateway, service }: ClusterNames): string {
  const placed =
    gateway === null
      ? text
      : text
          .replaceAll('namespace: istio-partners', `namespace: ${gateway.namespace}`)
          .replaceAll('istio: partners', `istio: ${gateway.name}`);
  if (service === null) return placed;
  return placed
    .replaceAll('postern.postern.svc.cluster.local', `${service.name}.${service.namespace}.svc.cluster.local`)
    .replaceAll('namespace: postern', `namespace: ${service.namespace}`);
}

const GATEWAY_NAME = /((?:kind: Gateway\n(?:metadata:\n)? +|parentRefs:\n +- )name: )partners\b/g;

function renameEnvoyGateway(text: string, { gateway, service }: ClusterNames): string {
  const served =
    service === null
      ? text
      : text
          .replaceAll(
            /name: postern\n( +)namespace: postern\n/g,
            `name: ${service.name}\n$1namespace: ${service.namespace}\n`,
          )
          .replaceAll('value: postern.postern\n', `value: ${service.name}.${service.namespace}\n`)
          .replaceAll(/(kind: ReferenceGrant\n[\s\S]*?namespace: )postern\n/g, `$1${service.namespace}\n`)
          .replaceAll(/(kind: Service\n +name: )postern\n/g, `$1${service.name}\n`);
  if (gateway === null) return served;
  const { namespace, name, listener } = gateway;
  return served
    .replaceAll(GATEWAY_NAME, `$1${name}`)
    .replaceAll(/(listeners:\n +- name: )https\b/g, `$1${listener}`)
    .replaceAll('partners/partners/https', `${namespace}/${name}/${listener}`)
    .replaceAll('namespace: partners', `namespace: ${namespace}`)
    .replaceAll(/(securitypolicy|httproute)\/partners\//g, `$1/${namespace}/`);
}
