import type { Command } from 'commander';
import type { SetCredentialsOptions } from '../credentials/set-credentials.ts';
import type { WebhookSecretOptions } from '../credentials/webhook-secret.ts';
import type { CommandContext } from './command-context.ts';

/** Adds `svk credentials set` and `svk credentials webhook-secret`. Their code is loaded when one of them runs. */
export const addCredentialsCommand = (program: Command, context: CommandContext): void => {
  const credentials = program.command('credentials').description('how the functions reach the Kubernetes API server');
  credentials
    .command('set')
    .description('store the credentials of a kubeconfig, or the name of an EKS cluster, for the functions')
    .option('--deployment <name>', 'the deployment (stage)', 'dev')
    .option('--region <region>', 'AWS region of the deployment; AWS_REGION where it is left out')
    .option('--kubeconfig <file>', 'KUBECONFIG, or ~/.kube/config, where it is left out')
    .option('--context <name>', "the kubeconfig's current context where it is left out")
    .option(
      '--service-account [namespace/name]',
      'the lasting token of a service account, that of `svk manifests` by default',
    )
    .option('--eks <cluster>', 'an EKS cluster instead: the functions sign tokens with their own roles')
    .option('--eks-region <region>', "its region, where that is not the deployment's")
    .option('--server <url>', "the API server's address as AWS reaches it, where the kubeconfig names another")
    .option('--tls-server-name <name>', "the name in the server's certificate, where it is another")
    .option('--no-check', 'store them without a look at them and without connecting')
    .action(async (options: SetCredentialsOptions) => {
      const { setCredentials } = await import('../credentials/set-credentials.ts');
      await setCredentials(options, context);
    });
  credentials
    .command('webhook-secret')
    .description('make the secret of the admission webhook where there is none')
    .option('--deployment <name>', 'the deployment (stage)', 'dev')
    .option('--region <region>', 'AWS region of the deployment; AWS_REGION where it is left out')
    .option('--rotate', 'make a new one; the one before stays good until the next rotation', false)
    .action(async (options: WebhookSecretOptions) => {
      const { setWebhookSecret } = await import('../credentials/webhook-secret.ts');
      await setWebhookSecret(options, context);
    });
};
