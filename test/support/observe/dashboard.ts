import { readDocument } from '../docs/documents.ts';

/** A query of the dashboard, with what Grafana puts in filled in. */
export interface DashboardQuery {
  readonly panel: string;
  readonly expr: string;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

/** The committed dashboard, as far as tests look at it. */
export interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { readonly query: string } }[];
  };
}

export function readDashboard(): Dashboard {
  return JSON.parse(readDocument('deploy/observability/grafana-dashboard.json')) as Dashboard;
}

/** Every query of every panel: variables as "all", `$__rate_interval` as given. */
export function dashboardQueries({ panels }: Dashboard, rateInterval = '5m'): readonly DashboardQuery[] {
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: title,
      expr: expr.replaceAll('$__rate_interval', rateInterval).replaceAll(/"\$(job|instance|endpoint|envoy)"/g, '".*"'),
    })),
  );
}
