import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import type { Front } from '../front/start-front.ts';
import { startPage } from '../page/page-server.ts';
import { type LocalAws, newAdmissionSecret, startAws } from './aws.ts';
import { type LocalCluster, type LocalWebhook, openCluster } from './cluster.ts';
import { startKubeletFronts } from './kubelet-fronts.ts';
import { LocalLambda } from './lambda.ts';
import { nodesReady } from './nodes-ready.ts';
import type { LocalOptions } from './options.ts';
import { QueuePoller, queueTriggersOf } from './queue-trigger.ts';
import { resolveReferences } from './references.ts';
import type { FunctionDefinition, Service } from './service.ts';
import { nodeNamesOf, settingsOf } from './settings-of.ts';

/** How long the nodes may take to become Ready before that is a fault. */
const READY_WITHIN_MS = 60_000;

/** Everything `serverless offline start` needs beside it: AWS, a Kubernetes, triggers, the kubelet endpoints. */
export class LocalCloud {
  readonly #service: Service;
  readonly #options: LocalOptions;
  readonly #startedAt = performance.now();
  #closers: (() => Promise<void>)[] = [];
  #aws: LocalAws | undefined;
  #cluster: LocalCluster | undefined;
  #webhook: LocalWebhook | undefined;

  private constructor(service: Service, options: LocalOptions) {
    this.#service = service;
    this.#options = options;
  }

