// A plugin of the Serverless Framework: what is packaged is what the sources say now. CommonJS because the framework loads
// plugins with `require`.
const { spawnSync } = require('node:child_process');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../..');

const build = () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the functions could not be bundled:\n${stderr}`);
};

module.exports = class BuildFirst {
  hooks = { 'before:package:initialize': build, 'before:deploy:function:packageFunction': build };
};
