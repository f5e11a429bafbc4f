export const CLUSTER = 'pods';
export const LOG_GROUP = '/svk/dev/pods';

/** What both ends give the SDK's clients. */
export const AWS_SETTINGS = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;
