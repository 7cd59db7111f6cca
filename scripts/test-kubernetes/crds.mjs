// The definitions of custom resources that the overlays use, from the modules of their own projects.
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../services/run.mjs';

/** Module, checksum as of Go's checksum database, and the files or folders in it. */
export const crdSources = [
  {
    title: 'Istio 1.31.1',
    module: 'istio.io/api@v1.31.1',
    sum: 'h1:5Yb5ihcz4YQsCkciusK7DnFpBMwRB6EFWeUKH1Atuyk=',
    paths: ['kubernetes/customresourcedefinitions.gen.yaml'],
  },
  {
    title: 'Envoy Gateway 1.9.1 and the Gateway API that comes with it',
    module: 'github.com/envoyproxy/gateway@v1.9.1',
    sum: 'h1:vAVp6/AlBXJ1aOhp1mxL7fNEzVEfjADUguUhm2wzxQY=',
    paths: [
      'charts/gateway-helm/charts/crds/crds/gatewayapi-crds.yaml',
      'charts/gateway-helm/charts/crds/crds/generated',
    ],
  },
  {
    title: 'Prometheus operator 0.85.0',
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    sum: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    paths: ['example/prometheus-operator-crd'],
  },
];

/** These files of a Go module, and those in these folders; Go downloads it when it is not there yet. */
export async function moduleFiles({ module, sum, paths }) {
  const { stdout, stderr } = await run('go', ['mod', 'download', '-json', module], {
    cwd: tmpdir(),
    env: { GOFLAGS: '-mod=mod', GOWORK: 'off' },
  });
  const found = stdout.trim() === '' ? {} : JSON.parse(stdout);
  if (found.Dir === undefined) throw new Error(`${module} cannot be had: ${found.Error ?? stderr}`);
  if (found.Sum !== sum) throw new Error(`${module} is not the one that is pinned here: its checksum is ${found.Sum}`);
  const files = await Promise.all(
    paths.map(async (path) => {
      if (/\.(yaml|json)$/.test(path)) return [join(found.Dir, path)];
      return (await readdir(join(found.Dir, path))).sort().map((name) => join(found.Dir, path, name));
    }),
  );
  return files.flat();
}
