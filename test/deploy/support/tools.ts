import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Programs from PyPI that the deploy tests call. */
export interface DeployTools {
  readonly cfnLint: string;
  /** A Python that has moto with its server. */
  readonly python: string;
}

const venv = resolve(import.meta.dirname, '../../../.build/venv/bin');

/** `variable` where it is set, else the project's own virtual environment, else what PATH has. */
const programOf = (variable: string, name: string): string => {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return given;
  return existsSync(`${venv}/${name}`) ? `${venv}/${name}` : name;
};

const works = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** The tools, or undefined where one of them is missing. */
function findDeployTools(): DeployTools | undefined {
  const tools = { cfnLint: programOf('SVK_CFN_LINT', 'cfn-lint'), python: programOf('SVK_PYTHON', 'python3') };
  return works(tools.cfnLint, '--version') && works(tools.python, '-c', 'import moto.server, flask')
    ? tools
    : undefined;
}

/** The tools where the tests run for good (`CI=true`). @throws {Error} that says how to get them. */
export function requireDeployTools(): DeployTools {
  const tools = findDeployTools();
  if (tools === undefined) {
    throw new Error(
      'cfn-lint or moto is missing: python3 -m venv .build/venv && .build/venv/bin/pip install -r .ci/requirements.txt, or name them in SVK_CFN_LINT and SVK_PYTHON',
    );
  }
  return tools;
}

/** Without the tools these tests are left out, but for CI, where they must run. */
export const withoutDeployTools: boolean = process.env['CI'] !== 'true' && findDeployTools() === undefined;
