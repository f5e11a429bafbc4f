import { isRecord, type Resource, type Service } from './service.ts';

/** The account that everything local belongs to, as AWS's own examples write it. */
export const LOCAL_ACCOUNT = '000000000000';

/** What resolving a template needs to know besides the template. */
export interface ReferenceContext {
  readonly service: Service;
  /** `http://127.0.0.1:PORT` of the queue emulator. */
  readonly queueUrl: string;
  /** CloudFormation parameters and pseudo parameters that the template refers to. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Replaces CloudFormation's intrinsic functions (`Ref`, `Fn::GetAtt`, `Fn::Sub`, `Fn::Join`, `Fn::Select`, `Fn::Split`,
 * `Fn::ImportValue` not) by what they are in the local cloud. A reference to something unknown stays its own name, so
 * that a wrong name is visible where it is used.
 */
export const resolveReferences = (value: unknown, context: ReferenceContext): unknown => {
  const resolve = (inner: unknown): unknown => resolveReferences(inner, context);
  if (Array.isArray(value)) return value.map(resolve);
  if (!isRecord(value)) return value;
  if ('Ref' in value) return refOf(String(value['Ref']), context);
  if ('Fn::GetAtt' in value) return attributeOf(value['Fn::GetAtt'], context);
  if ('Fn::Sub' in value) return substitute(value['Fn::Sub'], context);
  if ('Fn::Join' in value) return join(value['Fn::Join'], resolve);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
};

/** The name of a resource: the one its properties give, else one made of service, stage and logical id as CloudFormation would. */
export const physicalName = (logicalId: string, resource: Resource, context: ReferenceContext): string => {
  const property = NAME_PROPERTIES[resource.Type];
  const given = property === undefined ? undefined : resource.Properties?.[property];
  const name = given === undefined ? undefined : resolveReferences(given, context);
  const { service, provider } = context.service;
  return typeof name === 'string' ? name : `${service}-${provider.stage}-${logicalId}`;
};

const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::ECS::Cluster': 'ClusterName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SSM::Parameter': 'Name',
};

const refOf = (id: string, context: ReferenceContext): string => {
  const { service, queueUrl, parameters } = context;
  const pseudo = {
    'AWS::AccountId': LOCAL_ACCOUNT,
    'AWS::Partition': 'aws',
    'AWS::Region': service.provider.region,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const known = parameters?.[id] ?? (pseudo as Readonly<Record<string, string>>)[id];
  if (known !== undefined) return known;
  const resource = service.resources?.Resources?.[id];
  if (resource === undefined) return id;
  const name = physicalName(id, resource, context);
  return resource.Type === 'AWS::SQS::Queue' ? `${queueUrl}/${LOCAL_ACCOUNT}/${name}` : name;
};

const attributeOf = (path: unknown, context: ReferenceContext): string => {
  const [id = '', attribute = ''] = Array.isArray(path) ? path.map(String) : String(path).split(/\.(.*)/s);
  const resource = context.service.resources?.Resources?.[id];
  if (resource === undefined) return `${id}.${attribute}`;
  const name = physicalName(id, resource, context);
  return attribute === 'Arn' ? arnOf(resource, name, context.service.provider.region) : `${name}.${attribute}`;
};

const arnOf = (resource: Resource, name: string, region: string): string => {
  switch (resource.Type) {
    case 'AWS::DynamoDB::Table':
      return `arn:aws:dynamodb:${region}:${LOCAL_ACCOUNT}:table/${name}`;
    case 'AWS::ECS::Cluster':
      return `arn:aws:ecs:${region}:${LOCAL_ACCOUNT}:cluster/${name}`;
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${LOCAL_ACCOUNT}:role${rolePath(resource)}${name}`;
    case 'AWS::Logs::LogGroup':
      return `arn:aws:logs:${region}:${LOCAL_ACCOUNT}:log-group:${name}:*`;
    case 'AWS::S3::Bucket':
      return `arn:aws:s3:::${name}`;
    case 'AWS::SQS::Queue':
      return `arn:aws:sqs:${region}:${LOCAL_ACCOUNT}:${name}`;
    default:
      return `arn:aws:local:${region}:${LOCAL_ACCOUNT}:${name}`;
  }
};

const rolePath = (resource: Resource): string => {
  const path = resource.Properties?.['Path'];
  return typeof path === 'string' ? path : '/';
};

const substitute = (argument: unknown, context: ReferenceContext): string => {
  const [text, variables] = Array.isArray(argument) ? (argument as [unknown, unknown]) : [argument, undefined];
  return String(text).replace(/\$\{([^}!]+)\}/g, (_, name: string) => {
    if (isRecord(variables) && name in variables) return String(resolveReferences(variables[name], context));
    return name.includes('.') ? attributeOf(name, context) : refOf(name, context);
  });
};

const join = (argument: unknown, resolve: (value: unknown) => unknown): string => {
  const [separator, parts] = argument as [string, unknown[]];
  return parts.map((part) => String(resolve(part))).join(separator);
};
