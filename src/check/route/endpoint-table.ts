import { type Endpoint, type SignatureMethod, signatureMethods } from '../../model/endpoint.ts';
import { isGroupGrant } from '../../model/grant.ts';
import { normalizeHost } from '../receive/host.ts';
import { parsePathRule } from '../receive/path.ts';
import type { Catalog, EndpointTable, StoreState } from '../store/check-store.ts';
import { compileCredentialIndex } from '../store/credential-index.ts';
import { compileGroupGrants } from '../store/group-grants.ts';
import { claimNamesIn, compileIssuers } from '../store/issuer-table.ts';
import { compilePlans } from '../store/plan-table.ts';

interface MethodRules {
  readonly listed: Map<string, Endpoint>;
  any: Endpoint | null;
}

/** A node of the tree of path segments, `/` being the border between them. */
interface PathNode {
  readonly children: Map<string, PathNode>;
  prefix: MethodRules | null;
  exact: MethodRules | null;
}

/** Compiles all resources of a store into a catalog that answers everything from memory. */
export function compileCatalog(state: StoreState): Catalog {
  const { endpoints, credentials, grants, plans, issuers } = state;
  return {
    endpoints: compileEndpointTable(endpoints),
    groupGrants: compileGroupGrants(grants.filter(isGroupGrant), endpoints),
    plans: compilePlans(plans, endpoints),
    issuers: compileIssuers(issuers, claimNamesIn(credentials)),
    credentials: compileCredentialIndex(state),
  };
}

/**
 * Compiles endpoints whose paths are in normal form. Where two of them share a host pattern, a path rule and a method
 * rule, as only documents can that Postern did not write, that rule refuses its requests: their endpoint is uncertain.
 */
export function compileEndpointTable(endpoints: readonly Endpoint[]): EndpointTable {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const anyHost = newNode();
  const exactHosts = new Map<string, PathNode>();
  const wildcardHosts = new Map<string, PathNode>();
  for (const endpoint of endpoints) {
    if (endpoint.match.hosts.length === 0) addPaths(anyHost, endpoint);
    for (const host of endpoint.match.hosts) {
      const name = normalizeHost(host);
      if (name.startsWith('*.')) addPaths(nodeOf(wildcardHosts, name.slice(2)), endpoint);
      else addPaths(nodeOf(exactHosts, name), endpoint);
    }
  }

  function findRules(host: string, path: string): MethodRules | null {
    const exact = exactHosts.get(host);
    const found = exact === undefined ? null : walk(exact, path);
    if (found !== null) return found;
    if (wildcardHosts.size > 0) {
      for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
        const wildcard = dot === 0 ? undefined : wildcardHosts.get(host.slice(dot + 1));
        const rules = wildcard === undefined ? null : walk(wildcard, path);
        if (rules !== null) return rules;
      }
    }
    return walk(anyHost, path);
  }

  return {
    findById: (id) => byId.get(id) ?? null,
    longestSkewSeconds: findLongestSkews(endpoints),
    find: (host, comparablePath, method) => {
      const rules = findRules(host, comparablePath);
      return rules === null ? null : (rules.listed.get(method) ?? rules.any);
    },
    methodsOf: (host, comparablePath) => {
      const found = new Map<Endpoint, string[]>();
      const { listed = [], any = null } = findRules(host, comparablePath) ?? {};
      if (any !== null) return found;
      for (const [method, endpoint] of listed) {
        if (!endpoint.enabled) continue;
        const methods = found.get(endpoint);
        if (methods === undefined) found.set(endpoint, [method]);
        else methods.push(method);
      }
      return found;
    },
  };
}

function findLongestSkews(endpoints: readonly Endpoint[]): EndpointTable['longestSkewSeconds'] {
  const longest = Object.fromEntries(signatureMethods.map((method) => [method, 0])) as Record<SignatureMethod, number>;
  for (const { authentication, options } of endpoints) {
    const method = signatureMethods.find((signs) => signs === authentication);
    if (method === undefined || !('clockSkewSeconds' in options) || !options.replayProtection) continue;
    longest[method] = Math.max(longest[method], options.clockSkewSeconds);
  }
  return longest;
}

function newNode(): PathNode {
  return { children: new Map(), prefix: null, exact: null };
}

function nodeOf(nodes: Map<string, PathNode>, name: string): PathNode {
  let node = nodes.get(name);
  if (node === undefined) nodes.set(name, (node = newNode()));
  return node;
}

function addPaths(root: PathNode, endpoint: Endpoint): void {
  for (const path of endpoint.match.paths) {
    const rule = parsePathRule(path);
    if ('reason' in rule) throw new Error(`endpoint ${endpoint.id}: a path rule is not in normal form: ${rule.reason}`);
    let node = root;
    for (const segment of rule.comparable.split('/').slice(1)) node = nodeOf(node.children, segment);
    const rules: MethodRules = (node[rule.kind] ??= { listed: new Map(), any: null });
    if (endpoint.match.methods.length === 0) rules.any = ownerOf(rules.any, endpoint);
    for (const method of endpoint.match.methods) {
      rules.listed.set(method, ownerOf(rules.listed.get(method) ?? null, endpoint));
    }
  }
}

/** Who gets the requests of a rule: one that refuses them when another endpoint has it already. */
function ownerOf(holder: Endpoint | null, endpoint: Endpoint): Endpoint {
  if (holder === null || holder.id === endpoint.id) return endpoint;
  return { ...endpoint, id: `${holder.id} (contested by ${endpoint.id})`, enabled: false };
}

/** The exact path's rules before those of the longest prefix; stops at the first segment that no rule knows. */
function walk(root: PathNode, path: string): MethodRules | null {
  let node = root;
  let best = root.prefix;
  let start = 1;
  for (;;) {
    const slash = path.indexOf('/', start);
    const segment = slash === -1 ? path.slice(start) : path.slice(start, slash);
    const child = node.children.get(segment);
    if (child === undefined) return best;
    node = child;
    best = node.prefix ?? best;
    if (slash === -1) return node.exact ?? best;
    start = slash + 1;
  }
}