  /** Before the functions run: starts the services, and writes into the functions' environment where they are. */
  static async start(service: Service, options: LocalOptions): Promise<LocalCloud> {
    const cloud = new LocalCloud(service, options);
    try {
      await cloud.#start();
      return cloud;
    } catch (error) {
      await cloud.close();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const nodes = nodeNamesOf(this.#service);
    const cluster = await openCluster(this.#options);
    this.#cluster = cluster;
    this.#closers.push(() => cluster.close());
    const aws = await startAws(this.#service, this.#options);
    this.#aws = aws;
    this.#closers.push(() => aws.close());
    // serverless-offline copies every AWS_… variable of this process into the functions' environment.
    Object.assign(process.env, aws.environment);

    const fronts = await startKubeletFronts({
      nodes,
      embedded: cluster.embedded,
      clientCa: cluster.kubeletClientCa,
      ports: this.#options.ports,
      functionOf: (name) => this.#functionOf(name),
      environmentOf: (definition) => this.#environmentOf(definition),
    });
    this.#closers.push(() => closeAll(fronts.map(({ front }) => front)));
    const certificateAuthority = fronts[0]?.certificateAuthority ?? '';
    // For whoever asks an endpoint directly, as `kubectl svk` does.
    await writeFile(path.join(this.#options.directory, 'kubelet-ca.crt'), certificateAuthority);
    this.#resolveEnvironments(
      JSON.stringify(Object.fromEntries(fronts.map(({ node, host, front }) => [node, { host, port: front.port }]))),
    );

    const secret = newAdmissionSecret();
    await aws.putParameter(this.#parameter('SVK_CREDENTIALS_PARAMETER'), JSON.stringify(cluster.credentials));
    await aws.putParameter(this.#parameter('SVK_ADMISSION_SECRET_PARAMETER'), secret);
    this.#webhook = {
      deployment: settingsOf(this.#service).deployment,
      nodes,
      localUrl: `http://127.0.0.1:${this.#options.ports.http}/admission/${secret}`,
      url: `https://${fronts[0]?.host}:${fronts[0]?.front.port}/admission/${secret}`,
      certificateAuthority,
    };
  }

  /** Once the functions run: starts their triggers, registers the nodes, and answers what to tell the user. */
  async join(): Promise<readonly string[]> {
    const { lambda: lambdaPort } = this.#options.ports;
    const [aws, cluster, webhook] = [this.#aws, this.#cluster, this.#webhook];
    if (!aws || !cluster || !webhook) throw new Error('the local cloud has not been started');
    const lambda = new LocalLambda(`http://127.0.0.1:${lambdaPort}`);
    for (const trigger of queueTriggersOf(aws.context)) {
      const poller = new QueuePoller({
        client: aws.queues,
        lambda,
        trigger,
        endpoint: aws.queueUrl,
        region: this.#service.provider.region,
      });
      poller.start();
      this.#closers.push(() => poller.stop());
    }
    // The schedules' first run comes with the next minute: a person should not have to wait for it. It may go on for a
    // minute, where it finds a lease that nobody has renewed.
    const heartbeat = lambda.invoke(this.#functionOf('node-heartbeat').name, {}).then(({ failed, payload }) => {
      if (failed) console.error(`local cloud: node-heartbeat failed: ${JSON.stringify(payload)}`);
    });
    heartbeat.catch((error: unknown) => console.error(error));
    const nodes = nodeNamesOf(this.#service);
    await cluster.registerWebhook(webhook);
    await nodesReady(cluster.credentials, nodes, READY_WITHIN_MS);
    await lambda.invoke(this.#functionOf('pod-resync').name, {});
    return this.#greeting(cluster, nodes, await this.#startPage(aws, cluster, nodes));
  }

  /** Ends everything in the reverse order. Safe to call twice. */
  async close(): Promise<void> {
    const closers = this.#closers.reverse();
    this.#closers = [];
    for (const close of closers) await close().catch((error: unknown) => console.error(error));
  }

  /** Answers its address. */
  async #startPage(aws: LocalAws, { credentials }: LocalCluster, nodeNames: readonly string[]): Promise<string> {
    const client = new KubernetesClient(credentials, { clock: new SystemClock() });
    this.#closers.push(async () => client.close());
    const { page: port } = this.#options.ports;
    const page = await startPage({ port, client, nodeNames, runtime: aws.runtime, aws: aws.emulator });
    this.#closers.push(() => page.close());
    return page.url;
  }

  #greeting(
    { embedded, credentials, kubeconfigPath }: LocalCluster,
    nodes: readonly string[],
    page: string,
  ): readonly string[] {
    const { ports } = this.#options;
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1);
    const kubeconfig = shorten(kubeconfigPath);
    return [
      `kubernetes  ${credentials.server} (${embedded ? 'embedded API: in memory, no controllers, for local use' : 'your cluster'})`,
      `aws         DynamoDB ${ports.dynamodb}, SQS ${ports.queues}, ECS, CloudWatch Logs and SSM ${ports.aws} on 127.0.0.1`,
      `runtime     ${this.#aws?.runtime}`,
      `node        ${nodes.join(', ')}: Ready after ${seconds} s`,
      `page        ${page}`,
      `kubeconfig  ${kubeconfig}`,
      '',
      `next:  kubectl --kubeconfig ${kubeconfig} apply -f examples/hello.yaml`,
      'Ctrl-C ends all of it.',
    ];
  }

  #functionOf(key: string): FunctionDefinition {
    const definition = this.#service.functions[key];
    if (!definition) throw new Error(`serverless.yml has no function "${key}"`);
    return definition;
  }

  #environmentOf(definition: FunctionDefinition): Readonly<Record<string, string>> {
    const environment = { ...this.#service.provider.environment, ...definition.environment };
    return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
  }

  #resolveEnvironments(kubeletEndpoints: string): void {
    const context = this.#aws?.context;
    if (!context) return;
    const environments = [this.#service.provider, ...Object.values(this.#service.functions)].map(
      ({ environment }) => environment,
    );
    for (const environment of environments) {
      for (const name of Object.keys(environment ?? {})) {
        if (environment) environment[name] = String(resolveReferences(environment[name], context));
      }
      if (environment && 'SVK_KUBELET_ENDPOINTS' in environment)
        environment['SVK_KUBELET_ENDPOINTS'] = kubeletEndpoints;
    }
  }

  #parameter(variable: string): string {
    return String(this.#service.provider.environment?.[variable]);
  }
}

const closeAll = async (fronts: readonly Front[]): Promise<void> => {
  await Promise.all(fronts.map((front) => front.close()));
};

const shorten = (file: string): string => {
  const from = `${path.resolve('.')}/`;
  return file.startsWith(from) ? file.slice(from.length) : file;
};
