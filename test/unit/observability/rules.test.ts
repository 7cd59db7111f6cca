import assert from 'node:assert/strict';
import { parse, parseAllDocuments } from 'yaml';
import { findAnchors, readDocument } from '../../support/docs/documents.ts';
import { readRules, type RuleGroup } from '../../support/observe/rules.ts';

interface PromtoolTests {
  readonly tests: readonly {
    readonly name: string;
    readonly promql_expr_test: readonly { readonly exp_samples: readonly { readonly labels: string }[] }[];
  }[];
}

const groups = readRules();
const alerts = groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));

describe('the alerts', () => {
  for (const { alert = '', labels = {}, annotations = {} } of alerts) {
    it(`have a severity, words and a section of the documentation: ${alert}`, () => {
      assert.ok(['critical', 'warning', 'info'].includes(labels['severity'] ?? ''));
      assert.deepEqual(Object.keys(annotations).sort(), ['description', 'runbook_url', 'summary']);
      const [page = '', anchor = ''] = annotations['runbook_url']?.split('#') ?? [];
      assert.equal(anchor, alert.toLowerCase());
      assert.ok(findAnchors(page).has(anchor), `${page} has no section ${alert}`);
    });
  }

  it('are all documented, and nothing else is', () => {
    const [, page = ''] = readDocument('docs/observability.md').split('\n## Alerts\n');
    const sections = [...(page.split('\n## ')[0] ?? '').matchAll(/^### (\w+)$/gm)].map(([, title]) => title);
    assert.deepEqual(
      sections,
      alerts.map(({ alert }) => alert),
    );
  });

  it('are each shown to fire, and to keep still beside what fires', () => {
    const { tests } = parse(readDocument('test/integration/observability/alerts.promtool.yaml')) as PromtoolTests;
    for (const { alert = '' } of alerts) {
      const fires = ({ exp_samples: samples }: PromtoolTests['tests'][number]['promql_expr_test'][number]): boolean =>
        samples.some(({ labels }) => labels === `{alertname="${alert}"}`);
      const telling = tests.filter((test) => test.promql_expr_test.some(fires));
      assert.ok(telling.length > 0, `no test lets ${alert} fire`);
      const silent = tests.some((test) => !test.promql_expr_test.some(fires));
      const ends = telling.some((test) => test.promql_expr_test.some((check) => !fires(check)));
      assert.ok(ends || silent, `no test shows that ${alert} keeps still`);
    }
  });
});

describe('the rules for the Prometheus operator', () => {
  it('are those for Prometheus', () => {
    const resource = parse(readDocument('deploy/observability/prometheus-rule.yaml')) as {
      readonly kind: string;
      readonly spec: { readonly groups: readonly RuleGroup[] };
    };
    assert.equal(resource.kind, 'PrometheusRule');
    assert.deepEqual(resource.spec.groups, groups);
  });

  it('are in the component beside what scrapes Postern, and the dashboard', () => {
    const component = parse(readDocument('deploy/observability/kustomization.yaml')) as {
      readonly resources: readonly string[];
      readonly configMapGenerator: readonly { readonly files: readonly string[] }[];
    };
    assert.deepEqual(component.resources, ['pod-monitor.yaml', 'prometheus-rule.yaml']);
    assert.deepEqual(component.configMapGenerator[0]?.files, ['postern.json=grafana-dashboard.json']);
    const scraped = parseAllDocuments(readDocument('deploy/observability/pod-monitor.yaml')).map(
      (each) =>
        each.toJS() as {
          readonly spec: {
            readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
            readonly podMetricsEndpoints: readonly { readonly port: string }[];
          };
        },
    );
    const pods = ['deploy/base/deployment.yaml', 'deploy/components/manage/manage.yaml'];
    assert.equal(scraped.length, pods.length);
    for (const [at, { spec }] of scraped.entries()) {
      assert.deepEqual(
        spec.podMetricsEndpoints.map(({ port }) => port),
        ['admin'],
      );
      const text = readDocument(pods[at] ?? '');
      assert.match(text, /name: admin\b/);
      const [name] = Object.values(spec.selector.matchLabels);
      assert.ok(text.includes(`app.kubernetes.io/name: ${String(name)} }`), name);
    }
  });
});
