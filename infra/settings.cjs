// Resolves ${file(./infra/settings.cjs)} in serverless.yml: the settings file as one line of JSON, and what depends on
// its nodes. Faults are found here, before anything is deployed. CommonJS because the framework loads resolvers with
// `require`.

/** A list given by parameter arrives as one text. */
const listOf = (value) =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)
    : value;

const profileOf = (profile) =>
  profile === null || typeof profile !== 'object'
    ? profile
    : { ...profile, subnets: listOf(profile.subnets), securityGroups: listOf(profile.securityGroups) };

const settingsOf = ({ profiles, ...rest }) => ({
  ...rest,
  profiles:
    profiles === null || typeof profiles !== 'object'
      ? profiles
      : Object.fromEntries(Object.entries(profiles).map(([name, profile]) => [name, profileOf(profile)])),
});

/** Where the API server finds each node's kubelet API, as a CloudFormation value: the API's id is known to it alone. */
const endpointsOf = ({ nodes }) => {
  const host = ['.execute-api.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }];
  const entries = nodes.flatMap(({ name }, index) => [
    `${index === 0 ? '{' : ','}${JSON.stringify(name)}:{"host":"`,
    { Ref: 'HttpApi' },
    ...host,
    '","port":443}',
  ]);
  return { 'Fn::Join': ['', [...entries, '}']] };
};

/** Every fault at once, without a stack: it is the file that is wrong. */
const refuse = (message) => {
  const error = new Error(message);
  error.stack = message;
  throw error;
};

const validate = async (settings, { file, stage }) => {
  const [{ parseSettings }, { PROVIDERS }] = await Promise.all([
    import('../src/config/settings.ts'),
    import('../src/app/providers.ts'),
  ]);
  try {
    parseSettings(settings, PROVIDERS, file);
  } catch (error) {
    refuse(error.message);
  }
  if (settings.deployment !== stage) {
    refuse(
      `${file}: deployment is "${settings.deployment}" and the stage "${stage}": name both alike, or write \${sls:stage}`,
    );
  }
};

module.exports = async ({ resolveConfigurationProperty, resolveVariable }) => {
  const given = await resolveConfigurationProperty(['custom', 'settings']);
  const settings = settingsOf(given === null || typeof given !== 'object' ? {} : given);
  await validate(settings, {
    file: await resolveVariable('param:settings'),
    stage: await resolveVariable('sls:stage'),
  });
  return { json: JSON.stringify(settings), kubeletEndpoints: endpointsOf(settings) };
};
