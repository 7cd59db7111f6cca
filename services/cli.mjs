// The command line of scripts/install-services.
import { parseArgs } from 'node:util';
import { InstallFailure, installServices } from './install-services.mjs';
import { catalogue } from './catalogue.mjs';
import { progressPrinter } from './progress.mjs';

const usage = `Usage: scripts/install-services [--quiet] [SERVICE …]

Installs pinned servers for the demo and the tests below .services/, without root, and uses what the machine has
when it fits. Without SERVICE: envoy.

Services: ${Object.keys(catalogue).join(', ')}

  --quiet   print nothing but errors
  --help    print this text

Exit codes: 0 everything is there · 1 something cannot be had · 2 usage · 130 interrupted
`;

function parse(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { quiet: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const unknown = positionals.filter((name) => !Object.hasOwn(catalogue, name));
    if (unknown.length > 0) throw new Error(`There is no service ${unknown.map((name) => `"${name}"`).join(', ')}.`);
    return { ...values, services: positionals.length > 0 ? positionals : ['envoy'] };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    return null;
  }
}

async function main(args) {
  const options = parse(args);
  if (options === null) return 2;
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(name, () => interruption.abort(new Error(`Interrupted (${name}); nothing half installed was kept.`)));
  }
  try {
    await installServices(options.services, {
      signal: interruption.signal,
      onProgress: options.quiet ? () => {} : progressPrinter(process.stdout),
    });
    return 0;
  } catch (error) {
    if (process.stdout.isTTY && !options.quiet) process.stdout.write('\n');
    if (interruption.signal.aborted) {
      process.stderr.write(`${interruption.signal.reason.message}\n`);
      return 130;
    }
    if (!(error instanceof InstallFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
