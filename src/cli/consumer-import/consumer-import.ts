import { type Command, InvalidArgumentError, Option } from 'commander';
import { authenticationMethods } from '../../model/endpoint.ts';
import { addAction, addHelp, changeExits, type CommandContext } from '../command.ts';
import { addChangeOptions, type ChangeFlags } from '../flags/options.ts';
import { collectId } from '../flags/values.ts';
import type { GatewayAddress } from '../../partners/handover/target.ts';
import { parseAddress } from '../flags/gateway-address.ts';
import { importedFields, type RowDefaults } from './partner-rows.ts';

/** The flags of `postern consumer import`. */
export interface ImportFlags extends ChangeFlags {
  readonly map?: RowDefaults['map'];
  readonly method?: string;
  readonly endpoint?: readonly string[];
  readonly out?: string;
  readonly handover?: string;
  readonly url?: GatewayAddress;
}

/** Adds `postern consumer import`. */
export function registerConsumerImport(noun: Command, context: CommandContext): void {
  const command = noun
    .command('import')
    .description('Create the partners of a CSV file, with a credential and grants for each.')
    .argument('<file>', 'CSV whose first line names its columns')
    .option('--map <field=column>', `which column gives a field; repeatable`, collectMap)
    .addOption(
      new Option('--method <method>', 'a credential of this method for each row').choices(authenticationMethods),
    )
    .option('--endpoint <id>', 'a grant on this endpoint for each row; repeatable', collectId)
    .option('--out <file>', 'write what is generated into this new file, for its owner only, instead of printing it');
  command
    .option('--handover <dir>', 'write what each partner needs to call into this folder; it must be empty or absent')
    .option('--url <url>', 'for --handover, where partners reach Envoy: https://api.example.com', parseAddress);
  addChangeOptions(command);
  addHelp(command, {
    notes: `Fields: ${importedFields.join(', ')}, and label.NAME. A column with the name of a field needs no --map.
"endpoints" holds ids with blanks or ";" between them. Without "credential", a credential is called CONSUMER-METHOD.

Only what is missing is created: what is there stays as it is, so that the same command can be run again after an
interruption. Problems have the line, and the number of the column.`,
    examples: [
      'postern consumer import partners.csv --map id=Partner --map name=Company --map label.tier=Tier --dry-run',
      'postern consumer import partners.csv --method hmac --endpoint orders --out secrets.yaml',
      'postern consumer import partners.csv --method key --handover partners --url https://api.example.com',
    ],
    exits: { ...changeExits, failed: 'problems of the file, or stopped', conflict: 'others changed the store' },
  });
  addAction(command, context, async (file: string, flags: ImportFlags) => {
    const { importFile } = await import('./import-file.ts');
    return await importFile(file, flags, context);
  });
}

function collectMap(text: string, former: RowDefaults['map'] = {}): RowDefaults['map'] {
  const [, field = '', column = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (!importedFields.includes(field) && !/^label\../.test(field)) {
    throw new InvalidArgumentError(`Write FIELD=COLUMN; fields are ${importedFields.join(', ')} and label.NAME.`);
  }
  if (Object.hasOwn(former, field)) throw new InvalidArgumentError(`${field} is given twice.`);
  return { ...former, [field]: column };
}
