// Resolves ${file(./infra/deployment.cjs)} in serverless.yml: the settings file and the parameters, checked, and what of
// the stack depends on them. Faults are found here, all of them, before anything is packaged. CommonJS because the
// framework loads resolvers with `require`.

const PARAMETERS = [
  'logRetentionDays',
  'workerConcurrency',
  'heartbeatConcurrency',
  'domainName',
  'certificateArn',
  'trustStore',
  'hostedZoneId',
  'functionSubnets',
  'functionSecurityGroups',
  'eksCluster',
  'keyArn',
  'execKeyArn',
  'alarms',
  'alarmTopicArn',
  'dashboard',
  'gatewayImage',
  'gatewayVpc',
  'gatewaySubnets',
  'gatewayClients',
  'gatewaySigner',
  'gatewayPublicIp',
  'metrics',
  'containerInsights',
];

module.exports = async ({ resolveConfigurationProperty, resolveVariable }) => {
  const { readDeployment } = await import('./deploy/read-deployment.ts');
  const parameters = await Promise.all(PARAMETERS.map(async (name) => [name, await resolveVariable(`param:${name}`)]));
  const input = {
    settings: await resolveConfigurationProperty(['custom', 'settings']),
    file: await resolveVariable('param:settings'),
    stage: await resolveVariable('sls:stage'),
    parameters: Object.fromEntries(parameters),
    // `serverless deploy list` only looks.
    isDeployed: process.argv.includes('deploy') && !process.argv.includes('list'),
  };
  try {
    return readDeployment(input);
  } catch (error) {
    // Without a stack: it is what was given that is wrong.
    const refusal = new Error(error.message);
    refusal.stack = error.message;
    throw refusal;
  }
};
