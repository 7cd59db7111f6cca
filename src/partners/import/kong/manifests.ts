/** The beginning of a manifest of Kubernetes: at the start of a line, as an item of a list, or in JSON. */
const MANIFEST = /^(?:- )?apiVersion:|"apiVersion" *:/m;
const KIND = /(?:^|[\s{,])"?kind"?: *"?([A-Za-z]{1,40})/gm;
/** What Kong's ingress controller reads. Other words are not repeated: they may be anything. */
const KNOWN_KIND = /^(?:Kong[A-Za-z]+|Secret|Ingress|HTTPRoute|Service|List)$/;

/** Why a text that holds manifests of Kubernetes is not imported, and what to do; null for any other text. */
export function findManifests(text: string): string | null {
  if (!MANIFEST.test(text) || /^"?_format_version"?:/m.test(text)) return null;
  const found = new Set([...text.matchAll(KIND)].map(([, kind = '']) => kind));
  const kinds = [...found].filter((kind) => KNOWN_KIND.test(kind)).join(', ');
  return `these are manifests of Kubernetes${kinds === '' ? '' : ` (${kinds})`}, which the importer does not read: import what Kong made of them, from its Admin API: deck gateway dump --kong-addr http://ADMIN:8001 --with-id -o kong.yaml`;
}
