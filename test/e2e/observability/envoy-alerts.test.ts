import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { type Attachment, envoyYaml } from '../../support/attachments/attachment.ts';
import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { istioStatsConfig } from '../../support/attachments/istio-stats.ts';
import { istio } from '../../support/attachments/istio.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { filterSettings, type JsonObject, objectAt } from '../../support/envoy/envoy-config.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { dashboardQueries, readDashboard } from '../../support/observe/dashboard.ts';
import { readRules } from '../../support/observe/rules.ts';
import { parseSeries, type Series, seriesOfQuery } from '../../support/observe/series.ts';
import { allow, allowReplaced } from '../../support/stack/check-answers.ts';
import { type Chain, startChain } from '../../support/stack/chain.ts';
import { poll } from '../../support/time/poll.ts';

const alerts = readRules().find(({ name }) => name === 'postern-envoy')?.rules ?? [];

/** What docs/observability.md has Istio keep beside its own statistics. */
function keptByIstio(): readonly string[] {
  const [values = ''] = readFences(readDocument('docs/observability.md'), 'yaml');
  const { podAnnotations } = parse(values) as { readonly podAnnotations: Readonly<Record<string, string>> };
  return podAnnotations['sidecar.istio.io/statsInclusionRegexps']?.split(',') ?? [];
}

async function scrape({ envoy }: Chain): Promise<readonly Series[]> {
  const url = `http://127.0.0.1:${String(envoy.adminPort)}/stats/prometheus`;
  return parseSeries(await (await fetch(url)).text());
}

/** What Postern's place, its answers or its chain can be like for an alert to have a reason. */
interface Fault {
  readonly edit?: (config: JsonObject, attachment: Attachment) => void;
  readonly cause: (chain: Chain) => Promise<unknown>;
  /** Whether the series of the alert show it; without this, whether they count anything. */
  readonly shows?: (series: readonly Series[]) => boolean;
}

const faults: Readonly<Record<string, Fault>> = {
  PosternUnreachable: {
    cause: async (chain) => {
      await chain.check[Symbol.asyncDispose]();
      assert.equal((await http1(chain.envoy.port)).status, 503);
    },
  },
  PosternFailureModeAllowed: {
    edit: (config, { filters }) => {
      filterSettings(config, filters.authz)['failure_mode_allow'] = true;
    },
    cause: async (chain) => {
      await chain.check[Symbol.asyncDispose]();
      await http1(chain.envoy.port);
    },
  },
  PosternAnswerInvalid: {
    cause: async (chain) => {
      chain.check.answer = () => allow({ headers: [['x-text', 'two\nlines']] });
      assert.equal((await http1(chain.envoy.port)).status, 500);
    },
  },
  PosternGuardDenied: {
    cause: async (chain) => {
      chain.check.answer = () => allow({ metadata: { 'postern.body': undefined } });
      assert.equal((await http1(chain.envoy.port)).status, 503);
    },
  },
  PosternUnwrapFailed: {
    edit: (config, { filters }) => {
      const source = objectAt(filterSettings(config, filters.unwrap), 'default_source_code');
      source['inline_string'] = 'function envoy_on_request(handle) error("on purpose") end';
    },
    cause: async (chain) => {
      chain.check.answer = () => allowReplaced('inner');
      assert.equal((await http1(chain.envoy.port, { method: 'POST', body: '{}' })).status, 503);
    },
  },
  PosternRetryTimedOut: {
    edit: (config, { filters }) => {
      const service = objectAt(filterSettings(config, filters.authz), 'grpc_service');
      const retry = (service['retry_policy'] ??= {}) as JsonObject;
      retry['retry_back_off'] = { base_interval: '0.01s', max_interval: '0.05s' };
    },
    cause: async (chain) => {
      let answer: () => void = () => undefined;
      const later = new Promise<void>((resolve) => {
        answer = resolve;
      });
      chain.check.answer = async () => {
        await later;
        return allow();
      };
      await http1(chain.envoy.port);
      answer();
    },
  },
  PosternReplicasUnhealthy: {
    cause: async (chain) => {
      await chain.check[Symbol.asyncDispose]();
    },
    shows: (series) => {
      const all = new Map(
        series.flatMap(({ name, labels, value }) =>
          name.endsWith('_total') ? [[JSON.stringify(labels), value] as const] : [],
        ),
      );
      return series.some(
        ({ name, labels, value }) => name.endsWith('_healthy') && value < (all.get(JSON.stringify(labels)) ?? 0),
      );
    },
  },
};

const counts = (series: readonly Series[]): boolean => series.some(({ value }) => value > 0);

describe('what the alerts on Envoy are for', () => {
  it('is known for each', () => {
    assert.deepEqual(
      alerts.map(({ alert }) => alert),
      Object.keys(faults),
    );
  });

  for (const attachment of [envoyYaml, istio, envoyGateway]) {
    const addStats = (config: JsonObject): void => {
      if (attachment === istio) config['stats_config'] = istioStatsConfig(keptByIstio());
    };
    for (const { alert = '', expr } of alerts) {
      const fault = faults[alert];
      it(`is in the series of ${alert} behind ${attachment.title}, and before it nothing`, async () => {
        assert.ok(fault);
        const { shows = counts } = fault;
        await using chain = await startChain({
          attachment,
          edit: (config) => {
            addStats(config);
            fault.edit?.(config, attachment);
          },
        });
        assert.equal(shows(seriesOfQuery(expr, await scrape(chain))), false);
        await fault.cause(chain);
        await poll(`the series of ${alert}`, async () =>
          shows(seriesOfQuery(expr, await scrape(chain))) ? true : null,
        );
      });
    }

    it(`has series for every query of the dashboard behind ${attachment.title}`, async () => {
      await using chain = await startChain({ attachment, edit: addStats });
      assert.equal((await http1(chain.envoy.port)).status, 200);
      const series = await scrape(chain);
      const empty = dashboardQueries(readDashboard())
        .filter(({ expr }) => /\benvoy_/.test(expr))
        .map(({ panel, expr }) => ({ panel, expr: expr.replaceAll(/job=~"[^"]*",?\s*/g, '') }))
        .filter(({ expr }) => seriesOfQuery(expr, series).length === 0);
      assert.deepEqual(empty, []);
    });
  }

  it('shows more checks at once than Envoy may ask in the panel of overflows', async () => {
    await using chain = await startChain({
      edit: (config) => {
        const cluster = objectAt(config, 'static_resources', 'clusters', 0);
        assert.equal(cluster['name'], envoyYaml.clusters.postern);
        cluster['circuit_breakers'] = { thresholds: [{ max_requests: 1, max_retries: 10 }] };
      },
    });
    let answer: () => void = () => undefined;
    const later = new Promise<void>((resolve) => {
      answer = resolve;
    });
    chain.check.answer = async () => {
      await later;
      return allow();
    };
    const first = http1(chain.envoy.port);
    await poll('the first check', () => Promise.resolve(chain.check.checks.length > 0 ? true : null));
    assert.equal((await http1(chain.envoy.port)).status, 503);
    answer();
    await first;
    const series = await scrape(chain);
    const [...queries] = dashboardQueries(readDashboard()).filter(({ expr }) => /_overflow\b/.test(expr));
    assert.ok(queries.some(({ expr }) => counts(seriesOfQuery(expr.replaceAll(/job=~"[^"]*",?\s*/g, ''), series))));
  });
});
