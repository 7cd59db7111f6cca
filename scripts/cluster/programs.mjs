// node programs.mjs NAME …: makes sure that programs of services/ are there, and prints the path of each.
import { realpath } from 'node:fs/promises';
import { installServices } from '../../services/install-services.mjs';
import { progressPrinter } from '../../services/progress.mjs';

const names = process.argv.slice(2);
const found = await installServices(names, { onProgress: progressPrinter(process.stderr) });
for (const name of names) process.stdout.write(`${name}\t${await realpath(found[name])}\n`);
