// A plugin of the Serverless Framework: what is packaged is what the sources say now, and whoever deploys hears of subnets
// in which nothing would start. CommonJS because the framework loads plugins with `require`.
const { spawnSync } = require('node:child_process');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../..');

const build = () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the functions could not be bundled:\n${stderr}`);
};

module.exports = class BeforeDeploying {
  hooks = {
    'before:package:initialize': build,
    'before:deploy:function:packageFunction': build,
    'before:deploy:deploy': () => this.warn(),
  };

  constructor(serverless, _options, { log }) {
    this.service = serverless.service;
    this.log = log;
  }

  async warn() {
    const { subnetWarnings } = await import('./warn-of-subnets.ts');
    const { custom, provider } = this.service;
    for (const warning of await subnetWarnings(custom.checked.json, provider.region)) this.log.warning(warning);
  }
};
