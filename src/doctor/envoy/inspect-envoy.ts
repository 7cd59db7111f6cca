import { fault, fine, type Finding, warning } from '../finding.ts';
import { type OwnLimits, unknownLimits } from '../own-limits.ts';
import { type EnvoyConfig, readConfigDump } from './envoy-config.ts';
import { findPosternChain, type PosternChain } from './filter-chain.ts';
import { textIn } from './json-view.ts';
import { inspectBodyLimits, inspectOrder } from './rules/chain-rules.ts';
import { inspectCluster } from './rules/cluster-rules.ts';
import { inspectExtAuthz } from './rules/ext-authz-rules.ts';
import { inspectRateLimitFilter } from './rules/limit-rules.ts';
import { inspectManager } from './rules/manager-rules.ts';
import { inspectRoutes } from './rules/route-rules.ts';

type Rule = (chain: PosternChain, own: OwnLimits) => readonly Finding[];

const rules: readonly Rule[] = [
  inspectOrder,
  inspectExtAuthz,
  inspectBodyLimits,
  inspectManager,
  inspectRoutes,
  inspectCluster,
  inspectRateLimitFilter,
];

/** Looks through Envoy's own configuration (admin `/config_dump`) for what makes Postern unsafe (docs/envoy.md). */
export function inspectEnvoy(dump: unknown, own: OwnLimits = unknownLimits): readonly Finding[] {
  const config = readConfigDump(dump);
  const chains = config.managers.flatMap((manager) => findPosternChain(config, manager) ?? []);
  if (chains.length === 0) {
    const message = 'no listener asks an external authorization service: nothing is checked';
    return [fault('Envoy', message, 'attach Postern as docs/envoy.md shows')];
  }
  return [
    ...chains.flatMap((chain) => inspectChain(chain, own)),
    ...unchecked(config, chains),
    ...inspectAdmin(config),
  ];
}

function inspectChain(chain: PosternChain, own: OwnLimits): readonly Finding[] {
  const findings = rules.flatMap((rule) => rule(chain, own));
  if (findings.some(({ level }) => level !== 'ok')) return findings;
  return [
    fine(chain.manager.name, 'asks Postern about every request, and lets nothing pass that was not decided'),
    ...findings,
  ];
}

function unchecked({ managers }: EnvoyConfig, chains: readonly PosternChain[]): readonly Finding[] {
  return managers
    .filter((manager) => !chains.some((chain) => chain.manager === manager))
    .map((manager) =>
      warning(
        manager.name,
        'does not ask Postern: its requests are not checked',
        'if partners can reach it, give it the filter chain of envoy.yaml',
      ),
    );
}

function inspectAdmin({ admin }: EnvoyConfig): readonly Finding[] {
  const address = textIn(admin, 'address', 'socket_address', 'address');
  if (address === null || /^(127\.|::1$|localhost$)/.test(address)) return [];
  const message = `the admin address listens on ${address}: whoever reaches it can read and change this Envoy`;
  return [warning('Envoy admin', message, 'bind it to 127.0.0.1')];
}
