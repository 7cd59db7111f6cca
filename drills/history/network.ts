import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A machine of a network: a network namespace of its own, or this machine itself. */
export interface Host {
  readonly name: string;
  readonly address: string;
  /** The program and the arguments that run a program there. */
  readonly on: (
    program: string,
    args: readonly string[],
  ) => { readonly program: string; readonly args: readonly string[] };
}

/** A small network, whose hosts can be cut off from each other. Disposing removes it. */
export interface Network extends AsyncDisposable {
  /** This machine, which reaches every host. */
  readonly desk: Host;
  readonly hosts: readonly Host[];
  /** From now on these hosts reach no other and this machine neither; packets are lost without a word. */
  isolate(names: readonly string[]): Promise<void>;
  /** From now on packets between the two are lost. */
  cut(one: string, other: string): Promise<void>;
  /** Everybody reaches everybody again. */
  heal(): Promise<void>;
}

interface Port extends Host {
  readonly namespace: string | null;
  /** The end at the switch. */
  readonly link: string;
}

const ip = async (...args: readonly string[]): Promise<void> => {
  await run('ip', [...args]);
};

/**
 * Makes a network of Linux network namespaces around a bridge in one more. Needs root. Names and addresses are of the
 * process id, so that two networks can be beside each other.
 */
export async function makeNetwork(names: readonly string[]): Promise<Network> {
  const id = String(process.pid % 100_000);
  const hub = `postern-${id}-hub`;
  const subnet = `10.${String(200 + (process.pid % 50))}.${String(process.pid % 250)}`;
  const ports: readonly Port[] = ['desk', ...names].map((name, at) => {
    const namespace = name === 'desk' ? null : `postern-${id}-${name}`;
    const on: Host['on'] = (program, args) =>
      namespace === null ? { program, args } : { program: 'ip', args: ['netns', 'exec', namespace, program, ...args] };
    return { name, namespace, on, address: `${subnet}.${String(at + 10)}`, link: `p${id}-${String(at)}` };
  });
  const made: string[] = [];
  const addNamespace = async (name: string): Promise<void> => {
    await ip('netns', 'add', name);
    made.push(name);
  };
  /** A namespace takes its links with it, and a link its other end. */
  const remove = async (): Promise<void> => {
    for (const name of made) await ip('netns', 'del', name);
  };
  const portOf = (name: string): Port => {
    const port = ports.find((each) => each.name === name);
    if (port === undefined) throw new Error(`the network has no host ${name}`);
    return port;
  };
  /** Routes that lose packets: where they are, and what leads away again. */
  const lost: { readonly namespace: string | null; readonly route: string }[] = [];
  const down = new Set<Port>();
  const inside = async (namespace: string | null, ...args: readonly string[]): Promise<void> => {
    await ip(...(namespace === null ? [] : ['-netns', namespace]), ...args);
  };

  try {
    await addNamespace(hub);
    await inside(hub, 'link', 'add', 'switch', 'type', 'bridge');
    await inside(hub, 'link', 'set', 'switch', 'up');
    for (const { namespace, link, address } of ports) {
      if (namespace !== null) await addNamespace(namespace);
      const near = namespace === null ? `${link}d` : 'eth0';
      const place = namespace === null ? [] : ['netns', namespace];
      await inside(hub, 'link', 'add', link, 'type', 'veth', 'peer', 'name', near, ...place);
      // Of this machine there is no name that a namespace could be asked for: the process is.
      if (namespace === null) await inside(hub, 'link', 'set', near, 'netns', String(process.pid));
      await inside(hub, 'link', 'set', link, 'master', 'switch', 'up');
      await inside(namespace, 'address', 'add', `${address}/24`, 'dev', near);
      await inside(namespace, 'link', 'set', near, 'up');
      if (namespace !== null) await inside(namespace, 'link', 'set', 'lo', 'up');
    }
  } catch (error) {
    await remove();
    throw new Error('the network cannot be made; it needs root, and iproute2', { cause: error });
  }
  return {
    desk: portOf('desk'),
    hosts: ports.slice(1),
    isolate: async (isolated) => {
      for (const port of isolated.map(portOf)) {
        await inside(hub, 'link', 'set', port.link, 'down');
        down.add(port);
      }
    },
    cut: async (one, other) => {
      for (const [here, there] of [
        [portOf(one), portOf(other)],
        [portOf(other), portOf(one)],
      ] as const) {
        const route = `${there.address}/32`;
        await inside(here.namespace, 'route', 'add', 'blackhole', route);
        lost.push({ namespace: here.namespace, route });
      }
    },
    heal: async () => {
      for (const port of down) await inside(hub, 'link', 'set', port.link, 'up');
      down.clear();
      for (const { namespace, route } of lost.splice(0)) await inside(namespace, 'route', 'del', 'blackhole', route);
    },
    [Symbol.asyncDispose]: remove,
  };
}
