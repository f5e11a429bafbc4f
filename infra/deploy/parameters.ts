import type { GatewayService } from './gateway-service.ts';
import type { MtlsDomain } from './mtls-api.ts';

/** `params` of serverless.yml as they arrive: all of them texts, numbers or booleans; empty means not given. */
export type GivenParameters = Readonly<Record<string, unknown>>;

/** What the operator has chosen beside the settings file, checked. */
export interface StackParameters {
  readonly logRetentionDays: number;
  /** Workers at once. */
  readonly workerConcurrency: number;
  /** Concurrent executions kept for the heartbeat; undefined: none. */
  readonly heartbeatConcurrency: number | undefined;
  readonly domain: MtlsDomain | undefined;
  /** Of the functions; undefined: they run outside any VPC. */
  readonly vpc: { readonly subnets: readonly string[]; readonly securityGroups: readonly string[] } | undefined;
  /** An EKS cluster of this account and region that shall let the functions in. */
  readonly eksCluster: string | undefined;
  readonly keyArn: string | undefined;
  /** Of exec sessions. */
  readonly execKeyArn: string | undefined;
  readonly alarms: boolean;
  readonly alarmTopicArn: string | undefined;
  readonly dashboard: boolean;
  /** A stream gateway in the account; undefined: none. */
  readonly gateway: GatewayService | undefined;
  readonly metrics: boolean;
  readonly containerInsights: boolean;
}

/** One thing that is wrong, with the fix. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

const RETENTION = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
const KEY = /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/;
const DOMAIN = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z]{2,}$/;

/** Reads the parameters. Answers every fault at once; the values are of use only where there is none. */
export const readParameters = (
  given: GivenParameters,
): { readonly parameters: StackParameters; readonly faults: readonly Fault[] } => {
  const reader = new Reader(given);
  const parameters: StackParameters = {
    logRetentionDays: reader.number('logRetentionDays', 14, (days) => RETENTION.includes(days), RETENTION.join(', ')),
    workerConcurrency: reader.number('workerConcurrency', 4, between(2, 1000), 'a number from 2 to 1000'),
    heartbeatConcurrency: reader.optionalNumber('heartbeatConcurrency', between(2, 100), 'a number from 2 to 100'),
    domain: domainOf(reader),
    vpc: vpcOf(reader),
    eksCluster: reader.text('eksCluster', /^[0-9A-Za-z][\w-]{0,99}$/, 'the name of an EKS cluster'),
    keyArn: reader.text('keyArn', KEY, 'the ARN of a KMS key'),
    execKeyArn: reader.text('execKeyArn', KEY, 'the ARN of a KMS key'),
    alarms: reader.flag('alarms'),
    alarmTopicArn: reader.text('alarmTopicArn', /^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]+$/, 'the ARN of an SNS topic'),
    dashboard: reader.flag('dashboard'),
    gateway: gatewayOf(reader),
    metrics: reader.flag('metrics'),
    containerInsights: reader.flag('containerInsights'),
  };
  if (parameters.alarmTopicArn !== undefined && !parameters.alarms)
    reader.fault('alarmTopicArn', 'needs --param alarms=true: without alarms nothing is ever sent to it');
  return { parameters, faults: reader.faults };
};

const between =
  (least: number, most: number) =>
  (value: number): boolean =>
    value >= least && value <= most;

const domainOf = (reader: Reader): MtlsDomain | undefined => {
  const name = reader.text('domainName', DOMAIN, 'a domain such as svk.example.com, in lower case');
  const certificateArn = reader.text(
    'certificateArn',
    /^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/,
    'the ARN of an ACM certificate',
  );
  const trustStore = reader.text('trustStore', /^s3:\/\/[a-z0-9.-]{3,63}\/\S+$/, 'the S3 URI of a PEM file');
  const hostedZoneId = reader.text('hostedZoneId', /^Z[0-9A-Z]{5,31}$/, 'the id of a Route 53 zone');
  if (name !== undefined && certificateArn !== undefined && trustStore !== undefined)
    return { name, certificateArn, trustStore, hostedZoneId };
  const parts = { domainName: name, certificateArn, trustStore };
  const missing = Object.keys(parts).filter((field) => reader.isEmpty(field));
  if (missing.length < 3 || !reader.isEmpty('hostedZoneId'))
    for (const field of missing)
      reader.fault(field, 'is missing: domainName, certificateArn and trustStore come together or not at all');
  return undefined;
};

