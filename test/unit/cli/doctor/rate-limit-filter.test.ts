import assert from 'node:assert/strict';
import { inspectEnvoy } from '../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import type { Finding } from '../../../../src/base/finding.ts';
import { type OwnLimits, unknownLimits } from '../../../../src/cli/doctor/own-limits.ts';
import {
  at,
  backendRoute,
  connectionManager,
  filterSettings,
  httpFilters,
  type JsonObject,
  listAt,
  moveFilterBefore,
  objectAt,
  readEnvoyConfig,
} from '../../../support/envoy/envoy-config.ts';
import { attachRateLimitFilter } from '../../../support/envoy/rate-limit-filter.ts';

const FILTER = 'envoy.filters.http.ratelimit';
const nothing: OwnLimits = { hasService: false, holders: [] };

/** What doctor says of envoy.yaml with the committed filter, after a change. */
function examine(own: OwnLimits, edit: (config: JsonObject) => void = () => undefined): readonly Finding[] {
  const config = readEnvoyConfig();
  attachRateLimitFilter(config);
  edit(config);
  const type = 'type.googleapis.com/envoy.admin.v3.ListenersConfigDump';
  const [listener] = listAt(config, 'static_resources', 'listeners');
  const clusters = listAt(config, 'static_resources', 'clusters').map((cluster) => ({ cluster }));
  return inspectEnvoy(
    {
      configs: [
        { '@type': type, static_listeners: [{ listener }] },
        { '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump', static_clusters: clusters },
      ],
    },
    { own, live: null },
  );
}

function texts(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ level, subject, message }) => `${level}: ${subject}: ${message}`);
}

function only(findings: readonly Finding[]): Finding {
  assert.equal(findings.length, 1, texts(findings).join('\n'));
  const [finding] = findings;
  assert.ok(finding);
  return finding;
}

describe("looking at Envoy's own rate limit filter", () => {
  it('finds nothing wrong with the committed example when Postern keeps no limits', () => {
    assert.deepEqual(texts(examine(nothing)), [
      'ok: listener partners: asks Postern about every request, and lets nothing pass that was not decided',
      `ok: listener partners: filter chain: the filter ${FILTER} keeps limits, and Postern keeps none`,
    ]);
  });

  it('warns that limits of Postern and of the filter count twice, and names whose those are', () => {
    const { level, message, advice } = only(examine({ hasService: false, holders: ['endpoint orders'] }));
    assert.equal(level, 'warning');
    assert.equal(
      message,
      `the filter ${FILTER} and Postern both keep limits: requests count twice (Postern has those of endpoint orders)`,
    );
    assert.match(advice ?? '', /^keep limits in one place: .*postern limit clear/);
  });

  it('says so of a service that Postern counts with, and names three of many', () => {
    const holders = ['endpoint a', 'endpoint b', 'grant of acme on c', 'grant of acme on d', 'grant of acme on e'];
    const { message } = only(examine({ hasService: true, holders }));
    assert.match(
      message,
      /\(Postern has those of endpoint a, endpoint b, grant of acme on c and 2 more, over a rate limit service\)$/,
    );
  });

  it("warns of Postern's own rate limit service beside the filter, also before there is a limit", () => {
    const { level, message, advice } = only(examine({ hasService: true, holders: [] }));
    assert.equal(level, 'warning');
    assert.match(
      message,
      /and Postern has a rate limit service too: with the first limit in Postern requests count twice$/,
    );
    assert.match(advice ?? '', /^unset POSTERN_RATE_LIMIT_SERVICE/);
  });

  it('warns in general when the store could not be read', () => {
    const { level, message } = only(examine(unknownLimits));
    assert.equal(level, 'warning');
    assert.match(message, /requests count twice when Postern has limits as well$/);
  });

  it('finds the filter before ext_authz', () => {
    const { level, message } = only(
      examine(nothing, (config) => {
        moveFilterBefore(config, FILTER, 'envoy.filters.http.ext_authz');
      }),
    );
    assert.equal(level, 'warning');
    assert.match(message, /stands before the guard: it counts requests that are refused/);
  });

  it('finds a filter that no route feeds', () => {
    const { level, message } = only(
      examine(nothing, (config) => {
        delete objectAt(backendRoute(config), 'route')['rate_limits'];
      }),
    );
    assert.equal(level, 'warning');
    assert.match(message, /^no route says what the filter .* counts: it limits nothing$/);
  });

  const feeders: Readonly<Record<string, (config: JsonObject) => JsonObject>> = {
    'the filter itself': (config) => filterSettings(config, FILTER),
    'the virtual host': (config) => objectAt(connectionManager(config), 'route_config', 'virtual_hosts', 0),
    'a setting of the filter for the route': (config) => {
      const setting: JsonObject = {};
      backendRoute(config)['typed_per_filter_config'] = { [FILTER]: setting };
      return setting;
    },
  };
  for (const [where, find] of Object.entries(feeders)) {
    it(`is content when ${where} says what is counted`, () => {
      const findings = examine(nothing, (config) => {
        const route = objectAt(backendRoute(config), 'route');
        find(config)['rate_limits'] = at(route, 'rate_limits');
        delete route['rate_limits'];
      });
      assert.deepEqual(
        findings.map(({ level }) => level),
        ['ok', 'ok'],
      );
    });
  }

  it('finds refusals that do not have the form of refusals', () => {
    const { level, message } = only(
      examine(nothing, (config) => {
        listAt(connectionManager(config), 'local_reply_config', 'mappers').splice(0, 2);
      }),
    );
    assert.equal(level, 'warning');
    assert.match(message, /callers get no RATE_LIMITED$/);
  });

  it('says nothing of a filter that is switched off', () => {
    const findings = examine({ hasService: true, holders: ['endpoint orders'] }, (config) => {
      const filter = httpFilters(config).find((each) => at(each, 'name') === FILTER) ?? null;
      objectAt([filter], 0)['disabled'] = true;
    });
    assert.equal(only(findings).level, 'ok');
  });
});
