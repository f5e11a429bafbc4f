/** `npm run local -- faults …`: makes the local cloud that runs now do wrong what AWS does wrong at times. */
import { CONTROL_USAGE, type Control, parseControl } from './control/control-arguments.ts';
import { FaultsClient, type StandingFault } from './control/faults-client.ts';

const main = async (control: Control): Promise<string> => {
  switch (control.kind) {
    case 'help':
      return CONTROL_USAGE;
    case 'mistake':
      throw new Error(`${control.message}\n\n${CONTROL_USAGE}`);
    case 'list':
      return describe(await FaultsClient.of(control.directory).list());
    case 'clear':
      return describe(await FaultsClient.of(control.directory).clear());
    case 'add':
      return describe(await FaultsClient.of(control.directory).add(control.fault));
    default:
      return control satisfies never;
  }
};

/** One line a fault, as it may be typed again. */
const describe = (faults: readonly StandingFault[]): string => {
  if (faults.length === 0) return 'no fault stands\n';
  return faults.map(({ kind, ...members }) => `${[kind, ...Object.entries(members).map(pair)].join(' ')}\n`).join('');
};

const pair = ([name, value]: [string, unknown]): string =>
  `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;

try {
  process.stdout.write(await main(parseControl(process.argv.slice(2))));
} catch (error) {
  process.stderr.write(`svk: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