const vpcOf = (reader: Reader): StackParameters['vpc'] => {
  const subnets = reader.list('functionSubnets', /^subnet-[0-9a-f]+$/, 'ids of subnets, apart by commas');
  const securityGroups = reader.list('functionSecurityGroups', /^sg-[0-9a-f]+$/, 'ids of security groups');
  if (subnets && securityGroups) return { subnets, securityGroups };
  for (const field of ['functionSubnets', 'functionSecurityGroups'] as const)
    if (reader.isEmpty(field) && (subnets ?? securityGroups))
      reader.fault(field, 'is missing: functionSubnets and functionSecurityGroups come together or not at all');
  return undefined;
};

const gatewayOf = (reader: Reader): GatewayService | undefined => {
  const image = reader.text(
    'gatewayImage',
    /^\S+$/,
    'an image, such as 123456789012.dkr.ecr.eu-west-1.amazonaws.com/svk:1',
  );
  const vpc = reader.text('gatewayVpc', /^vpc-[0-9a-f]+$/, 'the id of a VPC');
  const subnets = reader.list('gatewaySubnets', /^subnet-[0-9a-f]+$/, 'ids of subnets, apart by commas');
  const clients = reader.text(
    'gatewayClients',
    /^(sg-[0-9a-f]+|\d{1,3}(\.\d{1,3}){3}\/\d{1,2})$/,
    'a block such as 10.0.0.0/16, or the id of a security group',
  );
  const signer = reader.text('gatewaySigner', /^[a-z0-9.-]+\/[\w./-]+$/, 'the name of a signer of certificates');
  const assignPublicIp = reader.flag('gatewayPublicIp');
  const parts = { gatewayImage: image, gatewayVpc: vpc, gatewaySubnets: subnets, gatewayClients: clients };
  const missing = Object.keys(parts).filter((field) => reader.isEmpty(field));
  if (missing.length < 4 || signer !== undefined || assignPublicIp)
    for (const field of missing)
      reader.fault(field, 'is missing: gatewayImage, gatewayVpc, gatewaySubnets and gatewayClients come together');
  if (image === undefined || vpc === undefined || subnets === undefined || clients === undefined) return undefined;
  return { image, vpc, subnets, clients, assignPublicIp, signer: signer ?? 'kubernetes.io/kubelet-serving' };
};

/** Takes parameters one by one and keeps what is wrong with them. */
class Reader {
  readonly faults: Fault[] = [];
  readonly #given: GivenParameters;

  constructor(given: GivenParameters) {
    this.#given = given;
  }

  isEmpty(field: string): boolean {
    return this.#text(field) === '';
  }

  fault(field: string, message: string): void {
    this.faults.push({ field: `--param ${field}`, message });
  }

  text(field: string, pattern: RegExp, what: string): string | undefined {
    const text = this.#text(field);
    if (text === '') return undefined;
    if (pattern.test(text)) return text;
    this.fault(field, `is "${text}": give ${what}, or leave it out`);
    return undefined;
  }

  list(field: string, pattern: RegExp, what: string): readonly string[] | undefined {
    const items = this.#text(field)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (items.length === 0) return undefined;
    const wrong = items.find((item) => !pattern.test(item));
    if (wrong !== undefined) this.fault(field, `has "${wrong}": give ${what}`);
    return items;
  }

  number(field: string, otherwise: number, valid: (value: number) => boolean, what: string): number {
    return this.optionalNumber(field, valid, what) ?? otherwise;
  }

  optionalNumber(field: string, valid: (value: number) => boolean, what: string): number | undefined {
    const text = this.#text(field);
    if (text === '') return undefined;
    const value = Number(text);
    if (Number.isInteger(value) && valid(value)) return value;
    this.fault(field, `is "${text}": give ${what}`);
    return undefined;
  }

  flag(field: string): boolean {
    const text = this.#text(field);
    if (text !== '' && text !== 'true' && text !== 'false') this.fault(field, `is "${text}": give true or false`);
    return text === 'true';
  }

  #text(field: string): string {
    const value = this.#given[field];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value).trim()
      : '';
  }
}
