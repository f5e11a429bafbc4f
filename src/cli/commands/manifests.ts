import type { Command } from 'commander';
import type { ManifestsOptions } from '../manifests/print-manifests.ts';
import type { CommandContext } from './command-context.ts';

/** Adds `svk manifests`. Its code is loaded when it runs. */
export const addManifestsCommand = (program: Command, context: CommandContext): void => {
  program
    .command('manifests')
    .description('print what a deployment needs in its cluster: roles, webhook, runtime class')
    .option('--deployment <name>', 'the deployment (stage)', 'dev')
    .option('--region <region>', 'AWS region of the deployment; AWS_REGION where it is left out')
    .option('--nodes <names>', 'names of its nodes, apart by commas; asked of the deployment where they are left out')
    .option('--identity <kind>', 'serviceaccount, group (EKS access entries) or node', 'serviceaccount')
    .option('--namespace <name>', 'namespace of the service account', 'svk-system')
    .option('--namespaces <names>', 'whose pods may use their Secrets and ServiceAccount tokens, apart by commas')
    .option('--for <mode>', 'functions, or process (svk run)', 'functions')
    .option('--certificates', 'also the right to ask for serving certificates; process mode has it', false)
    .option('--gateway <image>', 'also a stream gateway of this image, as a Deployment')
    .option(
      '--gateway-role <arn>',
      'IAM role of its ServiceAccount (EKS); else the Secret svk-<deployment>-gateway-aws',
    )
    .option('--certificate-signer <name>', 'who signs its certificates', 'kubernetes.io/kubelet-serving')
    .option('--admission-url <url>', 'the webhook with its secret; asked of the deployment where it is left out')
    .option('--no-push', 'without the webhook: pods start with the next resync')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .action(async (options: ManifestsOptions) => {
      const { printManifests } = await import('../manifests/print-manifests.ts');
      await printManifests(options, context);
    });
};
