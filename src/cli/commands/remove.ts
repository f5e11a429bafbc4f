import type { Command } from 'commander';
import type { RemoveOptions } from '../remove/remove-deployment.ts';
import type { CommandContext } from './command-context.ts';

/** Adds `svk remove`. Its code is loaded when it runs. */
export const addRemoveCommand = (program: Command, context: CommandContext): void => {
  program
    .command('remove')
    .description('take a deployment out of its cluster: its nodes, their leases, tasks and rights')
    .option('--deployment <name>', 'the deployment (stage)', 'dev')
    .option('--region <region>', 'AWS region of the deployment; AWS_REGION where it is left out')
    .option('--kubeconfig <file>', 'KUBECONFIG, or ~/.kube/config, where it is left out')
    .option('--context <name>', "the kubeconfig's current context where it is left out")
    .option('--nodes <names>', 'names of its nodes, apart by commas; asked of the deployment where they are left out')
    .option('--force', 'delete the pods that still run, with their grace periods', false)
    .option('--timeout <seconds>', 'how long they may take', '180')
    .action(async (options: RemoveOptions) => {
      const { removeDeployment } = await import('../remove/remove-deployment.ts');
      await removeDeployment(options, context);
    });
};
