import assert from 'node:assert/strict';
import { dashboardQueries, readDashboard } from '../../support/observe/dashboard.ts';
import { fullRegistry, seriesOf } from '../../support/observe/known-metrics.ts';
import { readQuery } from '../../support/observe/promql.ts';
import { readRules } from '../../support/observe/rules.ts';

/** What Envoy 1.40.0 shows of `envoy.yaml`, and with Istio's names of labels; test/e2e/observability runs both. */
const envoyLabels = [
  'job',
  'instance',
  'envoy_http_conn_manager_prefix',
  'envoy_cluster_name',
  'envoy_rbac_http_prefix',
  'envoy_response_code_class',
  'cluster_name',
  'response_code_class',
  'le',
];
const rules = readRules().flatMap((group) => group.rules);
const recorded = new Map(
  rules.flatMap(({ record }) => (record === undefined ? [] : [[record, ['job', 'view']] as const])),
);

function assertKnown(query: string, known: ReadonlyMap<string, ReadonlySet<string>>): void {
  const { selectors, grouping } = readQuery(query);
  assert.ok(selectors.length > 0, `nothing is selected: ${query}`);
  const labels = new Set<string>();
  for (const selector of selectors) {
    const own =
      recorded.get(selector.metric) ??
      (selector.metric === 'up' ? ['job', 'instance'] : known.get(selector.metric)) ??
      (selector.metric.startsWith('envoy_') ? envoyLabels : undefined);
    assert.ok(own !== undefined, `there is no metric ${selector.metric}: ${query}`);
    for (const label of own) labels.add(label);
    for (const label of selector.labels) assert.ok(new Set(own).has(label), `${selector.metric} has no label ${label}`);
  }
  for (const label of grouping) assert.ok(labels.has(label), `nothing here has the label ${label}: ${query}`);
}

describe('queries', () => {
  const known = seriesOf(fullRegistry());

  it('of the dashboard name metrics and labels that there are', () => {
    const queries = dashboardQueries(readDashboard());
    assert.ok(queries.length > 60);
    for (const { expr } of queries) assertKnown(expr, known);
  });

  it('of the rules name metrics and labels that there are', () => {
    for (const { expr } of rules) assertKnown(expr, known);
  });

  it('that name what there is not are found', () => {
    assert.throws(() => {
      assertKnown('rate(postern_check_total[5m])', known);
    }, /there is no metric postern_check_total/);
    assert.throws(() => {
      assertKnown('postern_checks_total{consumer="a"}', known);
    }, /no label consumer/);
    assert.throws(() => {
      assertKnown('sum by (consumer) (postern_checks_total)', known);
    }, /the label consumer/);
    assert.throws(() => {
      assertKnown('sum(rate(postern_checks_total[5m])', known);
    }, /no PromQL/);
  });

  it('of the dashboard show every metric of Postern', () => {
    const shown = new Set(
      dashboardQueries(readDashboard()).flatMap(({ expr }) => readQuery(expr).selectors.map(({ metric }) => metric)),
    );
    const hidden = [...known.keys()].filter(
      (name) => name.startsWith('postern_') && !shown.has(name) && !/_(sum|count)$/.test(name),
    );
    assert.deepEqual(hidden, []);
  });
});

describe('the dashboard', () => {
  const dashboard = readDashboard();

  it('asks the data source that is chosen, and knows its variables', () => {
    const names = new Set(dashboard.templating.list.map(({ name }) => name));
    for (const panel of dashboard.panels) {
      if (panel.type === 'row') continue;
      assert.equal(panel.datasource?.uid, '${datasource}', panel.title);
      for (const { expr, datasource } of panel.targets ?? []) {
        assert.equal(datasource.uid, '${datasource}', panel.title);
        for (const [, name = ''] of expr.matchAll(/\$(\w+)/g))
          assert.ok(name.startsWith('__') || names.has(name), expr);
      }
    }
  });

  it('has the rows that people look for, and panels that neither overlap nor repeat', () => {
    assert.deepEqual(
      dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title),
      [
        ...['Traffic and refusals', 'Latency', 'Credential cache (MongoDB)', 'Store', 'Limits of requests', 'OAuth2'],
        ...['Process', 'Envoy', 'Consumers (POSTERN_CONSUMER_METRICS)'],
      ],
    );
    assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
    const cells = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(!cells.has(`${String(x)} ${String(y)}`), `${title} overlaps`);
          cells.add(`${String(x)} ${String(y)}`);
        }
      }
    }
  });
});
