import type { Command } from 'commander';
import type { DoctorOptions } from '../doctor/doctor.ts';
import { outputOption } from '../output.ts';
import type { CommandContext } from './command-context.ts';

/** Adds `svk doctor`. Its code is loaded when it runs. */
export const addDoctorCommand = (program: Command, context: CommandContext): void => {
  program
    .command('doctor')
    .description('look at a deployment and its cluster: what is wrong, and what mends it')
    .option('--deployment <name>', 'the deployment (stage)', 'dev')
    .option('--region <region>', 'AWS region of the deployment; AWS_REGION where it is left out')
    .option('--kubeconfig <file>', 'KUBECONFIG, or ~/.kube/config, where it is left out')
    .option('--context <name>', "the kubeconfig's current context where it is left out")
    .option('--namespaces <names>', 'whose Secrets and tokens the deployment is to have, apart by commas')
    .option('--pod <namespace/name>', 'whose log is read through the API server; any that has started by default')
    .option('--only <checks>', 'names of checks, apart by commas')
    .addOption(outputOption())
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('../doctor/doctor.ts');
      await examine(options, context);
    });
};
